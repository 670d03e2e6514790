// The one picture: two lanes on one number line, what you know and what she sees.

import { area } from "./prior.js";
import { svg } from "./svg.js";
import { count, number, odds, plain, scale, ticks } from "./scale.js";

export const HEIGHT = 184;
const [OWN, HERS, MARKS, AXIS] = [32, 96, 140, 172];
const THICK = 24;

// Of several numbers each has its two lanes, one pair below the other.
export function lanes(lines, round, { width, cursor = null, line = 0 }) {
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT * lines.length}`, role: "img", "aria-label": said(lines, round) },
    lines.map((story, place) => svg(
      "g", { transform: `translate(0 ${HEIGHT * place})` },
      pair(story, round, { width, cursor: place === line ? cursor : null, of: lines.length > 1 ? ` of the ${named(story, place)}` : "" }),
    )),
  );
}

function pair(story, round, { width, cursor, of }) {
  const at = scale(story.low, story.high, width, 0);
  const here = story.rounds[round];
  const belief = story.heard?.[round];
  const known = here?.known ?? [story.low, story.high];
  return [
    area(story, at, HERS + THICK + 4, AXIS - 20),
    lane(OWN, `What you know${of}`, interval(story, known), width),
    svg("rect", { class: "known", x: at(known[0]), y: OWN, width: Math.max(4, at(known[1]) - at(known[0])), height: THICK, rx: 3 }),
    lane(HERS, "What she sees", seen(story, belief), width),
    svg("g", {}, belief ? belief.pieces.map((each) => piece(each, belief, at)) : []),
    belief ? bracket(belief.window, at) : svg("g"),
    svg("g", {}, (here?.queries ?? []).map((each) => mark(each, at))),
    axis(story, at, width),
    cursor === null ? svg("g")
      : svg("line", { class: "cursor", x1: at(cursor), x2: at(cursor), y1: OWN - 4, y2: AXIS - 12 }),
  ];
}

export const named = (story, place) => story.label ?? (place ? `number ${place + 1}` : "number");

// A noisy search that stops when it is sure hardly ever comes near the most rounds it may take.
export const isOpenEnded = (story) => story.noisy && !story.asks_all;

// "Round 3 of at most 6": a search may need fewer than its plan has.
export const roundOf = (story, round) =>
  `Round ${round + 1}${isOpenEnded(story) ? "" : ` of ${story.asks_all ? "" : "at most "}${story.plan.length}`}`;

export const said = (lines, round) =>
  `${roundOf(lines[0], round)}. ${lines.map((story) => `You know: ${interval(story, story.rounds[round]?.known ?? [story.low, story.high])}. She sees: ${seen(story, story.heard?.[round])}.`).join(" ")}`;

// Her odds for all numbers at once: searches apart from each other, so they multiply.
export function best(lines, round) {
  const held = lines.map((story) => story.heard?.[round]);
  if (!held.every(Boolean)) return null;
  return { odds: held.reduce((all, each) => all * each.window[2], 1), places: held.reduce((all, each) => all * each.places, 1) };
}

// What the lower lane is, or why there is none.
export function why(lines, round) {
  const [story] = lines;
  const promise = story.adversary_success === null ? "" : ` The promise holds all the same: she is right ${odds(story.adversary_success)} at most.`;
  if (story.noisy) return `Where answers may be wrong, no place is ever ruled out for a listener: the lower lane shows the questions, and the upper one closes in at the end.${promise.replace(/\.$/, ", if all answers are right equally often.")}`;
  const hers = best(lines, round);
  if (!hers) return `This search has too many branches to compute what she can tell: the lower lane shows the questions.${promise}`;
  const all = lines.length > 1 ? ` She wins if she is close to every number: ${odds(hers.odds)} at best.` : "";
  return `The lower lane is computed from the questions alone. Every listener could draw it, and nobody could draw a better one.${all}`;
}

export function interval(story, [low, high]) {
  if (story.step) {
    const last = high - story.step;
    return last <= low ? number(low, story.decimals) : `${number(low, story.decimals)} – ${number(last, story.decimals)}`;
  }
  return `${number(low, story.decimals)} – ${number(high, story.decimals)}`;
}

function seen(story, belief) {
  if (!belief) return "the questions";
  const one = belief.window[2] >= 0.9995;
  return `${count(belief.places, "place")}, ${one ? "and she is certain" : `${odds(belief.window[2])} at best`}`;
}

function lane(top, name, value, width) {
  return svg(
    "g", {},
    svg("text", { x: 0, y: top - 10 }, name),
    svg("text", { class: "strong", x: width, y: top - 10, "text-anchor": "end" }, value),
    svg("rect", { class: "track", x: 0, y: top, width, height: THICK, rx: 6 }),
  );
}

function piece([low, high, probability], belief, at) {
  const densest = Math.max(...belief.pieces.map((each) => each[2] / (each[1] - each[0])));
  const depth = belief.pieces.length === 1 ? 0.35 : 0.3 + 0.6 * (probability / (high - low) / densest);
  const wide = Math.max(4, at(high) - at(low));
  return svg("rect", {
    class: "piece", x: (at(low) + at(high) - wide) / 2, y: HERS, width: wide, height: THICK, rx: 2, "fill-opacity": depth.toFixed(2),
  });
}

function bracket([low, high], at) {
  const [left, right, top] = [at(low), at(high), HERS + THICK + 4];
  return svg("path", { class: "window", d: `M${left} ${top} v4 H${right} v-4` });
}

const mark = (query, at) =>
  svg("circle", { class: "question", cx: at(query.at), cy: MARKS, r: 2.5 });

function axis(story, at, width) {
  const { step, values } = ticks(story.low, story.high, Math.floor(width / 64));
  return svg(
    "g", {},
    svg("line", { class: "axis", x1: 0, x2: width, y1: AXIS - 20, y2: AXIS - 20 }),
    values.map((value) => {
      const text = plain(value, step);
      return svg("text", { x: within(at(value), text, width), y: AXIS, "text-anchor": "middle" }, text);
    }),
  );
}

// A number stands below its place; a long one at an end reaches no further than the margin.
function within(middle, text, width) {
  const half = 4 * text.length;
  return Math.min(Math.max(middle, half - 12), width + 12 - half);
}

// What is at a place of the number line, in both lanes, for whoever points or focuses there.
export function reading(story, round, value) {
  const belief = story.heard?.[round];
  const [low, high] = story.rounds[round]?.known ?? [story.low, story.high];
  const mine = value >= low && value < high ? "possible to you" : "ruled out by you";
  const found = belief?.pieces.find((each) => value >= each[0] && value < each[1]);
  const hers = !belief ? "" : found ? `; to her in ${interval(story, found)} with ${odds(found[2]).replace("certain", "certainty")}` : "; ruled out by her";
  return `${number(value, story.decimals)}: ${mine}${hers}`;
}
