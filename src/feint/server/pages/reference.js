// The reference, drawn from the server's own description; and a token in the fragment, kept as a
// cookie that no script can read.

const said = document.getElementById("said");

async function sit() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  const answer = await fetch("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  said.append(answer.ok ? " You are let in." : " The token of this link is not valid.");
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function shape(schema, all, depth = 0) {
  if (!schema || depth > 4) return "…";
  if (schema.$ref) return shape(all[schema.$ref.split("/").pop()], all, depth);
  if (schema.anyOf) return schema.anyOf.map((each) => shape(each, all, depth)).join(" | ");
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (schema.type === "array") return `[${shape(schema.items, all, depth + 1)}]`;
  if (!schema.properties) return schema.type ?? "anything";
  const needed = new Set(schema.required ?? []);
  const pad = "  ".repeat(depth + 1);
  const lines = Object.entries(schema.properties).map(
    ([key, value]) => `${pad}${key}${needed.has(key) ? "" : "?"}: ${shape(value, all, depth + 1)}`,
  );
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

function section(method, path, page, all) {
  const made = document.createElement("section");
  made.append(element("h2", `${method.toUpperCase()} ${path}`), element("p", page.description ?? ""));
  const body = page.requestBody?.content?.["application/json"]?.schema;
  if (body) made.append(element("pre", `takes ${shape(body, all)}`));
  for (const [status, answer] of Object.entries(page.responses ?? {})) {
    const schema = answer.content?.["application/json"]?.schema;
    if (status < 300 && schema) made.append(element("pre", `${status} ${shape(schema, all)}`));
  }
  return made;
}

async function draw() {
  const description = await (await fetch("/openapi.json")).json();
  const all = description.components?.schemas ?? {};
  const pages = document.getElementById("pages");
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, page] of Object.entries(methods)) {
      pages.append(section(method, path, page, all));
    }
  }
}

await sit();
await draw();
