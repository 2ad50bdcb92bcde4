/** What people copy along with an id from a chat, a log or a letter. Pure; linear. */
import { hasIdentifierForm } from "./identifier-form.ts";
import { formOf } from "./request-forms.ts";

/** Longer texts are refused anyway. */
const MAX_LENGTH = 1_024;
/** Soft hyphens, zero-width spaces, marks of direction and byte order. Joiners belong to some languages' words. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/** What a log, a query or JSON calls it. Keys of a store look alike, but have no space: `chat_id:55`. */
const NAME =
  /^["'`]?(?:[a-z]{1,20}[-_.]){0,3}(?:(?:request|correlation|trace|session|chat)[-_ ]?id|traceparent)["'`]?\s{0,9}(?:=|:(?=[\s"'`]))\s{0,9}(?=\S)/i;
/** Whoever needs an id that ends with punctuation quotes it. */
const QUOTED =
  /^(?:(["'`])(?<same>.*)\1|\*\*(?<bold>.*)\*\*|[“„”](?<double>.*)[“”]|[‘‚’](?<single>.*)[‘’]|«(?<angled>.*)»)[.,;:!?]{0,3}$/;
const QUOTES = /["'`“”„‘’‚«»]|\*\*/;
/** Stripped only from what has the form of an id without it: a name may end with a full stop. */
const BRACKETED = /^[([<](.*)[)\]>][.,;:!?]{0,3}$/;
const PUNCTUATED = /^(.*[^.,;:!?])[.,;:!?]{1,3}$/;
const ADDRESS = /^https?:\/\/\S+$/i;

/** The id in a text as it was pasted; the text itself if nothing is known to stand around it. */
export function withoutSurroundings(pasted: string): string {
  if (pasted.length > MAX_LENGTH) return pasted.trim();
  const whole = pasted.replaceAll(INVISIBLE, "").trim();
  const text = whole.replace(NAME, "");
  const quoted = inQuotes(whole) ?? inQuotes(text);
  if (quoted !== undefined) return quoted;
  const inner = [BRACKETED, PUNCTUATED].map((pattern) => pattern.exec(text)?.[1]);
  return inner.find((one) => one !== undefined && isId(one)) ?? text;
}

const isId = (text: string): boolean =>
  ADDRESS.test(text) || hasIdentifierForm(text) || formOf(text).executionId !== null;

function inQuotes(text: string): string | undefined {
  const inner = Object.values(QUOTED.exec(text)?.groups ?? {})
    .find((one) => one !== undefined)
    ?.trim();
  return inner === undefined || inner === "" || QUOTES.test(inner) ? undefined : inner;
}
