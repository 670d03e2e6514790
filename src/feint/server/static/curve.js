// Questions against rounds: a curve with a dot that is dragged, or moved by keys.

import { svg } from "./svg.js";

const HEIGHT = 208;
const LEFT = 48;
const BOTTOM = 32;

export function curve(trades, rounds, width) {
  const points = [...trades].sort((a, b) => a.rounds - b.rounds);
  const most = points.at(-1)?.rounds ?? 1;
  const [low, high] = [Math.min(...points.map((p) => p.queries)), Math.max(...points.map((p) => p.queries))];
  const x = (value) => LEFT + ((value - 1) / Math.max(1, most - 1)) * (width - LEFT - 16);
  const y = (value) => 16 + (1 - Math.log(value / low) / Math.max(1e-9, Math.log(high / low))) * (HEIGHT - BOTTOM - 32);
  const mine = nearest(points, rounds ?? most);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`, role: "slider", tabindex: 0, "aria-label": "Rounds",
      "aria-valuemin": points[0].rounds, "aria-valuemax": most, "aria-valuenow": mine.rounds,
      "aria-valuetext": `${mine.rounds} rounds, ${mine.queries} questions`,
    },
    svg("line", { class: "axis", x1: LEFT, x2: width - 16, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
    [...new Set([high, low])].map((value) => svg("text", { x: LEFT - 8, y: y(value) + 5, "text-anchor": "end" }, short(value))),
    ends(points, most).map((value) => svg("text", { x: x(value), y: HEIGHT - 8, "text-anchor": "middle" }, String(value))),
    svg("path", { class: "path", d: points.map((p, i) => `${i ? "L" : "M"}${x(p.rounds)} ${y(p.queries)}`).join(" ") }),
    points.map((p) => svg("circle", { class: "spot", cx: x(p.rounds), cy: y(p.queries), r: 3.5 })),
    svg("circle", { class: "grip", cx: x(mine.rounds), cy: y(mine.queries), r: 9 }),
    svg("text", { class: "strong", x: x(mine.rounds), y: y(mine.queries) - 16, "text-anchor": "middle" }, mine.queries.toLocaleString("en")),
  );
}

const ends = (points, most) => [...new Set([points[0].rounds, Math.round((points[0].rounds + most) / 2), most])];
const short = (value) => (value >= 1e6 ? `${Math.round(value / 1e6)}M` : value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(value));
const nearest = (points, rounds) => points.filter((p) => p.rounds <= rounds).at(-1) ?? points[0];

// Which number of rounds is at a place of the drawing, or a step away by a key.
export function chosen(trades, node, event, rounds) {
  const all = trades.map((each) => each.rounds).sort((a, b) => a - b);
  const here = all.indexOf(nearest(trades.toSorted((a, b) => a.rounds - b.rounds), rounds ?? all.at(-1)).rounds);
  if (event.type === "keydown") {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -all.length, End: all.length }[event.key];
    return by === undefined ? null : all[Math.min(all.length - 1, Math.max(0, here + by))];
  }
  const box = node.getBoundingClientRect();
  const most = all.at(-1);
  const value = 1 + ((event.clientX - box.left - LEFT) / (box.width - LEFT - 16)) * Math.max(1, most - 1);
  return all.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
}
