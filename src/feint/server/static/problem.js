// The planner's form as a problem, and as the address of the page: never with a secret in it.

const FIELDS = ["low", "high", "label", "grain", "unit", "epsilon", "delta", "level", "noise", "p", "confidence", "max_rounds"];

export function read(form) {
  return Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value.trim()]));
}

export function fill(form, values) {
  for (const name of FIELDS) if (values[name] !== undefined) form.elements[name].value = values[name];
}

export const fromAddress = (search) =>
  Object.fromEntries([...new URLSearchParams(search)].filter(([name]) => FIELDS.includes(name)));

export const toAddress = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();

// What the server takes: exact numbers as text.
export function problem(values) {
  const made = { low: values.low, high: values.high, delta: values.delta, level: values.level };
  if (values.grain === "step") made.step = values.unit;
  else made.epsilon = values.epsilon;
  if (values.grain === "tick") made.tick = values.unit;
  if (values.label) made.labels = [values.label];
  if (values.noise === "some") Object.assign(made, { p: values.p, confidence: values.confidence });
  if (values.max_rounds) made.max_rounds = Number(values.max_rounds);
  return made;
}
