/** The origin that clients use. */
import { fail, isLoopbackHost, type SettingsSource, safeUrl, text } from "./source.ts";

/**
 * Whether this server was told that it is reached at a host: by the setting, or by the request coming from
 * this machine. Without either it can answer nothing there.
 */
export function isConfiguredHost(source: SettingsSource, requestUrl: string): boolean {
  return text(source, "PUBLIC_URL") !== undefined || isLoopbackHost(new URL(requestUrl).hostname);
}

/**
 * The origin that clients use. It is the OAuth issuer and the base of the resource `<origin>/mcp`.
 * Without the setting, a request to a loopback host stands for itself (`wrangler dev`).
 * @throws ObserverError `CONFIGURATION_ERROR` when it is missing on another host, or malformed.
 */
export function readPublicUrl(source: SettingsSource, requestUrl: string): string {
  const solution =
    "Set it to the origin that clients use, for example https://n8n-observer.example.workers.dev.";
  const raw = text(source, "PUBLIC_URL");
  if (raw === undefined) {
    const request = new URL(requestUrl);
    if (isLoopbackHost(request.hostname)) return request.origin;
    fail("PUBLIC_URL", "is missing", solution);
  }
  const url = safeUrl.safeParse(raw);
  if (!url.success || url.data.pathname !== "/") {
    fail("PUBLIC_URL", "is not an origin", `${solution} https only (http for localhost), no path.`);
  }
  return url.data.origin;
}
