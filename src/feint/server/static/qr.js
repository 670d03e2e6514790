// QR codes (ISO/IEC 18004), bytes, error correction level L, versions 1 to 10: a matrix of modules.

// Of each version: bytes of data in a block, blocks, blocks with one byte more, bytes of correction.
const BLOCKS = [null, [19, 1, 0, 7], [34, 1, 0, 10], [55, 1, 0, 15], [80, 1, 0, 20], [108, 1, 0, 26],
  [68, 2, 0, 18], [78, 2, 0, 20], [97, 2, 0, 24], [116, 2, 0, 30], [68, 2, 2, 18]];
const ALIGNED = [null, [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

export function qr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = BLOCKS.findIndex((each, v) => each && bytes.length <= room(v) - (v < 10 ? 2 : 3));
  if (version < 0) throw new RangeError("too long for a code");
  const words = interleaved(version, data(version, bytes));
  const bare = frame(version);
  place(bare, words);
  const tried = MASKS.map((mask, index) => masked(bare, mask, index));
  return tried.reduce((best, each) => (penalty(each) < penalty(best) ? each : best));
}

const room = (version) => {
  const [size, blocks, more] = BLOCKS[version];
  return size * (blocks + more) + more;
};

function data(version, bytes) {
  const bits = [];
  const put = (value, length) => { for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((each) => put(each, 8));
  const whole = room(version) * 8;
  put(0, Math.min(4, whole - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < whole; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: whole / 8 }, (_, i) => bits.slice(i * 8, i * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
}

function interleaved(version, words) {
  const [size, blocks, more, correction] = BLOCKS[version];
  const parts = [];
  for (let i = 0, start = 0; i < blocks + more; i++) {
    const end = start + size + (i >= blocks ? 1 : 0);
    parts.push(words.slice(start, end));
    start = end;
  }
  const checks = parts.map((part) => remainder(part, generator(correction)));
  const weave = (rows) => Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) =>
    rows.filter((row) => i < row.length).map((row) => row[i])).flat();
  return [...weave(parts), ...weave(checks)];
}

function times(a, b) {
  let found = 0;
  for (let i = 7; i >= 0; i--) {
    found = (found << 1) ^ ((found >> 7) * 0x11d);
    found ^= ((b >> i) & 1) * a;
  }
  return found & 0xff;
}

function generator(degree) {
  let found = [...Array(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    found = found.map((each, j) => times(each, root) ^ (found[j + 1] ?? 0));
    root = times(root, 2);
  }
  return found;
}

function remainder(words, divisor) {
  let found = Array(divisor.length).fill(0);
  for (const word of words) {
    const factor = word ^ found[0];
    found = [...found.slice(1), 0].map((each, i) => each ^ times(divisor[i], factor));
  }
  return found;
}

// Modules are 0 or 1 where they are fixed, null where data comes.
function frame(version) {
  const size = version * 4 + 17;
  const held = Array.from({ length: size }, () => Array(size).fill(null));
  for (let i = 0; i < size; i++) held[6][i] = held[i][6] = (i + 1) % 2;
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(held, x, y, 4, (far) => +(far !== 2 && far !== 4));
  const marks = ALIGNED[version];
  const corners = [[6, 6], [6, size - 7], [size - 7, 6]].map(String);
  for (const x of marks) for (const y of marks) {
    if (!corners.includes(String([x, y]))) square(held, x, y, 2, (far) => +(far !== 1));
  }
  format(held, 0);
  if (version >= 7) stamp(held, version);
  return held;
}

function square(held, x, y, reach, value) {
  for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) {
    if (held[y + dy]?.[x + dx] !== undefined) held[y + dy][x + dx] = value(Math.max(Math.abs(dx), Math.abs(dy)));
  }
}

const checked = (value, poly, degree) => {
  let rest = value;
  for (let i = 0; i < degree; i++) rest = (rest << 1) ^ ((rest >> (degree - 1)) * poly);
  return (value << degree) | rest;
};

function format(held, mask) {
  const size = held.length;
  const bits = checked((1 << 3) | mask, 0x537, 10) ^ 0x5412; // level L is 1
  const bit = (i) => (bits >> i) & 1;
  for (let i = 0; i < 15; i++) {
    const near = i < 6 ? [8, i] : i < 8 ? [8, i + 1] : i < 9 ? [7, 8] : [14 - i, 8];
    held[near[1]][near[0]] = bit(i);
    if (i < 8) held[8][size - 1 - i] = bit(i);
    else held[size - 15 + i][8] = bit(i);
  }
  held[size - 8][8] = 1;
}

function stamp(held, version) {
  const size = held.length;
  const bits = checked(version, 0x1f25, 12);
  for (let i = 0; i < 18; i++) {
    const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
    held[b][a] = held[a][b] = (bits >> i) & 1;
  }
}

function place(held, words) {
  const size = held.length;
  let next = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) for (const x of [right, right - 1]) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      if (held[y][x] !== null) continue;
      held[y][x] = { bit: next < words.length * 8 ? (words[next >> 3] >> (7 - (next & 7))) & 1 : 0 };
      next++;
    }
  }
}

function masked(bare, mask, index) {
  const made = bare.map((row, y) => row.map((each, x) =>
    typeof each === "object" ? each.bit ^ +(mask(x, y) === 0) : each));
  format(made, index);
  return made;
}

function penalty(held) {
  const lines = [...held, ...held[0].map((_, x) => held.map((row) => row[x]))].map((line) => line.join(""));
  let found = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) found += run.length - 2;
    found += 40 * ((line.match(/(?=10111010000)/g) ?? []).length + (line.match(/(?=00001011101)/g) ?? []).length);
  }
  for (let y = 1; y < held.length; y++) for (let x = 1; x < held.length; x++) {
    const sum = held[y][x] + held[y - 1][x] + held[y][x - 1] + held[y - 1][x - 1];
    if (sum === 0 || sum === 4) found += 3;
  }
  const dark = held.flat().reduce((sum, each) => sum + each, 0) / held.length ** 2;
  return found + 10 * Math.floor(Math.abs(dark * 20 - 10));
}
