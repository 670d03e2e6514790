// What is believed, as a soft area behind a picture of the same scale.

import { svg } from "./svg.js";

export function area(story, at, top, bottom) {
  if (!story.prior) return svg("g");
  const step = (story.high - story.low) / story.prior.length;
  const points = story.prior.flatMap((height, i) => {
    const y = bottom - height * (bottom - top);
    return [`${at(story.low + i * step)} ${y}`, `${at(story.low + (i + 1) * step)} ${y}`];
  });
  return svg("path", { class: "prior", d: `M${at(story.low)} ${bottom}L${points.join("L")}L${at(story.high)} ${bottom}Z` });
}
