// Every round as a button: which one is shown, and which are to come if that is known.
import { isOpenEnded } from "./lanes.js";

export function scrubber(place, story, round, pick) {
  const shown = isOpenEnded(story) ? story.plan.slice(0, Math.max(1, story.rounds.length)) : story.plan;
  const made = shown.map((each, index) => {
    const held = place.children[index] ?? place.appendChild(document.createElement("button"));
    const most = story.asks_all || index < story.rounds.length ? "" : "at most ";
    const words = `round ${index + 1}: ${each.phase}, ${most}${each.queries} ${each.queries === 1 ? "question" : "questions"}`;
    held.type = "button";
    held.title = words;
    held.setAttribute("aria-label", words);
    held.disabled = index >= story.rounds.length;
    if (index === round) held.setAttribute("aria-current", "step");
    else held.removeAttribute("aria-current");
    held.onclick = () => pick(index);
    return held;
  });
  while (place.children.length > made.length) place.lastChild.remove();
}
