// The owner's own answers: one that cannot be right is asked for twice, one not taken is said to be.

import { post } from "./api.js";
import { evenAnswer } from "./even.js";
import { words } from "./words.js";

// What is said stays until the owner does something, or it is true no more: news does not wipe it.
export function answering(api, { lines, load, draw, notice }) {
  let odd = null; // the answer that was held back, since it contradicts another
  let lost = null; // the answer that did not reach the server

  const open = () => lines().flatMap((each) => each.rounds.at(-1).queries);
  const find = (id) => open().find((each) => each.id === id);

  // Whether an answer cannot be right, given the others.
  function contradicts(query, yes) {
    const each = lines().find((every) => every.rounds.at(-1).queries.includes(query));
    if (each.noisy || query.yes !== null) return false;
    const [low, high] = each.rounds.at(-1).known;
    return yes === (each.yes_means === "at least") ? query.at >= high : query.at <= low;
  }

  async function tell(id, yes) {
    const held = find(id);
    if (!held) return;
    lost = null;
    if (contradicts(held, yes) && odd !== `${id} ${yes}`) {
      odd = `${id} ${yes}`;
      notice("This contradicts your other answers. Give the same answer again to keep it.");
      return;
    }
    odd = null;
    notice("");
    const before = held.yes;
    held.yes = yes;
    draw();
    try {
      await post(`${api}/answers`, evenAnswer(id, yes));
    } catch (error) {
      held.yes = before;
      draw();
      const away = "The server did not respond. Answer again when it is back";
      lost = { id, yes };
      notice(`Not saved: “${held.text}” ${yes ? "Yes" : "No"}. ${words(error, away)}`);
    }
    await load();
  }

  // After something new was loaded: a question that closed needs no warning, nor an answer that came.
  function settle() {
    const gone = odd !== null && !find(odd.split(" ")[0]);
    const came = lost !== null && find(lost.id)?.yes === lost.yes;
    if (gone || came) notice("");
    if (gone) odd = null;
    if (came) lost = null;
  }

  return { tell, settle };
}
