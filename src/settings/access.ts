/** Who of those that the OpenID provider knows may enter, and who may see payloads. */
import { parseDomain, parseEmailAddress } from "./email-address.ts";
import { fail, keepingLast, listOf, type SettingsSource } from "./source.ts";

/** People by what the provider vouches for. Whoever is on any of the lists is meant; empty ones mean nobody. */
export interface AccessRules {
  /** Whole addresses, in lower case. */
  readonly emails: readonly string[];
  /** Whole domains, in lower case. */
  readonly emailDomains: readonly string[];
  /** Spelled as the provider spells them. */
  readonly groups: readonly string[];
  /** Microsoft Entra: `<tenant id>/<object id>`, in lower case. */
  readonly objectIds: readonly string[];
}

export interface AccessSettings {
  /** Who may enter. */
  readonly allowed: AccessRules;
  /** Who of them may have `n8n:data`. */
  readonly data: AccessRules;
}

const MAXIMUM_ENTRIES = 1000;
const MAXIMUM_GROUP_LENGTH = 256;
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const OBJECT_ID = new RegExp(`^${UUID}/${UUID}$`);

/**
 * Who may enter, and who may see payloads.
 * @throws ObserverError `CONFIGURATION_ERROR` for a malformed entry: it fails closed.
 */
export const readAccessSettings = keepingLast((source): AccessSettings => {
  return { allowed: readRules(source, "ALLOWED"), data: readRules(source, "DATA") };
});

function readRules(source: SettingsSource, prefix: "ALLOWED" | "DATA"): AccessRules {
  return {
    emails: readList(
      source,
      `${prefix}_EMAILS`,
      // An address may hold a *, but whoever writes one here means anybody.
      (entry) => (entry.includes("*") ? undefined : parseEmailAddress(entry)?.address),
      "List whole addresses, for example ada@example.com, grace@example.com.",
    ),
    emailDomains: readList(
      source,
      `${prefix}_EMAIL_DOMAINS`,
      parseDomain,
      "List whole domains without @ or *, for example example.com. Sub-domains are listed on their own, other alphabets as xn--….",
    ),
    groups: readList(
      source,
      `${prefix}_GROUPS`,
      (entry) => (entry.length <= MAXIMUM_GROUP_LENGTH ? entry : undefined),
      "List the groups as the provider writes them in the token; Microsoft Entra writes object ids.",
    ),
    objectIds: readList(
      source,
      `${prefix}_OBJECT_IDS`,
      parseObjectId,
      "List <tenant id>/<object id>, both as Microsoft Entra shows them.",
    ),
  };
}

function parseObjectId(entry: string): string | undefined {
  const objectId = entry.toLowerCase();
  return OBJECT_ID.test(objectId) ? objectId : undefined;
}

function readList(
  source: SettingsSource,
  setting: string,
  parse: (entry: string) => string | undefined,
  solution: string,
): readonly string[] {
  const entries = listOf(source, setting);
  if (entries.length > MAXIMUM_ENTRIES) {
    fail(setting, `has more than ${MAXIMUM_ENTRIES} entries`, "Name a group of the provider instead.");
  }
  return entries.map((entry, index) => {
    const parsed = parse(entry);
    if (parsed === undefined) fail(setting, `has a malformed entry (number ${index + 1})`, solution);
    return parsed;
  });
}
