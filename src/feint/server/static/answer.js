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

// While nobody sees the page it keeps no connection, and asks anew when it is looked at.
function listen(wait) {
  if (document.hidden) return document.addEventListener("visibilitychange", () => listen(wait), { once: true });
  const source = new EventSource("/api/poll/stream");
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    const { round, batch, standing } = page.dataset;
    const same = String(news.round) === round && String(news.batch) === batch && news.standing === standing;
    if (!same) location.replace("/answer");
  };
  const done = new AbortController();
  const close = () => [source.close(), done.abort()];
  source.onerror = async () => {
    close();
    // Whoever may not answer any more is told why by the page itself.
    const once = new AbortController();
    const { status } = await fetch("/api/poll/stream", { signal: once.signal }).catch(() => ({ status: 0 }));
    once.abort();
    if ([401, 403, 404].includes(status)) location.replace("/answer");
    else setTimeout(() => listen(Math.min(wait * 2, 10000)), wait);
  };
  // An answer on its way is not overtaken by news.
  for (const each of ["pagehide", "submit"]) addEventListener(each, close, { signal: done.signal });
  document.addEventListener("visibilitychange", () => [close(), listen(500)], { signal: done.signal });
}

addEventListener("pageshow", (event) => event.persisted && location.replace("/answer"));
