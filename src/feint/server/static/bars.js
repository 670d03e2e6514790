// Every eavesdropper as a bar, against the line that she must not cross.

import { svg } from "./svg.js";
import { number, odds } from "./scale.js";

const ROW = 48;

const whisker = (low, high, y) =>
  svg("path", { class: "whisker", d: `M${low} ${y - 4}v8M${low} ${y}H${high}M${high} ${y - 4}v8` });

export function bars(rows, level, width) {
  const most = Math.max(1 / level, ...rows.map((each) => each.rate));
  const x = (rate) => (rate / Math.min(1, most * 1.15)) * width;
  const height = rows.length * ROW + 32;
  const line = x(1 / level);
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": rows.map((each) => `${each.name}: ${number(each.rate * 100, 1)} %`).join(", ") },
    rows.map((each, row) => svg(
      "g", {},
      svg("text", { x: 0, y: row * ROW + 14 }, each.name),
      svg("text", { class: "strong", x: width, y: row * ROW + 14, "text-anchor": "end" }, `${number(each.rate * 100, 1)} %`),
      svg("rect", { class: "track", x: 0, y: row * ROW + 22, width, height: 12, rx: 3 }),
      svg("rect", { class: each.best ? "best" : "bar", x: 0, y: row * ROW + 22, width: Math.max(2, x(each.rate)), height: 12, rx: 3 }),
      each.low === undefined ? null : whisker(x(each.low), Math.min(width, x(each.high)), row * ROW + 28),
    )),
    rows.map((_, row) => svg("line", { class: "limit", x1: line, x2: line, y1: row * ROW + 18, y2: row * ROW + 38 })),
    svg("text", { class: "promise", x: Math.min(line, width - 80), y: height - 8, "text-anchor": line > width / 2 ? "end" : "start" }, `the promise: ${odds(1 / level)}`),
  );
}
