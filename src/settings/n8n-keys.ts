/** Whose key reads n8n for a caller: the operator's for everybody, or a person's own. */
import { memoizeBySettings, readSetting, type SettingsSource, text } from "./source.ts";
import { fail } from "./values.ts";

const SETTING = "N8N_KEYS";

/** Settings that contradict personal keys. */
const CONFLICTS = {
  ACCESS_RULES: "With personal keys n8n decides who sees which workflows",
  SERVICE_TOKENS: "Nobody can give a key of their own with a service token",
  OIDC_ENTERPRISE_MANAGED: "Nobody can give a key of their own with an assertion of the provider",
};

const isSet = (source: SettingsSource, name: string): boolean =>
  name === "OIDC_ENTERPRISE_MANAGED" ? readSetting(source, name) : text(source, name) !== undefined;

/** @throws ObserverError `CONFIGURATION_ERROR`, also for settings that contradict personal keys: it fails closed. */
export const readN8nKeys = memoizeBySettings((source): "shared" | "personal" => {
  const keys = readSetting(source, SETTING);
  if (keys === "shared") return keys;
  for (const [name, why] of Object.entries(CONFLICTS))
    if (isSet(source, name))
      fail(
        SETTING,
        `is personal together with ${name}`,
        `${why}: take ${name} out, or set ${SETTING} to shared.`,
      );
  return keys;
});
