/** Extracts n8n's address from what a person pastes, often the URL of a page of its editor or of its API. Pure. */
import { isLoopbackHost } from "../../src/settings/index.ts";
import type { Place } from "./setup-run.ts";

export type ReadAddress =
  | { readonly kind: "address"; readonly baseUrl: string }
  | { readonly kind: "wrong"; readonly problem: string };

/** First parts of paths that n8n itself serves: its address ends before them. */
const PARTS_OF_N8N = new Set([
  ...["home", "overview", "personal", "projects", "shared", "folders", "insights", "templates"],
  ...["workflow", "workflows", "execution", "executions", "credentials", "variables", "data-tables"],
  ...["settings", "signin", "signup", "setup", "forgot-password", "change-password", "oauth"],
  ...["signout", "saml", "assistant", "instance-ai", "new-agent", "resource-center"],
  ...["entity-not-found", "entity-not-authorized"],
  ...["api", "rest", "healthz", "webhook", "webhook-test", "form", "form-test", "mcp", "mcp-test"],
]);

const wrong = (problem: string): ReadAddress => ({ kind: "wrong", problem });

const EXAMPLE = "for example https://n8n.example.com";

/** @param reachedFrom where the server will run: Cloudflare cannot reach an n8n on this machine */
export function readN8nAddress(text: string, reachedFrom: Place): ReadAddress {
  const pasted = text.trim().replace(/^["'<`]+|["'>`.,;]+$/g, "");
  if (pasted === "") return wrong(`Type n8n's address, ${EXAMPLE}.`);
  const url = URL.parse(withScheme(pasted));
  if (url === null || url.hostname === "" || /\s/.test(pasted))
    return wrong(`That is not an address. Type it as it stands in the browser's address bar, ${EXAMPLE}.`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return wrong(`n8n's address begins with https:// (or http:// on this machine), ${EXAMPLE}.`);
  if (url.username !== "" || url.password !== "")
    return wrong(
      "Leave user and password out of the address. If a proxy asks for them, they belong into N8N_HEADERS: docs/private-network.md.",
    );
  const isLoopback = isLoopbackHost(url.hostname);
  if (reachedFrom === "cloudflare" && isLoopback)
    return wrong(
      "Cloudflare cannot reach this machine's own address. Type the address at which n8n is on the internet, or set up on this machine instead.",
    );
  if (url.protocol === "http:" && !isLoopback)
    return wrong(
      "The API key would travel unencrypted: use n8n's https address. Plain http works on this machine alone (localhost).",
    );
  return { kind: "address", baseUrl: url.origin + basePath(url.pathname) };
}

/** Without a scheme, an address on this machine means http, and any other means https. */
function withScheme(pasted: string): string {
  if (/^(?:https?:\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(pasted)) return pasted;
  const host = URL.parse(`http://${pasted}`)?.hostname ?? "";
  return `${isLoopbackHost(host) ? "http" : "https"}://${pasted}`;
}

function basePath(pathname: string): string {
  const parts = pathname.split("/").filter((part) => part !== "");
  const end = parts.findIndex((part) => PARTS_OF_N8N.has(part.toLowerCase()));
  return (end === -1 ? parts : parts.slice(0, end)).map((part) => `/${part}`).join("");
}

/**
 * N8N_HEADERS may hold credentials for a proxy in front of one n8n: they are sent to no other address.
 * @param present what .dev.vars holds
 * @returns why this address cannot be tried, without quoting the headers
 */
export function refuseForHeaders(
  present: Readonly<Record<string, string>>,
  baseUrl: string,
): string | undefined {
  const { N8N_HEADERS: headers = "", N8N_BASE_URL: known = "" } = present;
  // Headers without an address are for the address that the person gives now.
  if (headers.trim() === "" || known.trim() === "") return undefined;
  if (URL.parse(known.trim())?.origin === new URL(baseUrl).origin) return undefined;
  return "Your .dev.vars holds N8N_HEADERS for another address (its N8N_BASE_URL). They may be secret, so they are not sent to this one. Set N8N_BASE_URL there to the new address if they are for it too, else remove N8N_HEADERS; then run npm run setup again.";
}
