// Who answers: open links and invitations, who has answered how many, and how to take it back.

import { ask, post } from "./api.js";
import { code } from "./code.js";
import { copy } from "./copy.js";

const at = (id) => document.getElementById(id);

export function people(api, { load, notice, complain }) {
  let link = null;
  let shown = null; // whose link is shown

  function letIn(told, about) {
    [link, shown] = [`${location.origin}/answer#token=${told.token}`, told.id];
    at("link").textContent = link;
    at("qr").replaceChildren(code(link));
    at("code").hidden = false;
    at("linked").textContent = [about, reach(location.hostname)].filter(Boolean).join(" ");
    at("copy").textContent = "Copy it";
    at("code").scrollIntoView({ block: "nearest" });
    return load();
  }

  async function open(event) {
    event.preventDefault();
    const quota = Number(at("quota").value.trim());
    if (!(Number.isInteger(quota) && quota > 0)) return notice("The number of people for a link must be a whole number, 1 or more.");
    await letIn(await post(`${api}/links`, { quota }), "Everybody who opens this link may answer, once per browser. The link is shown only this once.");
    at("invite").textContent = "Make another";
  }

  async function invite(event) {
    event.preventDefault();
    const label = at("person").value.trim();
    await letIn(await post(`${api}/respondents`, { label }), `This link is for ${label} alone. It is shown only this once.`);
    at("person").value = "";
  }

  async function renew(each, who) {
    await letIn(await post(`${api}/respondents/${each.id}/token`), `This link is for ${who} alone, and the old link no longer works. It is shown only this once.`);
  }

  async function revoke(id) {
    await ask("DELETE", `${api}/respondents/${id}`);
    if (id === shown) at("code").hidden = true;
    await load();
    at("let-in").focus(); // the button is gone
  }

  function draw(story, status) {
    const width = status.questions.length;
    at("turnout").hidden = !story.turnout.length;
    rows(at("turnout").tBodies[0], story.turnout, width, (each) => {
      const who = each.label || `respondent ${each.number || story.turnout.indexOf(each) + 1}`;
      const acts = cell("", "acts");
      acts.append(button("New link", `New link for ${who}`, () => renew(each, who)), sure("Remove", `Remove ${who}`, () => revoke(each.id)));
      return [cell(who), cell(`${each.answered} of ${width}`, "number"), acts];
    });
    const links = Object.entries(story.links).map(([id, left]) => ({ id, left }));
    at("links").hidden = !links.length;
    rows(at("links").tBodies[0], links, shown, ({ id, left }) => {
      const acts = cell("", "acts");
      acts.append(sure("Close", "Close this open link", () => revoke(id)));
      return [cell(id === shown ? "An open link, shown above" : "An open link"), cell(`${left.toLocaleString("en")} may join`, "number"), acts];
    });
  }

  // What a button does is said to have failed where everything else is.
  function button(text, name, work) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "plain";
    made.textContent = text;
    made.setAttribute("aria-label", name);
    made.addEventListener("click", () => [notice(""), work(made)?.catch?.(complain)]);
    return made;
  }

  // What cannot be taken back is asked for twice.
  function sure(text, name, work) {
    return button(text, name, (made) => {
      if (made.dataset.sure) return work();
      made.dataset.sure = "yes";
      made.textContent = "Sure?";
      made.setAttribute("aria-label", `${name}: sure?`);
    });
  }

  const taking = (work) => (event) => [notice(""), work(event).catch(complain)];
  at("open").addEventListener("submit", taking(open));
  at("named").addEventListener("submit", taking(invite));
  at("copy").addEventListener("click", () => copy(link, at("copy"), at("link")));
  return draw;
}

// Who can open a link at all: an address of this computer leads nowhere from a phone.
export function reach(host) {
  const bare = host.replace(/^\[|\]$/g, "");
  if (/^(localhost|127\..*|::1|.*\.localhost)$/.test(bare)) return "This address works only on this computer. Start feint serve with --host and a name that others can reach.";
  if (/^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|f[cd][0-9a-f]{2}:|fe80:)|\.local$/.test(bare)) return "This address works only in your own network.";
  return "";
}

// A row that says the same stays, with the focus and the question whether one is sure.
function rows(body, each, beside, cells) {
  const held = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  const made = each.map((one) => {
    const key = JSON.stringify([one, beside]);
    if (held.has(key)) return held.get(key);
    const row = document.createElement("tr");
    row.dataset.key = key;
    row.append(...cells(one));
    return row;
  });
  if (made.length !== body.rows.length || made.some((row, place) => row !== body.rows[place])) body.replaceChildren(...made);
}

function cell(text, kind = "") {
  const made = document.createElement("td");
  made.textContent = text;
  made.className = kind;
  return made;
}
