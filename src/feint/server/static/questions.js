// This round's questions as rows: yes and no where the owner answers, counts where others vote.

export function questions(list, lines, status, round, tell) {
  const open = lines.flatMap((story, line) => (story.rounds[round]?.queries ?? []).map((each) => ({ ...each, line })));
  const mine = status.terms.quorum === null;
  const now = round === status.round && status.standing === "open";
  const votes = new Map(status.questions.map((each) => [each.id, each]));
  const samples = Map.groupBy(open, (each) => `${each.line} ${each.shown}`);
  const rows = open.map((each) => {
    const row = [...list.children].find((held) => held.dataset.id === each.id) ?? document.createElement("li");
    row.dataset.id = each.id;
    const same = samples.get(`${each.line} ${each.shown}`);
    const note = same.length > 1 ? ` (fresh sample ${same.indexOf(each) + 1} of ${same.length})` : "";
    const built = [words(each, note)];
    if (mine && (now || each.yes !== null)) built.push(choice(each, now, tell));
    else built.push(state(each, votes.get(each.id), status));
    keep(row, built);
    return row;
  });
  // Rows that stay are not moved: moving one would take the focus from it.
  const same = rows.length === list.children.length && rows.every((each, i) => each === list.children[i]);
  if (!same) list.replaceChildren(...rows);
}

// A row that says the same stays as it is, so that the focus stays where it was.
function keep(row, built) {
  const made = document.createElement("li");
  made.append(...built);
  if (row.innerHTML === made.innerHTML) return;
  const focused = row.contains(document.activeElement) ? document.activeElement.dataset.yes : undefined;
  row.replaceChildren(...built);
  if (focused !== undefined) row.querySelector(`[data-yes="${focused}"]`)?.focus();
}

function words(query, note) {
  const made = document.createElement("span");
  made.className = "text";
  const cut = query.text.lastIndexOf(query.shown);
  const bold = document.createElement("b");
  bold.textContent = query.shown;
  made.append(query.text.slice(0, cut), bold, query.text.slice(cut + query.shown.length) + note);
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
  const made = document.createElement("span");
  made.className = "state";
  const votes = counted ? counted.yes + counted.no : status.terms.quorum;
  if (query.yes !== null) made.textContent = `closed: ${query.yes ? "yes" : "no"}`;
  else made.textContent = `${votes ?? 0} of ${status.terms.quorum ?? 1} answered`;
  return made;
}
