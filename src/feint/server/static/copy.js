// A text for the clipboard; where a page may not write there, it is chosen, and a key says the rest.

export async function copy(text, button, shown) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // An address that is not secure has no clipboard, and a browser may refuse it.
    shown.hidden = false;
    if (shown.select) shown.select();
    else getSelection().selectAllChildren(shown);
    button.textContent = `Press ${/Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl+"}C`;
  }
}
