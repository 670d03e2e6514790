// The audit of a plan: every eavesdropper, what a transcript leaves, and how a leak happens.

import { newest, post } from "./api.js";
import { bars } from "./bars.js";
import { fall } from "./fall.js";
import { fromAddress, lacking, problem, toAddress } from "./problem.js";
import { count, number, odds } from "./scale.js";
import { OWNERS_LINK, owner, sit } from "./session.js";
import { patch } from "./svg.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);
const FIRST = { low: "20", high: "100", label: "price", grain: "any", unit: "1", epsilon: "0.5", delta: "8", level: "6", noise: "never", p: "0.9", confidence: "0.95", max_rounds: "" };
const NAMES = { uniform: "guesses anywhere", last: "names the last question", proportional: "picks a question she heard", truncated: "picks an early question", learned: "learned from a million runs", blind: "guesses without listening" };
const values = { ...FIRST, ...fromAddress(location.search) };
let told = null;
let drawn = null;

const audits = newest((signal, body) => post("/api/audit", body, { signal }));
const examples = newest((signal, body) => post("/api/plan/example", body, { signal }));
// Fewer rounds are a plan of ours; the other methods have the rounds that they have.
const wanted = () => {
  const method = at("method").value;
  const made = { ...problem(values), method };
  return method === "tight" ? made : { ...made, max_rounds: null };
};

async function run() {
  at("verdict").textContent = "Auditing …";
  at("back").href = `/plan?${toAddress(values)}`;
  try {
    if (lacking(values)) throw new Error(`${lacking(values)} Change the problem, and come back.`);
    const answer = await audits(wanted());
    if (!answer) return;
    if (!answer.ok) throw new Error(answer.error.message);
    told = answer.found;
    trouble("");
    draw();
    await listen();
    document.documentElement.dataset.ready = at("method").value;
  } catch (error) {
    at("verdict").textContent = "";
    trouble(words(error));
  }
}

function trouble(words) {
  at("trouble").textContent = words;
  at("trouble").hidden = !words;
}

function draw() {
  const { report, plan, frame } = told;
  const exact = report ? fraction(report.adversary_success) : plan.adversary_success;
  const leaks = exact !== null && exact > 1 / frame.level + 1e-9;
  const whose = report ? "The best possible eavesdropper" : "By theorem, the best eavesdropper";
  at("verdict").textContent = leaks ? `It leaks. ${whose} wins ${often(exact)}.` : `It holds. ${whose} wins ${often(exact)}.`;
  at("verdict").className = leaks ? "found leaks" : "found";
  at("claim").textContent = sentence(report?.claim) ?? `She must win at most 1 time in ${frame.level}.`;
  const rows = [{ name: "the best possible", rate: exact ?? 0, best: true }, ...told.bars.map((each) => ({ ...each, name: NAMES[each.name] ?? each.name }))];
  patch(at("bars"), bars(rows, frame.level, Math.max(240, at("bars").clientWidth)));
  at("how").textContent = report
    ? `The first is exact: ${report.branches.toLocaleString("en")} branches of a search, ${report.transcripts.toLocaleString("en")} transcripts. The others listened to sampled searches; a whisker shows the interval of the true rate.`
    : told.bars.length ? "The first is proved; the others listened to sampled searches." : "It is proved for every possible eavesdropper.";
  at("leak").hidden = !leaks || !report?.counterexample;
  at("story").replaceChildren(...steps(report?.counterexample ?? "").map((each) => {
    const item = document.createElement("li");
    item.textContent = each;
    return item;
  }));
}

const sentence = (claim) => claim && `${claim[0].toUpperCase()}${claim.slice(1).replaceAll("X*", "the number")}.`;
const fraction = (text) => {
  const [above, below = "1"] = text.split("/");
  return Number(above) / Number(below);
};
const often = (rate) => (rate >= 0.9995 ? "always" : `${odds(rate).replace("1 in", "1 time in")}`);

// The words of a counterexample as steps: lines that are set in belong to the one before them.
function steps(words) {
  const found = [];
  for (const line of words.split("\n").filter(Boolean)) {
    const joined = /^\s|^\(/.test(line) && found.length;
    const clean = line.trim().replace(/^Counterexample: she/, "She").replace(/^so /, "So ").replaceAll("X*", "the number");
    if (!joined) found.push(clean);
    else found.push(`${found.pop()}${found.heard ? "," : ""} ${clean.replace(/^round \d+: /, "")}`.replace(/hears /, "hears "));
    found.heard = joined && /^\s+round/.test(line);
  }
  return found;
}

async function listen() {
  at("one").hidden = told.frame.noisy;
  if (told.frame.noisy) return;
  const [low, high] = [Number(values.low), Number(values.high)];
  const hidden = low + ((high - low) * (Number(at("number").value) + 0.5)) / 1000;
  at("hidden").textContent = number(hidden, told?.frame.decimals ?? 2);
  const answer = await examples({ problem: wanted(), number: hidden.toFixed(9), seed: 2 });
  if (!answer) return;
  if (!answer.ok) {
    at("left").textContent = "It is too long to draw here.";
    return;
  }
  drawn = answer.found;
  show();
}

function show() {
  if (!drawn) return;
  patch(at("fall"), fall(drawn, drawn.rounds.length, { width: Math.max(240, at("fall").clientWidth) }));
  const last = drawn.heard?.at(-1);
  at("left").textContent = last
    ? `${count(drawn.queries, "question")} heard, one row per round. In this example she is left with ${count(last.places, "place")}; her best guess is right ${often(last.window[2])}.`
    : "It is too long to follow here.";
}

at("method").addEventListener("change", run);
at("number").addEventListener("input", listen);
addEventListener("resize", () => told && [draw(), show()]);
if (!(await sit())) {
  if (owner()) run();
  else [trouble(OWNERS_LINK), (at("verdict").textContent = "")];
}
