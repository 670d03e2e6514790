// Watch an attack: a number is hidden with a slider, and four searches for it are overheard.

import { newest, post } from "./api.js";
import { fall } from "./fall.js";
import { count, number, odds } from "./scale.js";
import { sit } from "./session.js";
import { patch } from "./svg.js";

const slider = document.getElementById("number");
const hidden = document.getElementById("hidden");
const columns = [...document.querySelectorAll("#columns article")];
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const PACE = 650;
let stories = null;
let step = 0;
let timer = null;

const price = () => number(20.25 + Number(slider.value) / 2, 2);

function draw() {
  const rows = Math.max(...Object.values(stories).map((each) => each.rounds.length));
  for (const column of columns) {
    const story = stories[column.dataset.method];
    const upto = Math.min(step, story.rounds.length);
    const place = column.querySelector(".picture");
    patch(place, fall(story, upto, { width: Math.max(120, place.clientWidth), rows }));
    tell(column, story, upto);
  }
}

function tell(column, story, upto) {
  const asked = story.rounds.slice(0, upto).reduce((sum, each) => sum + each.queries.length, 0);
  const counted = column.querySelector(".count");
  counted.replaceChildren(strong(asked.toLocaleString("en")), asked === 1 ? " question" : " questions");
  const verdict = column.querySelector(".verdict");
  const over = upto === story.rounds.length;
  const chance = over ? story.heard.at(-1).window[2] : 0;
  const words = chance > 0.5 ? "She knows." : `She does not. Her odds: ${odds(chance)}.`;
  verdict.textContent = over ? words : "";
  verdict.className = `verdict ${chance > 0.5 ? "caught" : "safe"}`;
}

function strong(text) {
  const made = document.createElement("strong");
  made.textContent = text;
  return made;
}

function play() {
  clearInterval(timer);
  const last = Math.max(...Object.values(stories).map((each) => each.rounds.length));
  step = calm.matches ? last : 0;
  draw();
  if (calm.matches) return;
  timer = setInterval(() => {
    step += 1;
    draw();
    if (step >= last) clearInterval(timer);
  }, PACE);
}

const fetched = newest((signal, cell) => post("/api/attack", { cell }, { signal }));

async function hide() {
  hidden.textContent = price();
  slider.setAttribute("aria-valuetext", price());
  try {
    const found = await fetched(Number(slider.value));
    if (!found) return;
    stories = found.stories;
    play();
  } catch (error) {
    document.querySelector(".verdict").textContent = error.message;
  }
}

slider.addEventListener("input", hide);
document.getElementById("play").addEventListener("click", () => stories && play());
addEventListener("resize", () => stories && draw());
if (!(await sit())) hide();
document.documentElement.dataset.ready = count(columns.length, "column");
