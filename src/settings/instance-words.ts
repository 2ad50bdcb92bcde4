/**
 * What the settings of one n8n are called where `N8N_INSTANCES` has them. Sentences elsewhere name the settings of a
 * single n8n (`N8N_API_KEY`); of one of several, each is a member under its name (`apiKey of prod in N8N_INSTANCES`).
 * Pure.
 */

export const INSTANCES = "N8N_INSTANCES";

/** Member of an instance → the setting that it is for a single n8n. */
export const MEMBER_SETTINGS = {
  baseUrl: "N8N_BASE_URL",
  apiKey: "N8N_API_KEY",
  apiPath: "N8N_API_PATH",
  headers: "N8N_HEADERS",
  editorUrl: "N8N_EDITOR_URL",
  maxConcurrent: "N8N_MAX_CONCURRENT",
  requestsPerMinute: "N8N_REQUESTS_PER_MINUTE",
  locationHint: "N8N_LOCATION_HINT",
} as const;

const SETTING = new RegExp(`\\b(?:${Object.values(MEMBER_SETTINGS).join("|")})\\b`, "g");
const MEMBERS = new Map(
  Object.entries(MEMBER_SETTINGS).map(([member, setting]) => [String(setting), member]),
);

/** The sentence, with each setting of a single n8n named as the member of an instance that it is. */
export function inWordsOfInstance(sentence: string, instance: string): string {
  return sentence.replace(SETTING, (setting) => `${MEMBERS.get(setting)} of ${instance} in ${INSTANCES}`);
}
