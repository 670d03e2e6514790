// Write answers at one length, because encryption hides the content of a message but not its length.

const WIDTH = "false".length;
const WORDS = ["", "yes", "y", "true", "1", "no", "n", "false", "0"];

// Return an answer as JSON. A space after true makes it as long as false.
export const evenAnswer = (id, yes) => `{"id":${JSON.stringify(id)},"yes":${String(yes).padEnd(WIDTH)}}`;

// Return a completed sheet in which every answer has the length of the longest. The server ignores
// spaces around a cell. A cell that is not an answer stays, and the server reports what is wrong.
export function evenSheet(text) {
  const titles = text.split("\n", 1)[0];
  const often = (mark) => titles.split(mark).length;
  const delimiter = [",", ";", "\t"].reduce((best, mark) => (often(mark) > often(best) ? mark : best));
  let answers = -1; // the column of the answers
  return rows(text, delimiter)
    .map((cells, number) => {
      if (number === 0) answers = cells.findIndex((cell) => bare(cell).toLowerCase() === "answer");
      else if (answers in cells) cells[answers] = even(cells[answers]);
      return cells.join(delimiter);
    })
    .join("\n");
}

const bare = (cell) => cell.replace(/^\uFEFF/, "").trim().replace(/^"(.*)"$/s, "$1").trim();

// The last cell of a row may end in a carriage return: keep it.
function even(cell) {
  const word = bare(cell);
  if (!WORDS.includes(word.toLowerCase())) return cell;
  return word.padEnd(WIDTH) + (cell.endsWith("\r") ? "\r" : "");
}

// Return the cells of each row as written, including quotes. A delimiter or line end within quotes
// belongs to its cell.
function rows(text, delimiter) {
  const found = [[""]];
  let quoted = false;
  for (const mark of text) {
    if (mark === '"') quoted = !quoted;
    if (mark === "\n" && !quoted) found.push([""]);
    else if (mark === delimiter && !quoted) found.at(-1).push("");
    else found.at(-1)[found.at(-1).length - 1] += mark;
  }
  return found;
}
