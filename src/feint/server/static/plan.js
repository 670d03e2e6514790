// The planner: every change is planned at once, and what is stale is aborted.

import { newest, post } from "./api.js";
import { copy } from "./copy.js";
import { chosen, curve } from "./curve.js";
import { fall } from "./fall.js";
import { fill, fromAddress, keep, kept, lacking, problem, read, toAddress } from "./problem.js";
import { count, number, odds } from "./scale.js";
import { owner, sit } from "./session.js";
import { first, sketching } from "./sketch.js";
import { patch } from "./svg.js";
import { words } from "./words.js";

const form = document.getElementById("problem");
const at = (id) => document.getElementById(id);
let trades = [];
let drawn = null;
let turn = 0;
const PANELS = ["overheard", "trading", "comparing"];
let redraw = () => {};

const ask = (path) => newest((signal, body) => post(path, body, { signal }));
const [plans, methods, frontiers, examples] = ["", "/methods", "/frontier", "/example"].map((each) => ask(`/api/plan${each}`));

async function plan() {
  const mine = ++turn;
  const values = read(form);
  show(values);
  blame(null);
  for (const each of ["cost", ...PANELS]) stale(each, true);
  history.replaceState(null, "", `?${toAddress(values)}`);
  at("share").textContent = "Copy the link";
  at("address").hidden = true;
  at("audit").href = `/audit?${toAddress(values)}`;
  if (lacking(values)) {
    if (values.belief !== "file" || kept()) blame("max_rounds", lacking(values));
    return impossible(lacking(values), []);
  }
  const wanted = problem(values);
  busy(true);
  let told;
  try {
    told = await plans(wanted);
  } catch (error) {
    return impossible(words(error, "The server does not respond. Change a field to try again."), []);
  }
  if (!told || mine !== turn) return;
  busy(false);
  if (!told.ok) {
    blame(told.error.argument, sentence(told.error));
    return impossible(sentence(told.error), told.mends);
  }
  possible(told.found);
  await Promise.all([
    panel("comparing", mine, () => methods(wanted), compare),
    panel("trading", mine, () => frontiers({ ...wanted, max_rounds: null }), trade),
    panel("overheard", mine, () => overhear(wanted, values), example),
  ]);
  document.documentElement.dataset.ready = "planned";
}

// A panel that is about an earlier problem is dimmed, until it is about this one.
function stale(id, now) {
  at(id).classList.toggle("stale", now);
  at(id).setAttribute("aria-busy", String(now));
}

// What cannot be had for this problem is taken away: it would be about another one.
async function panel(id, mine, get, draw) {
  const told = await get().catch(() => null);
  if (mine !== turn) return;
  at(id).hidden = !told?.ok;
  if (told?.ok) draw(told.found);
  stale(id, false);
}

// What is wrong with a field is said beside it.
const FIELDS = { step: "unit", tick: "unit", within: "epsilon", prior: "belief", units: "measure", unit: "measure", labels: "label" };

function blame(argument, said) {
  for (const each of document.querySelectorAll(".error")) each.remove();
  for (const each of document.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  const field = argument && document.getElementById(FIELDS[argument] ?? argument);
  if (!field || field.closest("[hidden]")) return;
  const made = document.createElement("p");
  made.className = "error";
  made.id = `${field.id}-error`;
  made.textContent = said;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", made.id);
  (field.closest(".field, .slide") ?? field.parentElement).append(made);
}

// A search is started from a plan that is shown, not from one that is still being made.
function busy(now) {
  at("cost").setAttribute("aria-busy", String(now));
  at("begin").disabled = now;
}

function possible(found) {
  at("cost").classList.remove("impossible", "waiting");
  stale("cost", false);
  at("glance").textContent = [count(found.queries, "question"), count(found.rounds, "round"), found.adversary_success === null ? "" : `odds ${odds(found.adversary_success)}`].filter(Boolean).join(" · ");
  at("queries").textContent = found.queries.toLocaleString("en");
  at("sentence").textContent = found.deal;
  at("condition").textContent = found.condition ?? "";
  at("optimality").textContent = found.optimality;
  at("mends").replaceChildren();
  at("go").hidden = at("share").hidden = at("audit").hidden = false;
}

// How many there are on average, where that is known and less than the most.
const mean = (each) => (each.queries_mean === null || each.queries_mean === each.queries ? "" : number(each.queries_mean, 2));

function impossible(said, mends) {
  at("cost").classList.add("impossible");
  at("cost").classList.remove("waiting");
  busy(false);
  stale("cost", false);
  at("glance").textContent = said;
  at("sentence").textContent = said;
  at("optimality").textContent = at("condition").textContent = "";
  at("go").hidden = at("share").hidden = at("audit").hidden = true;
  at("mends").replaceChildren(...mends.map(mend));
  document.documentElement.dataset.ready = "impossible";
}

function away() {
  impossible("Planning is for the owner of this server.", []);
  at("away").hidden = false;
  show(read(form));
  for (const each of form.querySelectorAll("fieldset")) each.disabled = true;
}

const WORDS = { delta: "Within a width of", level: "1 in", epsilon: "To a width of", max_rounds: "Rounds:", high: "To", step: "A step of", tick: "A step of", p: "Right with", confidence: "Sure with" };
const PLAIN = { epsilon: "How exactly (epsilon)", delta: "Too close (delta)", level: "How rarely (level)", high: "To", low: "From", step: "Step", tick: "Step", p: "Right with probability (p)", max_rounds: "Rounds", confidence: "Be sure with (confidence)", prior: "What you believe" };

function sentence(error) {
  const name = PLAIN[error.argument] ?? error.argument;
  const rule = error.rule.replaceAll("·", " × ").replace(/= (\d+)\/(\d+)/, (_, above, below) => `= ${number(above / below, 3)}`);
  return `${name}${/^(must|takes|lies|may|is|has|cannot)\b/.test(rule) ? "" : ":"} ${rule}.`;
}

function mend(change, place) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = place ? "quiet" : "";
  button.textContent = `${Object.entries(change).map(([name, value]) => `${WORDS[name] ?? name} ${value}`).join(" and ")} works`;
  button.addEventListener("click", () => {
    for (const [name, value] of Object.entries(change)) {
      form.elements[name === "step" || name === "tick" ? "unit" : name].value = value;
    }
    sliders();
    plan();
  });
  return button;
}

function compare(found) {
  at("methods").tBodies[0].replaceChildren(...found.map((each, place) => {
    const row = document.createElement("tr");
    row.className = place ? "" : "mine";
    row.append(cell(each.method), asked(each), cell(each.rounds, "number"),
      cell(each.adversary_success === null ? "–" : odds(each.adversary_success), each.private ? "number" : "number leak"));
    return row;
  }));
}

// The mean stands below the most, so that the table is narrow enough for a phone.
function asked(each) {
  const made = cell(each.queries.toLocaleString("en"), "number");
  const often = document.createElement("small");
  often.textContent = mean(each) ? `mean ${mean(each)}` : "";
  made.append(often);
  return made;
}

function cell(text, kind = "") {
  const made = document.createElement("td");
  made.textContent = text;
  made.className = kind;
  return made;
}

function trade(found) {
  trades = found;
  at("trading").hidden = false; // its width is measured
  drawCurve();
}

function drawCurve() {
  if (!trades.length) return;
  const rounds = Number(form.elements.max_rounds.value) || null;
  patch(at("curve"), curve(trades, rounds, Math.max(160, at("curve").clientWidth)));
  at("drag").textContent = trades.length > 1 ? "Drag the dot, or use the arrow keys, to give it fewer rounds." : "No plan here has fewer rounds.";
}

async function overhear(wanted, values) {
  if (values.noise === "some") return null;
  const middle = (Number(values.low) + Number(values.high)) / 2 + (Number(values.high) - Number(values.low)) / 7;
  return examples({ problem: wanted, number: middle.toFixed(6), seed: 1 });
}

function example(found) {
  drawn = found;
  at("overheard").hidden = false; // its width is measured
  drawFall();
}

function drawFall() {
  if (!drawn) return;
  patch(at("picture"), fall(drawn, drawn.rounds.length, { width: Math.max(240, at("picture").clientWidth) }));
  const last = drawn.heard?.at(-1);
  const guess = drawn.misses ? "her best guess misses" : "her best guess is right";
  const left = last ? `she is left with ${count(last.places, "place")}, her odds are ${odds(last.window[2])}, and ${guess}.` : "the search has too many branches to compute what she can tell.";
  at("caption").textContent = `From ${number(drawn.low, 6)} to ${number(drawn.high, 6)}, one row per round. In this example ${left}`;
}

// Sliders of widths go by ratio: each step is as much finer as the last.
function span(name) {
  const width = Math.max(1e-9, Number(form.elements.high.value) - Number(form.elements.low.value));
  return name === "epsilon" ? [width / 20000, width / 8] : [width / 1000, width / 2];
}

function sliders() {
  for (const slider of form.querySelectorAll("[data-of]")) {
    const value = Number(form.elements[slider.dataset.of].value);
    if (slider.dataset.of === "level") slider.value = value;
    else {
      const [low, high] = span(slider.dataset.of);
      slider.value = (Math.log(value / low) / Math.log(high / low)) * 100;
    }
    slider.setAttribute("aria-valuetext", form.elements[slider.dataset.of].value);
  }
}

function slid(slider) {
  const name = slider.dataset.of;
  if (name === "level") form.elements.level.value = slider.value;
  else {
    const [low, high] = span(name);
    form.elements[name].value = round(low * (high / low) ** (slider.value / 100));
  }
  slider.setAttribute("aria-valuetext", form.elements[name].value);
}

function round(value) {
  const power = 10 ** (Math.floor(Math.log10(value)) - 1);
  return number(Math.round(value / power) * power, Math.max(0, 1 - Math.floor(Math.log10(value))));
}

// Widths are full widths: what they are on each side is said beside them.
function halves(values) {
  for (const name of ["epsilon", "delta"]) {
    const half = Number(values[name]) / 2;
    at(`${name}-half`).textContent = half > 0 && values.grain !== "step" ? `within ±${number(half, 9)}${values.measure ? ` ${values.measure}` : ""}` : "";
  }
}

// How the question will be read: only {value} is replaced.
function preview() {
  const asked = at("question").value.trim();
  const middle = number((Number(form.elements.low.value) + Number(form.elements.high.value)) / 2, 2);
  at("preview").textContent = asked ? `People read: “${asked.replace("{value}", middle)}” Yes means: ${at("yes_means").selectedOptions[0].textContent}.` : "";
}

function show(values) {
  halves(values);
  preview();
  form.querySelector('[data-for="grain"]').hidden = values.grain === "any";
  form.querySelector('[data-not="step"]').hidden = values.grain === "step";
  for (const each of form.querySelectorAll('[data-for="belief"]')) each.hidden = values.belief !== each.dataset.is;
  if (values.belief === "drawn" && !values.drawn) form.elements.drawn.value = values.drawn = first().join(" ");
  if (values.belief === "drawn" && !at("sketch").childElementCount) {
    redraw = sketching(at("sketch"), values.drawn.split(" ").map(Number), (weights) => {
      form.elements.drawn.value = weights.join(" ");
      plan();
    });
  }
  at("csv-kept").textContent = kept() ? `Used: ${kept().name}` : "";
  for (const each of form.querySelectorAll('[data-for="noise"]')) each.hidden = values.noise !== "some";
  // Under noise a plan counts single answers: each is one respondent's.
  for (const each of at("who").options) each.disabled = each.hidden = values.noise === "some" && Number(each.value) > 1;
  if (at("who").selectedOptions[0].disabled) at("who").value = "1";
  at("who-why").hidden = values.noise !== "some";
}

// A bump that lies outside the range is no start: one in its middle is, and can be hidden in it.
function around() {
  const [low, high, mean] = ["low", "high", "mean"].map((each) => Number(form.elements[each].value));
  if (!(high > low) || (mean > low && mean < high)) return;
  form.elements.mean.value = number((low + high) / 2, 6);
  form.elements.spread.value = round((high - low) * 0.3);
}

function setRounds(event) {
  const node = at("curve").firstElementChild;
  const rounds = chosen(trades, node, event, Number(form.elements.max_rounds.value) || null);
  if (rounds === null) return;
  event.preventDefault();
  form.elements.max_rounds.value = rounds;
  drawCurve();
  plan();
}

async function start(event) {
  event.preventDefault();
  const fields = event.target.elements;
  const name = fields.name.value.trim();
  const terms = fields.who.value === "me" ? {} : { quorum: Number(fields.who.value) };
  if (fields.deadline.value) Object.assign(terms, { deadline: Number(fields.deadline.value), at_deadline: fields.at_deadline.value });
  const made = problem(read(form));
  if (fields.question.value.trim()) made.questions = [fields.question.value.trim()];
  const asking = { yes_means: fields.yes_means.value, asker: fields.asker.value.trim() || null, introduction: fields.introduction.value.trim() || null };
  blame(null);
  at("refused").hidden = true;
  try {
    await post("/api/searches", { name, problem: made, terms, ...asking });
    location.href = `/searches/${encodeURIComponent(name)}`;
  } catch (error) {
    const field = error.code === "name_taken" ? "name" : /^(question|asker|introduction)\b/.exec(error.message)?.[0];
    if (field) {
      at("wording").open ||= field !== "name";
      blame(field, words(error));
      at(field).focus();
      return;
    }
    at("refused").textContent = words(error);
    at("refused").hidden = false;
  }
}

at("csv").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  keep(file.name, await file.text());
  plan();
});
form.addEventListener("input", (event) => {
  if (event.target.type === "file") return;
  if (event.target.id === "belief") around();
  if (event.target.dataset.of) slid(event.target);
  else sliders();
  plan();
});
form.addEventListener("submit", (event) => event.preventDefault());
at("start").addEventListener("submit", start);
for (const each of ["question", "yes_means"]) at(each).addEventListener("input", preview);
at("deadline").addEventListener("input", () => (at("then").hidden = !at("deadline").value));
at("share").addEventListener("click", () => {
  at("address").value = location.href;
  copy(location.href, at("share"), at("address"));
});
at("curve").addEventListener("pointerdown", (event) => {
  setRounds(event);
  const stop = new AbortController();
  addEventListener("pointermove", setRounds, { signal: stop.signal });
  addEventListener("pointerup", () => stop.abort(), { signal: stop.signal });
});
at("curve").addEventListener("keydown", setRounds);
addEventListener("resize", () => [drawCurve(), drawFall(), redraw()]);
fill(form, fromAddress(location.search));
if (!(await sit())) {
  sliders();
  if (owner()) plan();
  else away();
}
