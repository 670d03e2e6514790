// A link as a QR code, drawn as one path.

import { qr } from "./qr.js";
import { svg } from "./svg.js";

const QUIET = 4;

export function code(text) {
  const modules = qr(text);
  const size = modules.length + 2 * QUIET;
  const dark = modules.flatMap((row, y) => row.flatMap((each, x) => (each ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])));
  return svg(
    "svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "The link as a QR code" },
    svg("path", { class: "module", d: dark.join("") }),
  );
}
