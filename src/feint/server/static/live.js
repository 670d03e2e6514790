// News by server-sent events. When the server goes away it is tried again, until it is back.

export function live(path, news, away) {
  let source = null;
  let wait = 500;
  let timer = null;

  function open() {
    source = new EventSource(path);
    source.onmessage = (event) => {
      wait = 500;
      away(false);
      news(JSON.parse(event.data));
    };
    source.onerror = () => {
      away(true);
      source.close();
      clearTimeout(timer);
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 1.5, 5000);
    };
  }

  open();
  addEventListener("pagehide", () => source.close());
  return () => [clearTimeout(timer), source.close()];
}
