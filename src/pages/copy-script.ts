/** The script of the start page: shows the Copy buttons and writes fields to the clipboard. It sends no requests. */
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
