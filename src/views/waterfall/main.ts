/** Connects to the host, draws each answer that it sends, and applies the host's colours. */
import { isObject } from "../../platform/is-object.ts";
import { drawMessage, drawPicture } from "./draw.ts";
import { connectHost, type Host } from "./host.ts";
import { listAt, type Members, membersAt, textAt } from "./members.ts";
import { toPicture } from "./to-picture.ts";

const PROTOCOL_VERSION = "2026-01-26";
/** Variables that a host may set for colours, fonts and borders (MCP Apps, "Theming"). */
const HOST_VARIABLE = /^--(color|font|border)-[a-z0-9-]+$/;

function applyTheme(context: Members): void {
  const { style } = document.documentElement;
  const theme = textAt(context, "theme");
  if (theme === "dark" || theme === "light") style.colorScheme = theme;
  for (const [name, value] of Object.entries(membersAt(membersAt(context, "styles"), "variables")))
    if (HOST_VARIABLE.test(name) && typeof value === "string") style.setProperty(name, value);
}

function showResult(host: Host, into: HTMLElement, result: Members): void {
  const picture = toPicture(membersAt(result, "structuredContent"));
  if (picture === undefined) {
    drawMessage(into, textOf(result) || "There is nothing to draw.");
    return;
  }
  into.removeAttribute("aria-busy");
  drawPicture(into, picture, {
    async call({ tool, args }) {
      const answer = await host.request("tools/call", { name: tool, arguments: args });
      return textOf(answer);
    },
    open: (url) => void host.request("ui/open-link", { url }).catch(() => drawLink(into, url)),
  });
}

/** For a host that does not open links: shows the address for copying. */
const drawLink = (into: HTMLElement, url: string): void => {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = url;
  into.append(note);
};

const textOf = (result: Members): string =>
  listAt(result, "content")
    .flatMap((block) => textAt(block, "text") ?? [])
    .join("\n");

function tellSize(host: Host): void {
  const root = document.documentElement;
  new ResizeObserver(() => {
    host.notify("ui/notifications/size-changed", {
      width: Math.ceil(root.scrollWidth),
      height: Math.ceil(root.getBoundingClientRect().height),
    });
  }).observe(root);
}

async function begin(into: HTMLElement): Promise<void> {
  const host = connectHost();
  host.on("ui/notifications/tool-result", (result) => showResult(host, into, result));
  host.on("ui/notifications/tool-cancelled", () => drawMessage(into, "The call was cancelled."));
  host.on("ui/notifications/host-context-changed", applyTheme);
  const begun = await host.request("ui/initialize", {
    appInfo: { name: "n8n-observer", version: "1" },
    appCapabilities: {},
    protocolVersion: PROTOCOL_VERSION,
  });
  if (isObject(begun.hostContext)) applyTheme(begun.hostContext);
  host.notify("ui/notifications/initialized", {});
  tellSize(host);
}

const main = document.querySelector("main");
if (main !== null)
  begin(main).catch(() =>
    drawMessage(main, "The host does not support MCP Apps. The answer is in the text."),
  );
