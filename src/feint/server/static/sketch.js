// A belief drawn by hand: bars that a mouse, a finger or keys pull up and down.

import { patch, svg } from "./svg.js";

const HEIGHT = 120;
const MOST = 20;
export const BARS = 24;

export const first = () =>
  Array.from({ length: BARS }, (_, i) => Math.max(1, Math.round(MOST * Math.exp(-(((i - BARS / 2) / 6) ** 2)))));

export function sketch(weights, chosen, width) {
  const wide = width / weights.length;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`, role: "slider", tabindex: 0, "aria-label": "What you believe, bar by bar",
      "aria-valuemin": 0, "aria-valuemax": MOST, "aria-valuenow": weights[chosen],
      "aria-valuetext": `bar ${chosen + 1} of ${weights.length}: ${weights[chosen]} of ${MOST}`,
    },
    svg("rect", { class: "track", x: 0, y: 0, width, height: HEIGHT, rx: 6 }),
    weights.map((each, i) => svg("rect", {
      class: i === chosen ? "bar chosen" : "bar", x: i * wide + 1, width: Math.max(1, wide - 2), rx: 2,
      y: HEIGHT - (each / MOST) * (HEIGHT - 8), height: (each / MOST) * (HEIGHT - 8),
    })),
  );
}

export function sketching(place, weights, changed) {
  let chosen = Math.floor(weights.length / 2);
  let held = [...weights];
  const draw = () => patch(place, sketch(held, chosen, Math.max(240, place.clientWidth)));
  const set = (index, value) => {
    chosen = Math.min(held.length - 1, Math.max(0, index));
    const most = Math.min(MOST, Math.max(0, Math.round(value)));
    const rest = held.some((each, i) => i !== chosen && each > 0);
    held[chosen] = rest ? most : Math.max(1, most);
    draw();
    changed(held);
  };
  const pull = (event) => {
    const box = place.getBoundingClientRect();
    event.preventDefault();
    set(Math.floor(((event.clientX - box.left) / box.width) * held.length), (1 - (event.clientY - box.top) / box.height) * MOST);
  };
  place.addEventListener("pointerdown", (event) => {
    pull(event);
    const stop = new AbortController();
    addEventListener("pointermove", pull, { signal: stop.signal });
    addEventListener("pointerup", () => stop.abort(), { signal: stop.signal });
  });
  place.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    if (by[0]) {
      chosen = Math.min(held.length - 1, Math.max(0, chosen + by[0]));
      draw();
    } else set(chosen, held[chosen] + by[1]);
  });
  draw();
  return draw;
}
