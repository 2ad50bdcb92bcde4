/**
 * What the name of a member says of the object that it stands in: that its text is the name of something
 * (`name`, `key`, `label`, `question`, …), or that it is the value of it (`value`, `v`, `answer`, …). In any
 * case, spelling and compound (`headerName`, `OptionValue`, `#text`), and in more languages than English. Pure.
 */
import { remembering } from "../remembered.ts";

/**
 * `name`: a name. `type`: the kind of a form's field. `path`: a path whose last part is the name. `value`: a value.
 * `text`: a value if it is a text or a number; an object under such a name is something of its own.
 * `flag`: says by `true` that the value is secret. `attributes`: an object with such members.
 */
export type MemberRole = "name" | "type" | "path" | "value" | "text" | "flag" | "attributes" | "none";

const listed = (words: string): Set<string> => new Set(words.trim().split(/\s+/));

const NAMES = listed(`
  name names key k n q label title field header param parameter property prop attribute attr id identifier question
  variable var env slug column col ref reference caption placeholder prompt setting option handle heading topic
  entry tag claim term alias nombre clave etiqueta campo pregunta nom clé clef champ libellé nome chave pergunta
  rótulo chiave domanda etichetta bezeichnung schlüssel feld frage beschriftung naam sleutel vraag veld namn navn
  nyckel fält fråga felt spørgsmål nazwa klucz pole pytanie jméno klíč otázka ad anahtar alan soru имя название
  ключ поле вопрос ім'я назва питання όνομα שם اسم مفتاح नाम 名前 名称 项目 項目 键 鍵 キー 质问 質問 问题 字段 이름 키 항목 질문
`);

const TEXTS = listed(`
  content contents text data string strings default response reply input entered raw plain plaintext old new before
  after previous current initial payload cdata buffer from to was now inhalt contenido contenu conteúdo contenuto inhoud treść 内容 내용
`);
const VALUES = listed(`
  value values val vals v answer answers wert werte
  antwort eingabe valor valores respuesta valeur réponse resposta valore 
  risposta waarde antwoord värde svar værdi verdi wartość odpowiedź hodnota odpověď değer yanıt cevap
  значение ответ значення відповідь τιμή ערך قيمة मान 値 值 答え 回答 答案 값 답변
`);

const TYPES = listed("type kind inputtype fieldtype htmltype");
const PATHS = listed("path pointer jsonpath jsonpointer fieldpath propertypath");
const FLAGS = listed("sensitive secret masked issensitive issecret ismasked ispassword obfuscated");
const ATTRIBUTES = listed("$ @ attributes @attributes _attributes attrs attr");
/** What parsers of XML call the text of an element. */
const ELEMENT_TEXT = listed("_ #text _text __text $t $text $value #cdata _cdata __cdata #cdata-section");
/** What stands under the name of one of these is not the value of a field. */
const NAMED_THINGS = listed("node workflow file folder tool step job task class function method event host");
/** `valueType` and `value_id` say something of a value, and are none. */
const BESIDE_VALUES = listed("type types id from format kind length count size name url label");

const MAX_ROLE_LENGTH = 40;
/** Names of members repeat. A bound for those that do not. */
const MAX_REMEMBERED = 2_000;

function wordsOf(key: string): string[] {
  return key
    .normalize("NFKC")
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "" && !/^\d+$/.test(word));
}

function findRole(key: string): MemberRole {
  // What was a secret itself says nothing of what is beside it.
  if (key.includes("[REDACTED:")) return "none";
  const plain = key.toLowerCase();
  if (ELEMENT_TEXT.has(plain)) return "value";
  if (ATTRIBUTES.has(plain)) return "attributes";
  const words = wordsOf(key);
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

const rememberedRole = remembering(findRole, MAX_REMEMBERED);

/** The role of a member, by its name. */
export function roleOf(key: string): MemberRole {
  return key.length > MAX_ROLE_LENGTH ? "none" : rememberedRole(key);
}
