// A drawing as a file: its colours are written into it, so that it looks the same elsewhere.

const WRITTEN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-family", "font-size", "font-weight", "text-anchor"];

function written(node) {
  const [width, height] = node.getAttribute("viewBox").split(" ").slice(2).map(Number);
  const copy = node.cloneNode(true);
  const pairs = [[node, copy], ...[...node.querySelectorAll("*")].map((each, i) => [each, copy.querySelectorAll("*")[i]])];
  for (const [from, to] of pairs) {
    const style = getComputedStyle(from);
    to.removeAttribute("class");
    if (from !== node) for (const name of WRITTEN) to.setAttribute(name, style.getPropertyValue(name));
  }
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const margin = 24;
  Object.entries({ x: -margin, y: -margin, width: width + 2 * margin, height: height + 2 * margin, fill: getComputedStyle(document.body).backgroundColor })
    .forEach(([name, value]) => paper.setAttribute(name, value));
  copy.prepend(paper);
  copy.setAttribute("viewBox", `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`);
  copy.setAttribute("width", width + 2 * margin);
  copy.setAttribute("height", height + 2 * margin);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

export const asSvg = (node, name) => save(written(node), `${name}.svg`);

export async function asPng(node, name) {
  const address = URL.createObjectURL(written(node));
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width * 2, image.height * 2];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  save(blob, `${name}.png`);
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
