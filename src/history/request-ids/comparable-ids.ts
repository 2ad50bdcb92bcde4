/**
 * Which values at known request-id paths are ids, and which of them callers without payload may look up.
 *
 * What redaction hides is not an id for anybody: `auth.sessionId`, `otp.requestId`, JSON below `authorization`. It is
 * neither stored nor compared, so a right and a wrong guess at it look the same. Of the others, a caller without
 * `n8n:data` may look up *open* ones: identifiers by their form, in no list of words, names, dates or numbers.
 */
import type { PathSegment } from "../../json/path-text.ts";
import { pattern } from "../../platform/pattern.ts";
import { hasIdentifierForm } from "./identifier-form.ts";
import { isConversation } from "./request-forms.ts";
import type { RequestIdPaths } from "./request-id-paths.ts";

/** True for paths that hold ids; undefined when unknown, because there are too many paths or this one is too long. */
export type IsIdPath = (path: readonly PathSegment[]) => boolean | undefined;

export interface ComparableIds extends RequestIdPaths {
  ofExecution(): IsIdPath;
  /** True for an identifier that redaction does not hide: a caller without `n8n:data` may look it up. */
  isIdentifier(text: string): boolean;
  /** True if such a caller may find the identifier at this known path. */
  isOpen(text: string, path: readonly PathSegment[]): boolean;
}

/** Ordinary ids: if redaction hides one, the path is that of a secret. */
const ORDINARY_IDS = ["order-4711-b", "482913"];
/** Payloads may contain any keys, so the cache of paths is bounded. */
const MAX_REMEMBERED = 1_000;
/** Characters of one execution's paths that redaction checks, because senders choose them. Enough for 1,000 ids. */
const MAX_ASKED = 128 * 1024;
const LEAST_ASKED = 64;
/** Characters: eight times as long as a displayed path. */
const MAX_NAMES = 4 * 1024;
/** Secrets that redaction recognizes by form are longer and have capitals, or digits and a long run. Few ids do. */
const MAY_BE_SECRET = /^(?=.*[\dA-Z])(?=.*(?:[A-Z]|[a-z\d]{8})).{13,}$/;
const PLAIN_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/**
 * Keys of the value in a name-value pair, or of a list of pairs: `{ name: "Authorization", defaultValue: { requestId }
 * }`. Only the neighbouring name says whether it is a secret. In all languages that redaction knows.
 */
const VALUE_OF_PAIR = pattern("iu")`
  value
  |(?:
    answer|wert|antwort|eingabe|valor|valore|respuesta|valeur|réponse|resposta|risposta|waarde|antwoord
    |värde|svar|værdi|verdi|wartość|odpowiedź|hodnota|odpověď|değer|yanıt|cevap|значение|ответ|значення
    |відповідь|τιμή|ערך|قيمة|मान|[值값]|答え|回答|答案|답변
  )(?:s|e|es)?$
  |(?:^|[^a-z])(?:vals?|v)$|^(?:_|(?:__?|[#$])(?:text|cdata)|\$t|#cdata-section)$
`;
/** Matches `fieldVal`, not `approval`. */
const SHORT_VALUE = /[a-z\d](?:Vals?|V)$/;
/** Lists that alternate names and values: `rawHeaders: ["Cookie", "{ \"sessionId\": … }"]`. */
const LIST_BY_TURNS =
  /(?:headers|trailers|cookies|args|argv|arguments|cmd|command|command[-_]?line|entrypoint|exec)$/i;

export function createComparableIds(
  paths: RequestIdPaths,
  redact: (value: unknown) => { readonly value: unknown },
): ComparableIds {
  const isHidden = (value: unknown): boolean => JSON.stringify(redact(value).value) !== JSON.stringify(value);
  const isSecret = (path: readonly PathSegment[]): boolean =>
    ORDINARY_IDS.some((id) => isHidden(wrapInPath(id, path)));
  const isIdPath = (path: readonly PathSegment[]): boolean =>
    paths.matches(path) && !isSecret(path) && !(hasDots(path) && isSecret(splitAtDots(path)));
  const known = new Map<string, boolean>();
  const matches = (path: readonly PathSegment[], names = namesOf(path)): boolean => {
    let holds = known.get(names);
    if (holds === undefined) {
      holds = isIdPath(path);
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(names, holds);
    }
    return holds;
  };
  const isIdentifier = (text: string): boolean =>
    hasIdentifierForm(text) && (PLAIN_ID.test(text) || !MAY_BE_SECRET.test(text) || !isHidden(text));
  return {
    ...paths,
    matches: (path) => matches(path),
    ofExecution: () => {
      const asked = new Map<string, boolean>();
      let room = MAX_ASKED;
      return (path) => {
        const names = lengthOfNames(path) > MAX_NAMES ? null : namesOf(path);
        const before = names === null ? undefined : asked.get(names);
        if (before !== undefined) return before;
        if (room < 0) return undefined;
        if (!paths.matches(path)) return false;
        if (names === null) return undefined;
        room -= LEAST_ASKED + names.length;
        if (room < 0) return undefined;
        const holds = matches(path, names);
        asked.set(names, holds);
        return holds;
      };
    },
    isIdentifier,
    isOpen: (text, path) => isIdentifier(text) && !mayBePersonal(text, path) && !isInPair(path),
  };
}

/** Chats identify people by their telephone numbers. */
const mayBePersonal = (text: string, path: readonly PathSegment[]): boolean =>
  /^\d+$/.test(text) && isConversation(path.at(-1));

/**
 * Whether a neighbouring name may say that it is a secret: in a pair, a list of lists or an alternating list. The name
 * is not known here, so an OData list (`value[0].requestId`) counts as well.
 */
const isInPair = (path: readonly PathSegment[]): boolean => {
  const names = splitAtDots(path);
  return names.some((name, index) => {
    const above = names[index - 1];
    if (typeof name === "string") return index < names.length - 1 && isValueOfPair(name);
    return typeof above === "number" || (above !== undefined && LIST_BY_TURNS.test(above));
  });
};

const hasDots = (path: readonly PathSegment[]): boolean =>
  path.some((segment) => typeof segment === "string" && segment.includes("."));

/** A key with dots is no safer than the keys that it may consist of: `auth.requestId`. */
const splitAtDots = (path: readonly PathSegment[]): readonly PathSegment[] =>
  path.flatMap((segment): readonly PathSegment[] =>
    typeof segment === "string" ? segment.split(".") : [segment],
  );

const isValueOfPair = (name: string): boolean =>
  name.length <= 40 && (VALUE_OF_PAIR.test(name) || SHORT_VALUE.test(name));

/** Omits positions, which do not matter. With lengths, because one key must not look like two, whatever it contains. */
function namesOf(path: readonly PathSegment[]): string {
  let names = "";
  for (const segment of path) if (typeof segment === "string") names += `${segment.length}:${segment}`;
  return names;
}

function lengthOfNames(path: readonly PathSegment[]): number {
  let length = 0;
  for (const segment of path) if (typeof segment === "string") length += segment.length;
  return length;
}

const wrapInPath = (value: string, path: readonly PathSegment[]): unknown =>
  path.reduceRight<unknown>(
    (inner, segment) => (typeof segment === "string" ? Object.fromEntries([[segment, inner]]) : inner),
    value,
  );
