// Answers at one length: encryption hides what is sent, and not how long it is.

const WIDTH = "false".length;
const WORDS = ["", "yes", "y", "true", "1", "no", "n", "false", "0"];

// An answer as JSON: true has a space behind it, so that it is as long as false.
export const evenAnswer = (id, yes) => `{"id":${JSON.stringify(id)},"yes":${String(yes).padEnd(WIDTH)}}`;

// A sheet that was filled in, every answer in it as long as the longest; the server takes no notice
// of spaces around a cell. A cell that is no answer stays, and the server says what is wrong.
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

// The end of a line may stand behind the last cell of its row: it is kept.
function even(cell) {
  const word = bare(cell);
  if (!WORDS.includes(word.toLowerCase())) return cell;
  return word.padEnd(WIDTH) + (cell.endsWith("\r") ? "\r" : "");
}

// The cells of each row as they are written, quotes and all; a delimiter or the end of a line within
// quotes belongs to its cell.
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
