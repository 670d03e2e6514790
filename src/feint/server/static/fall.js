// A whole search as it is overheard: a row a round, questions as dots, places as bars, her guess.

import { svg } from "./svg.js";
import { area } from "./prior.js";
import { odds, scale } from "./scale.js";

const ROW = 20;

export function fall(story, upto, { width, rows = story.rounds.length, secret = story.number }) {
  const at = scale(story.low, story.high, width, 2);
  const height = rows * ROW + 24;
  const shown = story.rounds.slice(0, upto);
  const heard = (story.heard ?? []).slice(0, upto);
  const last = heard.at(-1);
  const said = last
    ? `After round ${upto} of ${story.rounds.length}: ${last.places} places left, her odds ${odds(last.window[2])}`
    : "Nothing has been asked";
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said },
    svg("g", {}, Array.from({ length: rows }, (_, row) =>
      svg("rect", { class: "track", x: 2, y: row * ROW + 6, width: width - 4, height: 8, rx: 2 }))),
    area(story, at, 0, rows * ROW),
    svg("g", {}, heard.map((each, row) => svg("g", {}, each.pieces.map((piece) => bar(piece, each, at, row))))),
    svg("g", {}, shown.map((round, row) => dots(round, at, row))),
    secret === undefined ? null
      : svg("line", { class: "secret", x1: at(secret), x2: at(secret), y1: 0, y2: rows * ROW }),
    last ? guess(pick(story, last, upto), at, rows * ROW) : svg("g"),
  );
}

function bar([low, high, probability], belief, at, row) {
  const most = Math.max(...belief.pieces.map((each) => each[2] / (each[1] - each[0])));
  const depth = 0.2 + 0.45 * (probability / (high - low) / most) * Math.min(1, belief.pieces.length / 2);
  return svg("rect", {
    class: "piece", x: at(low) - Math.max(0, 4 - at(high) + at(low)) / 2, y: row * ROW + 6, width: Math.max(4, at(high) - at(low)), height: 8, rx: 1,
    "fill-opacity": depth.toFixed(2),
  });
}

function dots(round, at, row) {
  const radius = round.queries.length > 40 ? 1 : 2;
  return svg("g", {}, round.queries.map((each) =>
    svg("circle", { class: "question", cx: at(each.at), cy: row * ROW + 10, r: radius })));
}

// Her best guess; where several are as good, one of them, another one each round.
function pick(story, belief, turn) {
  const likely = belief.pieces.filter(
    ([low, high, chance]) => high - low <= story.delta && Math.abs(chance - belief.window[2]) < 1e-9);
  if (!likely.length) return belief.window;
  const half = story.delta / 2;
  const guesses = likely.map(([low, high]) => Math.min(Math.max((low + high) / 2, story.low + half), story.high - half));
  // An example is one where she misses: of guesses that are as good to her, one that does.
  const missing = story.misses ? guesses.filter((each) => Math.abs(each - story.number) > half) : [];
  const choice = missing.length ? missing : guesses;
  const middle = choice[(turn * 5 + Math.floor(story.number ?? 3)) % choice.length];
  return [middle - half, middle + half];
}

function guess([low, high], at, top) {
  const middle = at((low + high) / 2);
  return svg(
    "g", {},
    svg("rect", { class: "window", x: at(low), y: top + 6, width: Math.max(3, at(high) - at(low)), height: 0.01 }),
    svg("path", { class: "pin", d: "M-7 20 L7 20 L0 8 Z", transform: `translate(${middle.toFixed(2)} ${top})` }),
  );
}
