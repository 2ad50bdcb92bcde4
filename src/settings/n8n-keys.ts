/** Whose key reads n8n for a caller: the operator's for everybody, or a person's own. */
import { memoizeBySettings, readSetting, type SettingsSource, text } from "./source.ts";
import { fail } from "./values.ts";

const SETTING = "N8N_KEYS";

/** Settings that contradict personal keys. */
const CONFLICTS = [
  {
    name: "ACCESS_RULES",
    isSet: (source: SettingsSource) => text(source, "ACCESS_RULES") !== undefined,
    why: "With personal keys n8n decides who sees which workflows",
  },
  {
    name: "SERVICE_TOKENS",
    isSet: (source: SettingsSource) => text(source, "SERVICE_TOKENS") !== undefined,
    why: "Nobody can give a key of their own with a service token",
  },
  {
    name: "OIDC_ENTERPRISE_MANAGED",
    isSet: (source: SettingsSource) => readSetting(source, "OIDC_ENTERPRISE_MANAGED"),
    why: "Nobody can give a key of their own with an assertion of the provider",
  },
];

/** @throws ObserverError `CONFIGURATION_ERROR`, also for settings that contradict personal keys: it fails closed. */
export const readN8nKeys = memoizeBySettings((source): "shared" | "personal" => {
  const keys = readSetting(source, SETTING);
  const other = keys === "personal" ? CONFLICTS.find(({ isSet }) => isSet(source)) : undefined;
  if (other !== undefined)
    fail(
      SETTING,
      `is personal together with ${other.name}`,
      `${other.why}: take ${other.name} out, or set ${SETTING} to shared.`,
    );
  return keys;
});
