// The planner's form as a problem, and as the address of the page: never with a secret in it.

const FIELDS = ["low", "high", "label", "measure", "grain", "unit", "belief", "mean", "spread", "drawn", "epsilon", "delta", "level", "noise", "p", "confidence", "max_rounds"];

export function read(form) {
  return Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value.trim()]));
}

export function fill(form, values) {
  for (const name of FIELDS) if (values[name] !== undefined) form.elements[name].value = values[name];
}

export const fromAddress = (search) =>
  Object.fromEntries([...new URLSearchParams(search)].filter(([name, value]) => FIELDS.includes(name) && (name !== "drawn" || /^\d+( \d+)*$/.test(value))));

export const toAddress = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();

// A file stays in this tab: it is sent with the problem, and is in no address.
const KEPT = "feint-belief";

export function keep(name, csv) {
  sessionStorage.setItem(KEPT, JSON.stringify({ name, csv }));
}

export const kept = () => JSON.parse(sessionStorage.getItem(KEPT) ?? "null");

// Why there is nothing to plan yet: another problem would be planned than the form says.
export function lacking(values) {
  if (values.belief === "file" && !kept()) return "Choose the file that says what you believe.";
  if (!/^(|[1-9]\d{0,3})$/.test(values.max_rounds ?? "")) return "The number of rounds must be a whole number from 1 to 9999, or empty.";
  return "";
}

function belief(values) {
  if (values.belief === "bump") return `normal(${values.mean}, ${values.spread})`;
  if (values.belief === "drawn" && values.drawn) return values.drawn.split(" ").map(Number);
  if (values.belief === "file") return { csv: kept().csv };
  return null;
}

// What the server takes: exact numbers as text.
export function problem(values) {
  const made = { low: values.low, high: values.high, delta: values.delta, level: values.level };
  if (values.grain === "step") made.step = values.unit;
  else made.epsilon = values.epsilon;
  if (values.grain === "tick") made.tick = values.unit;
  const prior = belief(values);
  if (prior !== null) made.prior = prior;
  if (values.label) made.labels = [values.label];
  if (values.measure) made.units = [values.measure];
  if (values.noise === "some") Object.assign(made, { p: values.p, confidence: values.confidence });
  if (values.max_rounds) made.max_rounds = Number(values.max_rounds);
  return made;
}
