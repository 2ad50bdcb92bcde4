/** The script of the page: local times, parts that load or refresh, and no cached page after sign-out. */
export const APP_SCRIPT = `
const REFRESH_MS = 30000;
const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
function localize(root) {
  for (const time of root.querySelectorAll("time[datetime]"))
    time.textContent = format.format(new Date(time.dateTime));
}
async function read(address, part) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (answer.status === 401) location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector(part);
}
async function load(section) {
  try {
    const part = await read(section.dataset.load, "[data-part]");
    if (part !== null) section.querySelector("[data-into]").replaceChildren(...part.childNodes);
    localize(section);
  } catch {}
  section.removeAttribute("aria-busy");
}
async function refresh(section) {
  const open = document.activeElement && section.contains(document.activeElement);
  if (document.hidden || open || section.querySelector("details[open]")) return;
  try {
    const part = await read(location.href, "[data-refresh]");
    if (part !== null) { section.replaceChildren(...part.childNodes); localize(section); }
  } catch {}
}
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
// The link that \`npm start\` prints, in a browser that is signed in already.
if (location.hash.startsWith("#passphrase=")) history.replaceState(null, "", location.pathname + location.search);
localize(document);
for (const section of document.querySelectorAll("[data-load]")) void load(section);
for (const section of document.querySelectorAll("[data-refresh]")) setInterval(refresh, REFRESH_MS, section);
`;
