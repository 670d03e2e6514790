// One search, for its owner: the two lanes, the rounds, the questions, who answers, what to take.

import { ask, get, newest, post } from "./api.js";
import { code } from "./code.js";
import { asPng, asSvg } from "./export.js";
import { best, interval, lanes, named, reading, said, why } from "./lanes.js";
import { live } from "./live.js";
import { questions } from "./questions.js";
import { count, due, odds, scale } from "./scale.js";
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
let line = 0; // the number that the cursor is on
let odd = null; // the answer that was held back, since it contradicts another
let link = null;
let missing = false; // there is no such search: nothing to wait for

const all = () => [story, ...story.others];
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
    return true;
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
  at("line").hidden = !story.rounds.length;
  if (story.rounds.length) drawLine(here);
  at("standing").textContent = status.overdue && status.standing === "open" ? "overdue" : status.standing;
  at("standing").className = `pill ${status.overdue ? "overdue" : status.standing}`;
  at("progress").textContent = status.standing === "done" ? "" : progress();
  at("pause").hidden = !["open", "paused", "archived"].includes(status.standing) || !left();
  at("pause").textContent = { open: "Pause", paused: "Resume", archived: "Take out again" }[status.standing] ?? "";
  at("asked").textContent = `Round ${here + 1}: ${story.plan[here]?.phase ?? ""}`;
  questions(at("questions"), all(), status, here, tell);
  people();
  outcome();
  document.documentElement.dataset.ready = status.standing;
}

const left = () => status.queries - status.answered;

function progress() {
  const late = status.overdue && status.standing === "paused" ? " The round has had its time; to resume gives it as long again." : "";
  const when = story.deadline && status.standing === "open" ? ` This round ${status.overdue ? "was" : "is"} ${due(story.deadline)}.` : "";
  return `${count(left(), "question")} left, in ${count(status.rounds - status.round, "round")}.${when}${late}`;
}

function drawLine(here) {
  patch(at("lanes"), lanes(all(), here, { width: Math.max(280, at("lanes").clientWidth), cursor, line }));
  at("lanes").setAttribute("aria-description", said(all(), here));
  at("why").textContent = why(all(), here);
  at("where").textContent = `Round ${here + 1} of ${story.plan.length}`;
  scrubber(at("scrubber"), story, here, (index) => {
    round = index === story.rounds.length - 1 ? null : index;
    draw();
  });
}

function outcome() {
  const found = story.result?.coordinates;
  at("result").hidden = !found;
  at("asking").hidden = status.standing === "done" && round === null;
  at("warned").hidden = !story.warnings.length;
  at("warned").textContent = story.warnings.map((each) => (status.terms.quorum === null ? each : each.replace("you said", "most said"))).join(" ");
  if (!found) return;
  const hers = best(all(), story.rounds.length - 1);
  const listened = hers ? ` Whoever listened has ${count(hers.places, "place")} left, and odds of ${odds(hers.odds)}.` : "";
  at("result").textContent = all().map(sentence).join(" ") + listened;
}

function sentence(each, place) {
  const words = interval(each, each.rounds.at(-1).known);
  const where = each.step && !each.noisy ? words : `${each.noisy ? "probably " : ""}between ${words.replace(" – ", " and ")}`;
  return `The ${named(each, place)} is ${where}.`;
}

// Whether an answer cannot be right, given the others: then it is asked for twice.
function contradicts(id, yes) {
  const each = all().find((every) => every.rounds.at(-1).queries.some((query) => query.id === id));
  const query = each.rounds.at(-1).queries.find((one) => one.id === id);
  if (each.noisy || query.yes !== null) return false;
  const [low, high] = each.rounds.at(-1).known;
  return yes === (each.yes_means === "at least") ? query.at >= high : query.at <= low;
}

async function tell(id, yes) {
  if (contradicts(id, yes) && odd !== `${id} ${yes}`) {
    odd = `${id} ${yes}`;
    trouble("That cannot be right, given your other answers. The same again keeps it.");
    return;
  }
  odd = null;
  const held = all().flatMap((each) => each.rounds.at(-1).queries).find((each) => each.id === id);
  const before = held.yes;
  held.yes = yes;
  draw();
  let refused = "";
  try {
    await post(`${api}/answers`, { id, yes });
  } catch (error) {
    held.yes = before;
    refused = error instanceof TypeError ? AWAY : error.message;
  }
  if ((await load()) && refused) trouble(refused);
}

async function pause() {
  await post(`${api}/${status.standing === "open" ? "pause" : "resume"}`);
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
    row.append(cell(each.label || `respondent ${each.number || place + 1}`), cell(`${each.answered} of ${width}`, "number"));
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
  const quota = Number(at("quota").value.trim());
  if (!(Number.isInteger(quota) && quota > 0)) return trouble("How many may join by a link must be a whole number, 1 or more.");
  letIn((await post(`${api}/links`, { quota })).token, "Whoever opens this link may answer, once in each browser. It is shown this once.");
  at("invite").textContent = "Make another";
}

async function inviteOne(event) {
  event.preventDefault();
  const label = at("person").value.trim();
  letIn((await post(`${api}/respondents`, { label })).token, `This link is for ${label} alone. It is shown this once.`);
  at("person").value = "";
  load();
}

function letIn(token, about) {
  link = `${location.origin}/answer#token=${token}`;
  const words = document.createElement("code");
  words.id = "link";
  words.textContent = link;
  at("code").replaceChildren(code(link), words);
  at("linked").textContent = about;
  at("copy").textContent = "Copy it";
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
  point(scale(all()[on].low, all()[on].high, box.width, 4).back(event.clientX - box.left), on);
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
const complain = (error) => trouble(error instanceof TypeError ? AWAY : error.message);
at("invite").addEventListener("click", () => invite().catch(complain));
at("named").addEventListener("submit", (event) => inviteOne(event).catch(complain));
at("pause").addEventListener("click", () => pause().catch(complain));
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
