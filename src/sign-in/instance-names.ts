/** The n8n instances that an app could read, by the names and hosts that the person on the consent page knows. */
import { DEFAULT_INSTANCE, type SettingsSource, usableInstances } from "../settings/index.ts";

/** More would push the buttons out of sight. */
const MAX_SHOWN = 3;

/** Hosts for people, such as `prod (n8n.example.com)`, never the internal ones. Empty while the settings are malformed. */
export function instanceNames(source: SettingsSource): string[] {
  const instances = usableInstances(source);
  const shown = instances.slice(0, MAX_SHOWN).map(({ name, editorUrl }) => {
    const { host } = new URL(editorUrl);
    return name === DEFAULT_INSTANCE ? host : `${name} (${host})`;
  });
  const left = instances.length - shown.length;
  return left === 0 ? shown : [...shown, `${left} more`];
}
