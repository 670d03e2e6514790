// One search, for its owner: the two lanes, the rounds, the questions, who answers, what to take.

import { ask, get, newest, post } from "./api.js";
import { code } from "./code.js";
import { asPng, asSvg } from "./export.js";
import { interval, lanes, reading, said } from "./lanes.js";
import { live } from "./live.js";
import { questions } from "./questions.js";
import { count, odds, scale } from "./scale.js";
import { scrubber } from "./scrubber.js";
import { OWNERS_LINK, owner, sit } from "./session.js";
import { patch } from "./svg.js";

const at = (id) => document.getElementById(id);
const name = at("name").dataset.name;
const api = `/api/searches/${encodeURIComponent(name)}`;
const AWAY = "The server is away. This page goes on by itself when it is back.";
let story = null;
let status = null;
let round = null; // the round looked at; null: the newest
let cursor = null;
let link = null;
let missing = false; // there is no such search: nothing to wait for

const shown = () => Math.max(0, Math.min(round ?? Infinity, story.rounds.length - 1));

// What was asked for last counts: an older answer that comes late is not shown.
const fetched = newest((signal) => Promise.all([get(api, { signal }), get(`${api}/story`, { signal })]));

async function load() {
  try {
    const found = await fetched();
    if (!found) return;
    [status, story] = found;
    trouble("");
    draw();
  } catch (error) {
    missing = error.status === 404;
    trouble(error instanceof TypeError ? AWAY : error.message);
  }
}

function trouble(words) {
  at("trouble").textContent = words;
  at("trouble").hidden = !words;
}

function draw() {
  const here = shown();
  const line = story.rounds.length > 0;
  at("line").hidden = !line;
  if (line) drawLine(here);
  at("standing").textContent = status.overdue && status.standing === "open" ? "overdue" : status.standing;
  at("standing").className = `pill ${status.overdue ? "overdue" : status.standing}`;
  const left = status.queries - status.answered;
  at("progress").textContent = status.standing === "done" ? "" : `${count(left, "question")} left, in ${count(status.rounds - status.round, "round")}.`;
  at("asked").textContent = `Round ${here + 1}: ${story.plan?.[here]?.phase ?? ""}`;
  questions(at("questions"), story, status, here, tell);
  people();
  outcome();
  document.documentElement.dataset.ready = status.standing;
}

function drawLine(here) {
  patch(at("lanes"), lanes(story, here, { width: Math.max(280, at("lanes").clientWidth), cursor }));
  at("lanes").setAttribute("aria-description", said(story, here));
  at("where").textContent = `Round ${here + 1} of ${story.plan.length}`;
  scrubber(at("scrubber"), story, here, (index) => {
    round = index === story.rounds.length - 1 ? null : index;
    draw();
  });
}

function outcome() {
  const found = story.result?.coordinates?.[0];
  at("result").hidden = !found;
  at("asking").hidden = status.standing === "done" && round === null;
  if (!found) return;
  const end = story.rounds.at(-1)?.known ?? [Number(found.low), Number(found.high)];
  const belief = story.heard?.at(-1);
  const hers = belief ? ` Whoever listened has ${count(belief.places, "place")} left, and odds of ${odds(belief.window[2])}.` : "";
  at("result").textContent = `The ${story.label ?? "number"} is ${story.step && !story.noisy ? interval(story, end) : `${story.noisy ? "probably " : ""}between ${interval(story, end).replace(" – ", " and ")}`}.${hers}`;
}

async function tell(id, yes) {
  const held = story.rounds.at(-1).queries.find((each) => each.id === id);
  held.yes = yes;
  draw();
  try {
    await post(`${api}/answers`, { id, yes });
  } catch (error) {
    held.yes = null;
    trouble(error.message);
  }
  load();
}

function people() {
  const polled = status.terms.quorum !== null && status.standing !== "done";
  at("people").hidden = !polled;
  at("sheets").hidden = status.terms.quorum !== null || status.standing !== "open";
  document.querySelector(".two").classList.toggle("alone", !polled);
  at("turnout").hidden = !story.turnout.length;
  const width = status.questions.length;
  at("turnout").tBodies[0].replaceChildren(...story.turnout.map((each, place) => {
    const row = document.createElement("tr");
    row.append(cell(each.label || `respondent ${place + 1}`), cell(`${each.answered} of ${width}`, "number"));
    return row;
  }));
}

function cell(text, kind = "") {
  const made = document.createElement("td");
  made.textContent = text;
  made.className = kind;
  return made;
}

async function invite() {
  const made = await post(`${api}/links`, { quota: 1000 });
  link = `${location.origin}/answer#token=${made.token}`;
  const words = document.createElement("code");
  words.id = "link";
  words.textContent = link;
  at("code").replaceChildren(code(link), words);
  at("invite").textContent = "Make another";
  at("copy").hidden = false;
}

async function bring(event) {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const told = await ask("POST", `${api}/sheet`, { body: await file.text(), type: "text/csv" });
    say(`${count(told.answers, "answer")} taken.`);
    load();
  } catch (error) {
    say(error.message);
  }
  event.target.value = "";
}

function say(words) {
  at("taken").textContent = words;
  at("taken").hidden = false;
}

function point(value) {
  cursor = Math.min(story.high, Math.max(story.low, value));
  at("reading").textContent = reading(story, shown(), cursor);
  drawLine(shown());
}

at("lanes").addEventListener("pointermove", (event) => {
  const box = at("lanes").getBoundingClientRect();
  point(scale(story.low, story.high, box.width, 4).back(event.clientX - box.left));
});
at("lanes").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  point((cursor ?? story.low) + (by * (story.high - story.low)) / 100);
});
at("invite").addEventListener("click", () => invite().catch((error) => trouble(error.message)));
at("copy").addEventListener("click", async () => {
  await navigator.clipboard?.writeText(link).catch(() => {});
  at("copy").textContent = "Copied";
});
at("up").addEventListener("change", bring);
at("down").href = `${api}/round.csv`;
at("csv").href = `${api}/transcript.csv`;
at("json").href = `${api}/transcript`;
at("json").download = "transcript.json";
at("picture-svg").addEventListener("click", () => asSvg(at("lanes").firstElementChild, "search"));
at("picture-png").addEventListener("click", () => asPng(at("lanes").firstElementChild, "search"));
addEventListener("resize", () => story && draw());
if (!(await sit())) {
  if (owner()) {
    await load();
    if (!missing) live(`${api}/watch`, load, (gone) => gone && trouble(AWAY));
  } else trouble(OWNERS_LINK);
}
