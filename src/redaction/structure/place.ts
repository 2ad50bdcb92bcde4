/**
 * What the place of a member says of it, where its own name says too little: the name above it (`unseal: { key }`),
 * what is beside it (`kty` beside `d`), or a name that is often harmless with a value that is not. Pure.
 */
import type { KeyKind } from "../key-rules.ts";
import { PLAIN_KEYS } from "../names/vocabulary.ts";
import { splitWords } from "../names/words.ts";
import { remembering } from "../remembered.ts";
import { isUnguessable } from "../texts/plausible-values.ts";

/**
 * Names, what the value has to be (any text, a code that people type, what nobody can guess), and of what one has to
 * be beside it; `path` if the name above and its own have to name a secret together. Private members of keys (RFC 7518
 * section 6, RFC 8037 section 2), of SIM cards (3GPP 33.102); Azure, Vault, Terraform, KMS, GCP, Elastic.
 */
const RULES = `
d p q dp dq qi k oth | any | kty
ki k op opc | any | imsi iccid
result | any | bcrypt_hash override_special
plaintext | any | CiphertextBlob
data | any | dataCrc32c
encoded | any | api_key
secretid | any | role_id secret_id_accessor secret_id_ttl
community | any | path
value | unguessable | keyName keySecretName
keys keysbase | unguessable | root_token keys_base64 secret_shares
primarykey secondarykey | unguessable | primaryKey secondaryKey
key keys value secretvalue | unguessable | path
code codes | code | path
code | digits | email phone phone_number phoneNumber channel verificationSid
key | long |
routingkey xhoneycombteam crumb session seed | unguessable |
`;

/** `long`: no commit, digest or id. */
const DEMANDS = new Map([
  ["any", /./],
  ["code", /^(?=.{4,32}$)(?=\D{0,20}\d)[A-Za-z0-9]{1,24}(?:[ -][A-Za-z0-9]{1,24}){0,4}$/],
  ["digits", /^\d{6,8}$/],
  ["unguessable", /./],
  ["long", /^(?=.*[g-zG-Z])[\w=+/-]{40,}$/],
]);

function meets(demand: string, value: unknown): boolean {
  const isText = typeof value === "string" || typeof value === "number";
  if (!isText || DEMANDS.get(demand)?.test(String(value)) !== true) return false;
  return !(demand === "unguessable" || demand === "long") || isUnguessable(String(value));
}

interface Rule {
  readonly demand: string;
  readonly beside: readonly string[];
}

const byName = new Map<string, readonly Rule[]>();
for (const row of RULES.trim().split("\n")) {
  const [names = "", demand = "", beside = ""] = row.split("|").map((part) => part.trim());
  for (const name of names.split(" "))
    byName.set(name, [...(byName.get(name) ?? []), { demand, beside: beside.split(" ") }]);
}

const MAX_REMEMBERED = 2_000;
const LONGEST_NAME = 40;
const NONE: readonly Rule[] = [];
const KEY_OF_SOMETHING: readonly Rule[] = [{ demand: "unguessable", beside: [""] }];

/** What may be said of a member with this name: that of most is nothing. */
const rulesOf = remembering((name): readonly Rule[] => {
  if (name.length > LONGEST_NAME) return NONE;
  const rules = byName.get(name.toLowerCase().replace(/[^a-z]/g, ""));
  if (rules !== undefined) return rules;
  const words = splitWords(name);
  const isKeyOf = /^keys?$/.test(words.at(-1) ?? "") && words.length > 1;
  return isKeyOf && !PLAIN_KEYS.has(words.at(-2) ?? "") ? KEY_OF_SOMETHING : NONE;
}, MAX_REMEMBERED);

/** Whether the value, or each of the list that it is, is secret because of where it stands. */
export function isSecretInPlace(
  key: string,
  value: unknown,
  owner: object,
  above: string | undefined,
  kindOfKey: (key: string) => KeyKind,
): boolean {
  if (typeof value !== "string" && typeof value !== "number" && !Array.isArray(value)) return false;
  const rules = rulesOf(key);
  if (rules === NONE) return false;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) return false;
  return rules.some(
    ({ demand, beside }) =>
      values.every((each) => meets(demand, each)) &&
      (beside[0] === "path"
        ? above !== undefined &&
          (above === "keys" || kindOfKey(`${above.slice(-LONGEST_NAME)} ${key}`) === "secret")
        : beside[0] === "" || beside.some((name) => name in owner)),
  );
}
