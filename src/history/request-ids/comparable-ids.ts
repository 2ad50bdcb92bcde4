/**
 * Which values at known request-id paths are ids, and which of them a caller may ask for who sees no payload.
 *
 * What redaction hides is no id for anybody: `auth.sessionId`, `otp.requestId`, JSON below `authorization`. It is
 * neither kept nor compared, so that a right guess at it and a wrong one are the same. Of the others, a caller without
 * `n8n:data` may ask for *open* ones: identifiers by their form, which no list of words, names, dates or numbers leads to.
 */
import { hasIdentifierForm } from "./identifier-form.ts";
import { isConversation } from "./request-forms.ts";
import type { PathSegment, RequestIdPaths } from "./request-id-paths.ts";

/** True where ids stand. Undefined where that cannot be told: the execution has too many paths, or this one is too long. */
export type HoldsIds = (path: readonly PathSegment[]) => boolean | undefined;

export interface ComparableIds extends RequestIdPaths {
  /** Tells it of the paths of one execution. */
  ofExecution(): HoldsIds;
  /** True when a caller without `n8n:data` may ask for this text: it is an identifier that redaction leaves standing. */
  isIdentifier(text: string): boolean;
  /** True when the identifier may be found at this known path by such a caller. */
  isOpen(text: string, path: readonly PathSegment[]): boolean;
}

/** Ids as they come at ordinary paths: where redaction hides one of them, the path is a secret's. */
const ORDINARY_IDS = ["order-4711-b", "482913"];
/** Keys of payloads may be anything: no more paths than these are remembered. */
const MAX_REMEMBERED = 1_000;
/**
 * How much redaction is asked about the paths of one execution, in characters: whoever posts makes up the keys. Enough
 * for 1,000 ids, each at a path of its own.
 */
const MAX_ASKED = 128 * 1024;
/** What a path costs, however short it is. */
const LEAST_ASKED = 64;
/** In characters. Eight times as long as a path that is shown. */
const MAX_NAMES = 4 * 1024;
/** What redaction knows by its form alone is longer, and has capitals, or digits and a long run. Most ids have not. */
const MAY_BE_SECRET = /^(?=.*[\dA-Z])(?=.*(?:[A-Z]|[a-z\d]{8})).{13,}$/;
const PLAIN_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/**
 * What holds the value of a pair, or a list of such: `{ name: "Authorization", defaultValue: { requestId } }`. Only its
 * neighbour tells whether it is a secret. In the languages that redaction knows it in.
 */
const VALUE_OF_PAIR =
  /value|(?:answer|wert|antwort|eingabe|valor|valore|respuesta|valeur|réponse|resposta|risposta|waarde|antwoord|värde|svar|værdi|verdi|wartość|odpowiedź|hodnota|odpověď|değer|yanıt|cevap|значение|ответ|значення|відповідь|τιμή|ערך|قيمة|मान|[值값]|答え|回答|答案|답변)(?:s|e|es)?$|(?:^|[^a-z])(?:vals?|v)$|^(?:_|(?:__?|[#$])(?:text|cdata)|\$t|#cdata-section)$/iu;
/** `fieldVal`, which `approval` is not. */
const SHORT_VALUE = /[a-z\d](?:Vals?|V)$/;
/** Its elements are names and values by turns: `rawHeaders: ["Cookie", "{ \"sessionId\": … }"]`. */
const LIST_BY_TURNS =
  /(?:headers|trailers|cookies|args|argv|arguments|cmd|command|command[-_]?line|entrypoint|exec)$/i;

/** @param redact the one redactor */
export function createComparableIds(
  paths: RequestIdPaths,
  redact: (value: unknown) => { readonly value: unknown },
): ComparableIds {
  const isHidden = (value: unknown): boolean => JSON.stringify(redact(value).value) !== JSON.stringify(value);
  const holdsIds = (path: readonly PathSegment[]): boolean =>
    paths.matches(path) && !ORDINARY_IDS.some((id) => isHidden(wrapInPath(id, path)));
  const known = new Map<string, boolean>();
  const matches = (path: readonly PathSegment[], names = namesOf(path)): boolean => {
    let holds = known.get(names);
    if (holds === undefined) {
      holds = holdsIds(path);
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

/** People are known to chats by their telephone numbers. */
const mayBePersonal = (text: string, path: readonly PathSegment[]): boolean =>
  /^\d+$/.test(text) && isConversation(path.at(-1));

/**
 * Whether something beside it may say that it is a secret: in a pair, a list of lists or a list by turns. What stands
 * beside it is not known where a path is judged, so that a list of OData (`value[0].requestId`) counts as one as well.
 */
const isInPair = (path: readonly PathSegment[]): boolean =>
  path.some((name, index) => {
    const above = path[index - 1];
    if (typeof name === "string") return index < path.length - 1 && isValueOfPair(name);
    return typeof above === "number" || (above !== undefined && LIST_BY_TURNS.test(above));
  });

/** A longer key is the name of no member that redaction knows. */
const isValueOfPair = (name: string): boolean =>
  name.length <= 40 && (VALUE_OF_PAIR.test(name) || SHORT_VALUE.test(name));

/**
 * Without positions, which neither decide whether a path is known nor what is hidden there. With lengths: a key of a
 * payload may hold any sign, and must not pass for two.
 */
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
