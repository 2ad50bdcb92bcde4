/**
 * What a member's name says about its value, its object and its place. Computed once for each name, since names
 * repeat. Pure.
 *
 * A member's role: it holds the name of something (`name`, `key`, `label`, `question`, …) or its value (`value`, `v`,
 * `answer`, …), in any case, spelling and compound (`headerName`, `OptionValue`, `#text`), also in other languages. Its
 * place counts where the name says too little: the name above it (`unseal: { key }`), a member beside it (`kty` beside
 * `d`), or a value that makes a harmless name a secret's.
 */
import { memoizeByObject, memoizeByText } from "../../platform/memoize.ts";
import type { KeyKind, KindOfKey } from "../key-rules.ts";
import { PLAIN_KEYS } from "../names/vocabulary.ts";
import { splitWords, wordSet } from "../names/words.ts";
import { isUnguessable } from "../texts/plausible-values.ts";

/**
 * `name`: a name. `type`: the kind of a form's field. `path`: a path whose last part is the name. `value`: a value.
 * `text`: a value if it is a text or a number, but not if it is an object.
 * `flag`: `true` marks the value as secret. `attributes`: an object with members of these roles.
 */
type MemberRole = "name" | "type" | "path" | "value" | "text" | "flag" | "attributes" | "none";

const NAMES = wordSet(`
  name names key k n q label title field header param parameter property prop attribute attr id identifier question
  variable var env slug column col ref reference caption placeholder prompt setting option handle heading topic
  entry tag claim term alias nombre clave etiqueta campo pregunta nom clé clef champ libellé nome chave pergunta
  rótulo chiave domanda etichetta bezeichnung schlüssel feld frage beschriftung naam sleutel vraag veld namn navn
  nyckel fält fråga felt spørgsmål nazwa klucz pole pytanie jméno klíč otázka ad anahtar alan soru имя название
  ключ поле вопрос ім'я назва питання όνομα שם اسم مفتاح नाम 名前 名称 项目 項目 键 鍵 キー 质问 質問 问题 字段 이름 키 항목 질문
`);
const TEXTS = wordSet(`
  content contents text data string strings default response reply input entered raw plain plaintext old new before
  after previous current initial payload cdata buffer from to was now inhalt contenido contenu conteúdo contenuto inhoud treść 内容 내용
`);
const VALUES = wordSet(`
  value values val vals v answer answers wert werte
  antwort eingabe valor valores respuesta valeur réponse resposta valore 
  risposta waarde antwoord värde svar værdi verdi wartość odpowiedź hodnota odpověď değer yanıt cevap
  значение ответ значення відповідь τιμή ערך قيمة मान 値 值 答え 回答 答案 값 답변
`);

const TYPES = wordSet("type kind inputtype fieldtype htmltype");
const PATHS = wordSet("path pointer jsonpath jsonpointer fieldpath propertypath instancepath datapath loc");
const FLAGS = wordSet("sensitive secret masked issensitive issecret ismasked ispassword obfuscated");
const ATTRIBUTES = wordSet("$ @ attributes @attributes _attributes attrs attr");
/** Names that XML parsers give the text of an element. */
const ELEMENT_TEXT = wordSet("_ #text _text __text $t $text $value #cdata _cdata __cdata #cdata-section");
/** The name of one of these is not the name of a field. */
const NAMED_THINGS = wordSet("node workflow file folder tool step job task class function method event host");
/** `valueType` and `value_id` describe a value, but are not one. */
const BESIDE_VALUES = wordSet("type types id from format kind length count size name url label provider");

function wordsIn(name: string): string[] {
  return name
    .normalize("NFKC")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "" && !/^\d+$/.test(word));
}

function roleOf(name: string): MemberRole {
  // A redacted name says nothing about the members next to it.
  if (name.includes("[REDACTED:")) return "none";
  const plain = name.toLowerCase();
  if (ELEMENT_TEXT.has(plain)) return "value";
  if (ATTRIBUTES.has(plain)) return "attributes";
  const words = wordsIn(name);
  const joined = words.join("");
  if (TYPES.has(joined)) return "type";
  if (PATHS.has(joined)) return "path";
  if (FLAGS.has(joined)) return "flag";
  const last = words.at(-1) ?? "";
  if (VALUES.has(last)) return "value";
  if (TEXTS.has(last)) return "text";
  if (words.some((word) => word === "value" || word === "val") && !BESIDE_VALUES.has(last)) return "value";
  return NAMES.has(last) && !NAMED_THINGS.has(words.at(-2) ?? "") ? "name" : "none";
}

/**
 * `names | demand on the value | members`, one of which must be next to it; `path` instead of members if the name above
 * and the own name together must name a secret. Private members of keys (RFC 7518 section 6, RFC 8037 section 2), of
 * SIM cards (3GPP 33.102); Azure, Vault, Terraform, KMS, GCP, Elastic.
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

/** `long`: not a commit, digest or id. */
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

interface PlaceRule {
  readonly demand: string;
  readonly beside: readonly string[];
}

const placeRules = new Map<string, readonly PlaceRule[]>();
for (const row of RULES.trim().split("\n")) {
  const [names = "", demand = "", beside = ""] = row.split("|").map((part) => part.trim());
  for (const name of names.split(" "))
    placeRules.set(name, [...(placeRules.get(name) ?? []), { demand, beside: beside.split(" ") }]);
}
const KEY_OF_SOMETHING: readonly PlaceRule[] = [{ demand: "unguessable", beside: [""] }];
const NO_RULES: readonly PlaceRule[] = [];

function placeRulesOf(name: string, letters: string): readonly PlaceRule[] {
  const rules = placeRules.get(letters);
  if (rules !== undefined) return rules;
  const words = splitWords(name);
  const isKeyOf = /^keys?$/.test(words.at(-1) ?? "") && words.length > 1;
  return isKeyOf && !PLAIN_KEYS.has(words.at(-2) ?? "") ? KEY_OF_SOMETHING : NO_RULES;
}

export interface MemberName {
  readonly text: string;
  readonly kind: KeyKind;
  readonly role: MemberRole;
  /** Its Latin letters in lower case, without separators; empty if the name is long. */
  readonly letters: string;
  readonly placeRules: readonly PlaceRule[];
}

export type NameOf = (name: string) => MemberName;

const LONGEST_NAME = 40;

/** Reads the names of members. Redactors with the same key rules share a cache. */
export const nameReader = memoizeByObject(
  (kindOfKey: KindOfKey): NameOf =>
    memoizeByText((text): MemberName => {
      const kind = kindOfKey(text);
      if (text.length > LONGEST_NAME) return { text, kind, role: "none", letters: "", placeRules: NO_RULES };
      const letters = text.toLowerCase().replace(/[^a-z]/g, "");
      return { text, kind, role: roleOf(text), letters, placeRules: placeRulesOf(text, letters) };
    }),
);

/** Whether the value, or each element of a list, is secret because of its place. */
export function isSecretInPlace(
  { text, placeRules: rules }: MemberName,
  value: unknown,
  owner: object,
  above: string | undefined,
  nameOf: NameOf,
): boolean {
  if (rules.length === 0) return false;
  if (typeof value !== "string" && typeof value !== "number" && !Array.isArray(value)) return false;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isBeside = (names: readonly string[]): boolean => {
    if (names[0] === "") return true;
    if (names[0] !== "path") return names.some((name) => name in owner);
    if (above === undefined) return false;
    return above === "keys" || nameOf(`${above.slice(-LONGEST_NAME)} ${text}`).kind === "secret";
  };
  return (
    values.length > 0 &&
    rules.some(({ demand, beside }) => values.every((each) => meets(demand, each)) && isBeside(beside))
  );
}
