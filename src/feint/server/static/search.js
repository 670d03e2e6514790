// One search, for its owner: the two lanes, the rounds, the questions, who answers, what to take.

import { answering } from "./answering.js";
import { ask, get, newest, post } from "./api.js";
import { evenSheet } from "./even.js";
import { asPng, asSvg } from "./export.js";
import { best, interval, lanes, named, reading, roundOf, said as spoken, why } from "./lanes.js";
import { live } from "./live.js";
import { people } from "./people.js";
import { questions } from "./questions.js";
import { count, due, number, odds, scale } from "./scale.js";
import { scrubber } from "./scrubber.js";
import { OWNERS_LINK, owner, sit } from "./session.js";
import { patch } from "./svg.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);
const name = at("name").dataset.name;
const api = `/api/searches/${encodeURIComponent(name)}`;
const AWAY = "The server does not respond. This page continues by itself when it is back.";
const GONE = "There is no such search. It may have been deleted.";
let story = null;
let status = null;
let round = null; // the round looked at; null: the newest
let cursor = null;
let line = 0; // the number that the cursor is on
let following = null; // what happens to the search

const all = () => [story, ...story.others];
const shown = () => Math.max(0, Math.min(round ?? Infinity, story.rounds.length - 1));

// What was asked for last counts: an older answer that comes late is not shown.
const fetched = newest((signal) => Promise.all([get(api, { signal }), get(`${api}/story`, { signal })]));

async function load() {
  try {
    const found = await fetched();
    if (!found) return;
    [status, story] = found;
    say({ failed: "" });
    draw();
    settle();
  } catch (error) {
    if (error.status === 404) return gone();
    say({ failed: words(error, AWAY) });
    following?.again();
    at("back").hidden = story !== null || !owner();
  }
}

// A page of a search that was deleted has nothing to show, and nothing to wait for.
function gone() {
  following?.stop();
  story = null;
  at("back").hidden = false;
  at("whole").hidden = at("pause").hidden = true;
  at("standing").textContent = at("standing").className = "";
  say({ failed: GONE, notice: "" });
  document.documentElement.dataset.ready = "gone";
}

// What is wrong with the server goes when it is back; what the owner must know stays until they act.
const said = { failed: "", notice: "" };

function say(news) {
  Object.assign(said, news);
  at("trouble").textContent = [said.failed, said.notice].filter(Boolean).join(" ");
  at("trouble").hidden = !at("trouble").textContent;
}

const notice = (words) => say({ notice: words });
const complain = (error) => notice(words(error, "The server does not respond. Try again when it is back."));
const { tell, settle } = answering(api, { lines: all, load, draw, notice });
const drawPeople = people(api, { load, notice, complain });

function draw() {
  const here = shown();
  const asked = at("asking").contains(document.activeElement);
  at("whole").hidden = false;
  at("back").hidden = true;
  at("line").hidden = !story.rounds.length;
  if (story.rounds.length) drawLine(here);
  at("standing").textContent = status.overdue && status.standing === "open" ? "overdue" : status.standing;
  at("standing").className = `pill ${status.overdue ? "overdue" : status.standing}`;
  at("deal").textContent = story.result?.deal ?? story.deal;
  at("meaning").textContent = `Yes means: ${all().length > 1 ? "the number asked about" : `the ${named(story, 0)}`} is ${story.yes_means} the value in the question.`;
  at("progress").textContent = status.standing === "done" ? "" : progress();
  at("pause").hidden = !["open", "paused", "archived"].includes(status.standing) || !left();
  at("pause").textContent = { open: "Pause", paused: "Resume", archived: "Reopen" }[status.standing] ?? "";
  at("asked").textContent = `Round ${here + 1}: ${story.plan[here]?.phase ?? ""}`;
  questions(at("questions"), all(), status, here, tell);
  beside();
  outcome();
  if (asked) follow();
  document.documentElement.dataset.ready = status.standing;
}

// Whoever answers with the keyboard goes on where the next round is, or the result.
function follow() {
  const held = document.activeElement;
  if (held !== document.body && held.checkVisibility()) return;
  at(at("asking").hidden ? "result" : "asked").focus();
}

const left = () => status.queries - status.answered;
const most = () => (status.asks_all ? "" : "at most ");

function progress() {
  const late = status.overdue && status.standing === "paused" ? " The deadline of this round has passed. If you resume, it gets the same time again." : "";
  const when = story.deadline && status.standing === "open" ? ` This round ${status.overdue ? "was" : "is"} ${due(story.deadline)}.` : "";
  const words = `${most()}${count(left(), "question")} left, in ${most()}${count(status.rounds - status.round, "round")}`;
  const sure = all().map((each, place) => each.sureness && `${all().length > 1 ? `${named(each, place)}: ` : ""}${each.sureness}`).filter(Boolean);
  return `${sure.length ? sure.join(" ") : `${words[0].toUpperCase()}${words.slice(1)}.`}${when}${late}`;
}

function drawLine(here) {
  patch(at("lanes"), lanes(all(), here, { width: Math.max(280, at("lanes").clientWidth), cursor, line }));
  at("lanes").setAttribute("aria-description", spoken(all(), here));
  at("why").textContent = why(all(), here);
  at("where").textContent = roundOf(story, here);
  scrubber(at("scrubber"), story, here, (index) => {
    round = index === story.rounds.length - 1 ? null : index;
    draw();
  });
}

function outcome() {
  const found = story.result?.coordinates;
  at("result").hidden = !found;
  at("warned").hidden = !story.warnings.length;
  at("warned").textContent = story.warnings.map((each) => (status.terms.quorum === null ? each : each.replace("you said", "most said"))).join(" ");
  if (!found) return;
  const hers = best(all(), story.rounds.length - 1);
  const listened = hers ? ` A listener has ${count(hers.places, "place")} left, and her odds are ${odds(hers.odds)}.` : "";
  at("result").textContent = all().map(sentence).join(" ") + listened;
}

// What it is, first as one number, then from where to where.
function sentence(each, place) {
  const words = interval(each, each.rounds.at(-1).known);
  const sure = each.noisy ? "probably " : "";
  const about = measured(number(story.result.coordinates[place].x, each.decimals + 1), each);
  if (each.step) return `The ${named(each, place)} is ${sure}${about}${each.noisy && words !== about ? ` (${words})` : ""}.`;
  return `The ${named(each, place)} is ${sure}about ${about}, between ${words.replace(" – ", " and ")}.`;
}

const measured = (shown, { unit }) => (unit ? (/[€$£¥₹₩₽₺₪₫฿₦₴₱¢]$/.test(unit) ? `${unit}${shown}` : `${shown} ${unit}`) : shown);

async function pause() {
  notice("");
  await post(`${api}/${status.standing === "open" ? "pause" : "resume"}`);
  load();
}

// What is there to do beside the picture: the questions, the sheet, the people.
function beside() {
  const [polled, done] = [status.terms.quorum !== null, status.standing === "done"];
  at("people").hidden = !polled || done;
  at("asking").hidden = done && round === null;
  at("sheets").hidden = polled || status.standing !== "open";
  document.querySelector(".two").classList.toggle("alone", at("people").hidden);
  document.querySelector(".two").hidden = at("people").hidden && at("asking").hidden;
  drawPeople(story, status);
  const open = polled || status.standing !== "open" || round !== null ? 0 : all().flatMap((each) => each.rounds.at(-1).queries).filter((each) => each.yes === null).length;
  at("final").hidden = !open;
  const next = status.round + 1 === status.rounds ? "shows the result" : status.asks_all ? "shows the next" : "shows the next, or the result";
  at("final").textContent = open === 1 ? `The last answer ends this round and ${next}. After that, you cannot change the answers of this round.` : `You can change an answer until you give the last one of this round. The last answer ${next}.`;
}

async function bring(event) {
  const [file] = event.target.files;
  if (!file) return;
  try {
    const told = await ask("POST", `${api}/sheet`, { body: evenSheet(await file.text()), type: "text/csv" });
    taken(`${count(told.answers, "answer")} taken.`);
  } catch (error) {
    taken(words(error));
  }
  load(); // also after an error: what is fetched next must not tell whether the answers fit together
  event.target.value = "";
}

function taken(said) {
  at("taken").textContent = said;
  at("taken").hidden = false;
}

function point(value, on = line) {
  line = on;
  const each = all()[line];
  cursor = Math.min(each.high, Math.max(each.low, value));
  const of = story.others.length ? `${named(each, line)} ` : "";
  at("reading").textContent = of + reading(each, shown(), cursor);
  drawLine(shown());
}

at("lanes").addEventListener("pointermove", (event) => {
  const box = at("lanes").getBoundingClientRect();
  const on = Math.min(story.others.length, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * all().length)));
  point(scale(all()[on].low, all()[on].high, box.width, 0).back(event.clientX - box.left), on);
});
at("lanes").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const to = { ArrowUp: line - 1, ArrowDown: line + 1 }[event.key];
  if (all()[to]) [line, cursor] = [to, null];
  else if (!by) return;
  event.preventDefault();
  const { low, high } = all()[line];
  point(cursor === null ? low : cursor + (by * (high - low)) / 100);
});
at("pause").addEventListener("click", () => pause().catch(complain));
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
    if (document.documentElement.dataset.ready !== "gone") following = live(`${api}/watch`, load, load);
  } else [say({ failed: OWNERS_LINK }), (at("back").hidden = false)];
}
