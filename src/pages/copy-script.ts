/**
 * The one script of all pages, on the start page alone: it shows the Copy buttons, which work with it and not
 * without. It reads fields of its own page, writes to the clipboard when a button is pressed, and asks no server for
 * anything. The page's policy names it by its hash, so no other script runs there. No I/O here: it is a text.
 */
export const COPY_SCRIPT = `
if (navigator.clipboard) {
  const status = document.getElementById("copy-status");
  for (const button of document.querySelectorAll("button[data-copies]")) {
    const field = document.getElementById(button.dataset.copies);
    const label = button.firstElementChild;
    let reset;
    const say = (text) => { label.textContent = text; status.textContent = text === "Copy" ? "" : text; };
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(field.value);
        say("Copied");
      } catch {
        field.select();
        say("Selected: now press Ctrl+C");
      }
      clearTimeout(reset);
      reset = setTimeout(say, 3000, "Copy");
    });
  }
}
`;
