// A respondent's page works without this. With it a link lets one in, and the next round comes by itself.

const form = document.getElementById("code-form");
const token = new URLSearchParams(location.hash.slice(1)).get("token");
const page = document.querySelector(".ask");

if (token) {
  history.replaceState(null, "", "/answer");
  if (form) enter(form);
  else document.body.append(enter(made()));
}

function enter(by) {
  by.elements.code.value = token;
  queueMicrotask(() => by.submit());
  return by;
}

// Somebody else's cookie is there: the link decides.
function made() {
  const by = document.createElement("form");
  by.hidden = true;
  by.method = "post";
  by.action = "/answer/code";
  const field = document.createElement("input");
  field.name = "code";
  by.append(field);
  return by;
}

if (page && !token) listen(500);

function listen(wait) {
  const source = new EventSource("/api/poll/stream");
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    const same = String(news.round) === page.dataset.round && news.standing === page.dataset.standing;
    if (!same) location.replace("/answer");
  };
  source.onerror = () => {
    source.close();
    setTimeout(() => listen(Math.min(wait * 2, 10000)), wait);
  };
  // An answer on its way is not overtaken by news.
  for (const each of ["pagehide", "submit"]) addEventListener(each, () => source.close(), { once: true });
}

addEventListener("pageshow", (event) => event.persisted && location.replace("/answer"));
