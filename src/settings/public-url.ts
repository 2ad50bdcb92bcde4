/** The origin that clients use. */
import { urlParts } from "../platform/url-parts.ts";
import { memoizeBySettings, readSetting, requireSetting, type SettingsSource, text } from "./source.ts";
import { isLoopbackHost } from "./values.ts";

/** Where Cloudflare serves Workers that have no domain of their own: `<name>.<account>.workers.dev`. */
const WORKERS_DEV = "workers.dev";

/** Whether a setting, or a request from this machine, says what the public host is. Otherwise nothing is answered. */
export const isConfiguredHost = (source: SettingsSource, requestUrl: string): boolean =>
  text(source, "PUBLIC_URL") !== undefined || isLoopbackHost(urlParts(requestUrl).hostname);

/** This Worker's name, if its address is taken from requests: `npm run deploy` sets it where PUBLIC_URL is not set. */
export const readWorkerName = (source: SettingsSource): string | undefined =>
  text(source, "PUBLIC_URL") === undefined ? text(source, "WORKER_NAME")?.toLowerCase() : undefined;

const readOrigin = memoizeBySettings((source) => readSetting(source, "PUBLIC_URL"));

/**
 * The origin that clients use: the OAuth issuer, and the base of the resource `<origin>/mcp`. Without the setting it is
 * the request's own origin, if that is a loopback host or the `workers.dev` address of this very Worker.
 * @throws ObserverError `CONFIGURATION_ERROR` when it is missing on another host, or malformed.
 */
export function readPublicUrl(source: SettingsSource, requestUrl: string): string {
  const origin = readOrigin(source);
  if (origin !== undefined) return origin;
  const request = urlParts(requestUrl);
  if (isLoopbackHost(request.hostname)) return request.origin;
  if (isOwnWorkersDevHost(source, request.hostname)) return `https://${request.hostname}`;
  return requireSetting(source, "PUBLIC_URL");
}

/**
 * True for `<name>.<account>.workers.dev`, where `<name>` is exactly this Worker's. Previews, versions and aliases are
 * named `<something>-<name>` and share the storage of the deployed Worker, so they never count. Cloudflare routes by
 * host name, so the host cannot be forged.
 */
function isOwnWorkersDevHost(source: SettingsSource, hostname: string): boolean {
  const [worker, account, ...domain] = hostname.split(".");
  return account !== "" && worker === readWorkerName(source) && domain.join(".") === WORKERS_DEV;
}
