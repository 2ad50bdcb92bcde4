/**
 * The notation of the tables: one row a line, `provider | forms | source | beside`, with two spaces between forms.
 *
 * A form is literal text with runs in braces. `ghp_{w:36+}`: the text `ghp_`, and 36 or more of alphabet `w`.
 * Lengths are `36` (exactly: the next character is of another alphabet), `36+`, `20-40`. `{live|test}` is one of
 * these texts, `{uuid}` a UUID, `{pad}` the padding of base64. The text before `»` is not secret (the
 * host of a webhook); `⟨` and `⟩` are literal braces. A leading `^` allows the form only at the beginning of a word,
 * although its prefix is distinctive.
 *
 * The source is the host of the provider's page, or `rules` if public rule sets agree on the form. `beside` lists words,
 * one of which must occur shortly before the token (see `Runs.isBeside`).
 */
import { charactersOf, isIn, numberOfAlphabet } from "./alphabets.ts";

export interface LiteralPart {
  readonly texts: readonly string[];
}

export interface RunPart {
  readonly alphabet: number;
  readonly least: number;
  readonly most: number;
}

export type Part = LiteralPart | RunPart;

export interface Form {
  readonly provider: string;
  readonly notation: string;
  readonly source: string;
  /** In lower case; empty if the form alone is conclusive. */
  readonly beside: readonly string[];
  readonly parts: readonly Part[];
  readonly secretFrom: number;
  readonly mustBeginWord: boolean;
  readonly kind: string;
}

export const isRun = (part: Part): part is RunPart => "alphabet" in part;

/** Longer than any token, so it means no upper limit. */
const UNBOUNDED = 1_000_000_000;

const UUID = "{H:8}-{H:4}-{H:4}-{H:4}-{H:12}";
const PADDING: Part = { texts: ["===", "==", "=", ""] };

function parseRun(inside: string, notation: string): Part {
  const [, name = "", from, to = from, plus] = /^([A-Za-z]):(\d+)(?:-(\d+)|(\+))?$/.exec(inside) ?? [];
  const alphabet = numberOfAlphabet(name);
  if (alphabet < 0) return parseTexts(inside, notation);
  return { alphabet, least: Number(from), most: plus === undefined ? Number(to) : UNBOUNDED };
}

function parseTexts(inside: string, notation: string): Part {
  if (inside === "pad") return PADDING;
  if (!inside.includes("|")) throw new SyntaxError(`No alphabet or texts: {${inside}} in ${notation}`);
  // Longest first, because it may begin with another one.
  return { texts: inside.split("|").sort((a, b) => b.length - a.length) };
}

const withBraces = (literal: string): string => literal.replaceAll("⟨", "{").replaceAll("⟩", "}");

/** The parts of a form. @throws SyntaxError when it is not in the notation */
export function parseParts(notation: string): { parts: Part[]; secretFrom: number } {
  const parts: Part[] = [];
  let secretFrom = 0;
  const expanded = notation.replaceAll("{uuid}", UUID);
  for (const [, inside, sign, literal = ""] of expanded.matchAll(/\{([^{}]+)\}|(»)|([^{}»]+)/g)) {
    if (sign !== undefined) secretFrom = parts.length;
    else parts.push(inside === undefined ? { texts: [withBraces(literal)] } : parseRun(inside, notation));
  }
  requireSeparate(parts, notation);
  return { parts, secretFrom };
}

/** A run is greedy and never backtracks, so the next part must begin with a character of another alphabet. */
function requireSeparate(parts: readonly Part[], notation: string): void {
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    // A run that begins the form is read backwards from its anchor.
    if (next === undefined || index === 0 || !isRun(part) || part.least === part.most) continue;
    const isTaken = isRun(next)
      ? isIn(charactersOf(next.alphabet).charCodeAt(0), part.alphabet)
      : next.texts.some((text) => isIn(text.charCodeAt(0), part.alphabet));
    if (isTaken) throw new SyntaxError(`A run includes what follows it: ${notation}`);
  }
}

function parseLine(line: string, kind: string): Form[] {
  const [provider = "", notations = "", source = "", words = ""] = line.split(" | ");
  return notations.split("  ").map((notation) => {
    const mustBeginWord = notation.startsWith("^");
    const beside = words === "" ? [] : words.split(",");
    const parsed = parseParts(notation.slice(mustBeginWord ? 1 : 0));
    return { provider, notation, source, beside, ...parsed, mustBeginWord, kind };
  });
}

/** The forms of a table. @throws SyntaxError for a line that is not in the notation */
export function parseForms(table: string, kind: string): Form[] {
  return table
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => parseLine(line, kind));
}

export const leastLength = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (isRun(part) ? part.least : (part.texts.at(-1)?.length ?? 0)), 0);
