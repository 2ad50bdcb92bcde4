/** Where Durable Objects are made: best near n8n, because a trace asks n8n many times and its user once. */
import { fail, type SettingsSource, text } from "./source.ts";

/** https://developers.cloudflare.com/durable-objects/reference/data-location/ */
const REGIONS: readonly DurableObjectLocationHint[] = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
];

/**
 * The region in which new Durable Objects are made; undefined leaves it to Cloudflare, which takes one near
 * whoever called first.
 * @throws ObserverError `CONFIGURATION_ERROR` for what is no region
 */
export function readLocationHint(source: SettingsSource): DurableObjectLocationHint | undefined {
  const raw = text(source, "N8N_LOCATION_HINT")?.toLowerCase();
  if (raw === undefined) return undefined;
  const region = REGIONS.find((known) => known === raw);
  if (region !== undefined) return region;
  fail(
    "N8N_LOCATION_HINT",
    "is no region of Cloudflare's",
    `Set it to the one nearest to n8n (${REGIONS.join(", ")}), or leave it out.`,
  );
}
