// All searches: where each stands, one thing to do with it, and a warning before one is deleted.

import { ask, get } from "./api.js";
import { count, due } from "./scale.js";
import { OWNERS_LINK, owner, sit } from "./session.js";
import { words } from "./words.js";

const at = (id) => document.getElementById(id);

async function load() {
  try {
    const { searches } = await get("/api/overview");
    at("none").hidden = searches.length > 0;
    at("list").replaceChildren(...searches.sort(order).map(row));
    at("trouble").hidden = true;
    document.documentElement.dataset.ready = String(searches.length);
  } catch (error) {
    trouble(words(error));
  }
}

function trouble(words) {
  at("trouble").textContent = words;
  at("trouble").hidden = false;
}

const RANK = ["open", "paused", "done", "archived", "no poll"];
const order = (a, b) => RANK.indexOf(a.standing) - RANK.indexOf(b.standing) || a.name.localeCompare(b.name);

const NO_POLL = "A program answers this search, or it was interrupted when it began.";

function row(search) {
  const made = document.createElement("li");
  const title = element("h2");
  if (search.standing === "no poll") {
    title.append(search.name, element("span", "no poll", "pill"));
    made.append(title, actions(search), element("p", NO_POLL, "facts"));
    return made;
  }
  const link = element("a", search.name);
  link.href = `/searches/${encodeURIComponent(search.name)}`;
  const state = search.overdue && search.standing === "open" ? "overdue" : search.standing;
  title.append(link, element("span", state, `pill ${state}`));
  const bar = document.createElement("progress");
  [bar.max, bar.value] = [search.queries, search.answered];
  bar.setAttribute("aria-label", `${search.answered} of ${most(search)}${search.queries} questions answered`);
  made.append(title, actions(search), element("p", facts(search), "facts"), bar);
  return made;
}

const most = (search) => (search.asks_all ? "" : "at most ");

function facts(search) {
  const left = search.queries - search.answered;
  const parts = [left ? `${most(search)}${count(left, "question")} left` : count(search.queries, "question")];
  if (left) parts.push(`round ${search.round + 1} of ${most(search)}${search.rounds}`);
  if (search.respondents) parts.push(count(search.respondents, "respondent"));
  if (search.deadline && left) parts.push(due(search.deadline));
  return parts.join(" · ");
}

function actions(search) {
  const made = element("div", "", "buttons");
  const api = `/api/searches/${encodeURIComponent(search.name)}`;
  if (search.standing === "no poll") {
    made.append(button("Delete", "quiet", () => sure(search, api)));
    return made;
  }
  const main = element("a", { open: "Go on", paused: "Look", done: "See the result", archived: "Look" }[search.standing], search.standing === "open" ? "button" : "button quiet");
  main.href = `/searches/${encodeURIComponent(search.name)}`;
  made.append(main);
  if (search.standing === "archived") made.append(button("Reopen", "quiet", () => ask("POST", `${api}/resume`)));
  else made.append(button("Archive", "quiet", () => ask("POST", `${api}/archive`)));
  made.append(button("Delete", "quiet", () => sure(search, api)));
  return made;
}

function button(text, kind, work) {
  const made = element("button", text, kind);
  made.type = "button";
  made.addEventListener("click", async () => {
    try {
      await work();
      load();
    } catch (error) {
      trouble(words(error));
    }
  });
  return made;
}

// Whoever deletes a search is told what goes with it.
function sure(search, api) {
  const left = search.queries - search.answered;
  at("sure-words").textContent = `“${search.name}” goes with its key, its answers and its links${left ? `, with ${most(search)}${count(left, "question")} still open` : ""}. It cannot be brought back. To search for the same number later tells whoever hears both more: archive it instead, and keep the key.`;
  at("sure").showModal();
  at("sure-no").focus();
  return new Promise((done, failed) => {
    at("sure").onclose = () => done();
    at("sure-no").onclick = () => at("sure").close();
    at("sure-yes").onclick = async () => {
      await ask("DELETE", api).catch(failed);
      at("sure").close();
    };
  });
}

function element(kind, text = "", name = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  made.className = name;
  return made;
}

if (!(await sit())) {
  // Whoever comes back to the list sees where things stand now.
  if (owner()) [load(), document.addEventListener("visibilitychange", () => document.hidden || load())];
  else trouble(OWNERS_LINK);
}
