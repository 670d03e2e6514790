// What every page must obey, for whoever cannot see it well or uses no mouse: broken rules by name.
() => {
  const broken = [];
  const say = (rule, node, more = "") =>
    broken.push(`${rule}: <${node.tagName.toLowerCase()} id="${node.id}" class="${node.getAttribute("class") ?? ""}"> ${more}`);
  const seen = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && node.getClientRects().length > 0;

  // Documents: a language, a title, one heading of the first rank, no rank left out, ids once.
  if (!document.documentElement.lang || !document.title) broken.push("document: language and title");
  const heads = [...document.querySelectorAll("h1, h2, h3, h4")].filter(seen).map((each) => Number(each.tagName[1]));
  if (heads.filter((each) => each === 1).length !== 1) broken.push("headings: one of the first rank");
  heads.forEach((each, i) => i && each > heads[i - 1] + 1 && broken.push("headings: a rank is left out"));
  if (document.querySelectorAll("main").length !== 1) broken.push("landmarks: one main");
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  if (new Set(ids).size !== ids.length) broken.push("ids: each once");

  // Names: every control and every picture has one.
  const named = (node) =>
    node.getAttribute("aria-label") || node.labels?.[0]?.textContent.trim() || node.textContent.trim() ||
    document.getElementById(node.getAttribute("aria-labelledby") ?? "")?.textContent;
  const controls = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter(seen);
  for (const each of controls) if (!named(each)) say("name", each);
  for (const each of document.querySelectorAll("img")) if (!each.hasAttribute("alt")) say("alt", each);
  for (const each of [...document.querySelectorAll("svg:not([aria-hidden])")].filter(seen)) {
    if (!each.getAttribute("role") || !each.getAttribute("aria-label")) say("picture without a name", each);
  }
  for (const each of document.querySelectorAll("[tabindex]")) if (each.tabIndex > 0) say("tabindex", each);

  // Focus: it can be reached, and seen.
  for (const each of controls.filter((node) => !node.matches(":disabled") && node.type !== "file")) {
    each.focus({ focusVisible: true });
    if (document.activeElement !== each) say("focus", each);
    else if (getComputedStyle(each).outlineStyle === "none") say("focus is not seen", each);
  }
  document.activeElement?.blur();

  // Targets: large enough for a finger, unless they stand in a line of text.
  for (const each of controls) {
    const box = each.getBoundingClientRect();
    const inline = getComputedStyle(each).display === "inline";
    if (!inline && each.type !== "file" && (box.width < 24 || box.height < 24)) say("target", each, `${box.width}×${box.height}`);
  }

  // Text: 14 pixels or more, 4.5 : 1 against what is behind it, 3 : 1 where it is large.
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((each, i) => each * a + under[i] * (1 - a));
  const behind = (node) => {
    const layers = [];
    for (let each = node; each; each = each.parentElement) layers.push(rgb(getComputedStyle(each).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = [...document.querySelectorAll("body *")].filter((node) =>
    seen(node) && !node.closest(":disabled, .skip, noscript") && [...node.childNodes].some((each) => each.nodeType === 3 && each.textContent.trim()));
  for (const node of texts) {
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize);
    if (size < 14) say("small text", node, style.fontSize);
    const back = behind(node);
    const ink = over(rgb(node instanceof SVGElement ? style.fill : style.color), back);
    const [high, low] = [light(ink), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) say("contrast", node, `${ratio.toFixed(2)} ${node.textContent.trim().slice(0, 20)}`);
  }

  // Nothing is wider than the screen.
  if (document.documentElement.scrollWidth > innerWidth + 1) broken.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
  return broken;
}
