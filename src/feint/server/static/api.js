// Requests to this server: a cookie says who asks; errors are one sentence.

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export async function ask(method, path, { body, signal, type = "application/json" } = {}) {
  const headers = { "X-Feint-Request": "1" };
  if (body !== undefined) headers["Content-Type"] = type;
  const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, body: sent, signal, credentials: "same-origin" });
  const kind = answer.headers.get("Content-Type") ?? "";
  const held = kind.includes("json") ? await answer.json() : await answer.text();
  if (answer.ok) return held;
  throw new Refused(answer.status, held.error?.code ?? "", held.error?.message ?? "the server failed");
}

export const get = (path, options) => ask("GET", path, options);
export const post = (path, body, options) => ask("POST", path, { body, ...options });

// Of several calls only the newest counts: whatever is older is aborted.
export function newest(work) {
  let running = null;
  return async (...given) => {
    running?.abort();
    const mine = (running = new AbortController());
    try {
      const found = await work(mine.signal, ...given);
      return mine === running ? found : undefined;
    } catch (error) {
      if (mine !== running || error.name === "AbortError") return undefined;
      throw error;
    }
  };
}
