// This round's questions as rows: yes and no where the owner answers, counts where others vote.

export function questions(list, lines, status, round, tell) {
  const open = lines.flatMap((story, line) => (story.rounds[round]?.queries ?? []).map((each) => ({ ...each, line })));
  const mine = status.terms.quorum === null;
  const now = round === status.round && status.standing === "open";
  const votes = new Map(status.questions.map((each) => [each.id, each]));
  const samples = Map.groupBy(open, (each) => `${each.line} ${each.shown}`);
  const held = new Map([...list.children].map((row) => [row.dataset.id, row]));
  const rows = open.map((each) => {
    const row = held.get(each.id) ?? document.createElement("li");
    row.dataset.id = each.id;
    const same = samples.get(`${each.line} ${each.shown}`);
    const note = same.length > 1 ? ` (fresh sample ${same.indexOf(each) + 1} of ${same.length})` : "";
    const said = mine && (now || each.yes !== null) ? null : state(each, votes.get(each.id), status);
    keep(row, `${each.yes} ${now} ${said}`, () => [words(each, note), said === null ? choice(each, now, tell) : standing(said)]);
    return row;
  });
  // Rows that stay are not moved: moving one would take the focus from it.
  const same = rows.length === list.children.length && rows.every((each, i) => each === list.children[i]);
  if (!same) list.replaceChildren(...rows);
}

// A row that says the same stays as it is, so that the focus stays where it was.
function keep(row, says, build) {
  if (row.dataset.says === says) return;
  row.dataset.says = says;
  const focused = row.contains(document.activeElement) ? document.activeElement.dataset.yes : undefined;
  row.replaceChildren(...build());
  if (focused !== undefined) row.querySelector(`[data-yes="${focused}"]`)?.focus();
}

function words(query, note) {
  const made = document.createElement("span");
  made.className = "text";
  const [before, value, after] = query.parts;
  const bold = document.createElement("b");
  bold.textContent = value;
  made.append(before, bold, after + note);
  return made;
}

function choice(query, now, tell) {
  const made = document.createElement("span");
  made.className = "choice";
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", query.text);
  for (const [yes, text] of [[true, "Yes"], [false, "No"]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.dataset.yes = yes;
    button.disabled = !now;
    button.setAttribute("aria-pressed", String(query.yes === yes));
    button.addEventListener("click", () => tell(query.id, yes));
    made.append(button);
  }
  return made;
}

function state(query, counted, status) {
  if (query.yes !== null) return `closed: ${query.yes ? "yes" : "no"}`;
  if (status.terms.quorum === null) return "not answered";
  const wanted = counted?.wanted || status.terms.quorum;
  return `${counted ? counted.yes + counted.no : wanted} of ${wanted} answered`;
}

function standing(said) {
  const made = document.createElement("span");
  made.className = "state";
  made.textContent = said;
  return made;
}
