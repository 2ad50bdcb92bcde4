/**
 * The script of the start page: it shows the Copy buttons, which do not work without it, and writes a field of the page
 * to the clipboard when one is pressed. It sends no requests. No I/O here: it is a string.
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
