// From the user's units to pixels, and numbers as people read them.

export function scale(low, high, width, margin = 8) {
  const at = (value) => margin + ((value - low) / (high - low)) * (width - 2 * margin);
  at.back = (pixel) => low + ((pixel - margin) / (width - 2 * margin)) * (high - low);
  return at;
}

export function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) {
    found.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  }
  return { step, values: found };
}

export const number = (value, decimals) => {
  const fixed = value.toFixed(Math.min(decimals, 12));
  return fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
};

export const plain = (value, step) => number(value, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));

export function odds(probability) {
  if (probability >= 0.9995) return "certain";
  const times = 1 / probability;
  // Rounded down, as the sentence of a plan is: rounded up it would promise too much.
  return `1 in ${times >= 10 ? Math.floor(times + 1e-6) : number(Math.floor(times * 10 + 1e-6) / 10, 1)}`;
}

export const due = (seconds) => `due ${new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`;

export const count = (many, one, more = `${one}s`) => `${many.toLocaleString("en")} ${many === 1 ? one : more}`;
