// A token behind the # of a link, exchanged for a cookie that no script can read.

import { post } from "./api.js";

export const OWNERS_LINK = "Open the owner’s link that feint serve printed, then come back here.";

// Whether whoever looks is the owner of this server: others are not asked for what they may not have.
export const owner = () => document.body.dataset.owner === "yes";

// Whether the page is being loaded anew, now that it is known who looks at it.
export async function sit() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await post("/api/session", { token });
  } catch {
    return false;
  }
  location.reload();
  return true;
}
