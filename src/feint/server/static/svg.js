// Elements of drawings, and how one drawing becomes the next: what stays is moved, not made anew.

const NAMESPACE = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((each) => each !== null));
  return made;
}

export function patch(place, made) {
  const held = place.firstElementChild;
  if (held) match(held, made);
  else place.append(made);
  return place.firstElementChild;
}

function match(held, made) {
  if (held.nodeName !== made.nodeName || held.nodeType !== Node.ELEMENT_NODE) {
    if (held.textContent !== made.textContent || held.nodeName !== made.nodeName) held.replaceWith(made);
    return;
  }
  for (const { name } of [...held.attributes]) if (!made.hasAttribute(name)) held.removeAttribute(name);
  for (const { name, value } of made.attributes) {
    if (held.getAttribute(name) !== value) held.setAttribute(name, value);
  }
  const [olds, news] = [[...held.childNodes], [...made.childNodes]];
  news.forEach((each, place) => (place < olds.length ? match(olds[place], each) : held.append(each)));
  olds.slice(news.length).forEach((each) => each.remove());
}
