// News by server-sent events. When the server goes away it is tried again, until it is back.
//
// A browser has six connections to a host, for all its tabs together: a page that nobody sees gives
// its own back, and asks anew when it is looked at.

export function live(path, news, lost) {
  let source = null;
  let wait = 500;
  let timer = null;
  let stopped = false;

  function open() {
    close();
    if (stopped || document.hidden) return;
    source = new EventSource(path);
    source.onmessage = (event) => {
      wait = 500;
      news(JSON.parse(event.data));
    };
    source.onerror = () => {
      again();
      lost();
    };
  }

  // Also for whoever fetched and failed, while the stream stands: what it first says is news.
  function again() {
    close();
    timer = setTimeout(open, wait);
    wait = Math.min(wait * 1.5, 5000);
  }

  function close() {
    clearTimeout(timer);
    source?.close();
  }

  function stop() {
    stopped = true;
    close();
  }

  open();
  document.addEventListener("visibilitychange", open);
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  return { stop, again };
}
