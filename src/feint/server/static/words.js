// What went wrong, in words for people: what the API says names arguments, as a program needs it.

const AWAY = "The server does not respond.";
const OWNERS = "This page is for the owner of this server. Open the link that feint serve printed.";
const KNOWN = {
  unknown_search: "There is no such search here. It may have been deleted.",
  name_taken: "Another search has this name. Choose another.",
  no_token: OWNERS,
  not_allowed: OWNERS,
  too_often: "Too many requests at once. Wait a moment, then try again.",
};
const FIELDS = { quota: "The number of people for a link", label: "The name", name: "The name" };

export function words(error, away = AWAY) {
  if (error instanceof TypeError) return away;
  const said = KNOWN[error.code] ?? typed(error.message) ?? ruled(error.message);
  return said[0].toUpperCase() + said.slice(1) + (/[.?!]$/.test(said) ? "" : ".");
}

// body.quota: Input should be a valid integer
function typed(message) {
  const found = /^(?:body|path|query|header)(?:\.[\w-]+)*?\.([\w-]+): (?:\w+ )?should ([^;]*)/.exec(message);
  return found && `${FIELDS[found[1]] ?? found[1]} must ${found[2]}`;
}

// label = anna: a respondent is called so already; choose another
const ruled = (message) => message.replace(/^[\w.]+ = .*?: /, "").replace("; ", ": ");
