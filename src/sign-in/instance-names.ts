/** The n8n instances that an app could read, by the names and hosts that the person on the consent page knows. */
import { unlessFailed } from "../platform/errors.ts";
import { DEFAULT_INSTANCE, readInstances, type SettingsSource } from "../settings/index.ts";

/** More would push the buttons out of sight. */
const MAX_SHOWN = 3;

/**
 * The host at which people open each n8n, with its name if there are several: `prod (n8n.example.com)`. Never the
 * address that this server calls, which may be internal. Empty while the settings are malformed.
 */
export function instanceNames(source: SettingsSource): string[] {
  const instances = unlessFailed(
    () => [...readInstances(source).values()],
    () => [],
  );
  const shown = instances.slice(0, MAX_SHOWN).map(({ name, editorUrl }) => {
    const { host } = new URL(editorUrl);
    return name === DEFAULT_INSTANCE ? host : `${name} (${host})`;
  });
  const left = instances.length - shown.length;
  return left === 0 ? shown : [...shown, `${left} more`];
}
