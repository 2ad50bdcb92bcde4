/** Matches one form at one place: forward from its anchor, and back over what stands before it. */
import { isIn, isWordCode } from "./alphabets.ts";
import { beginsWord, beginsWordAfter, isCut, startBehindEscape } from "./boundaries.ts";
import type { CompiledForm } from "./compile.ts";
import { isRun, type LiteralPart, type Part } from "./notation.ts";
import type { Runs } from "./runs.ts";

/** A stretch of the text. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A stretch that is secret. */
export interface Span extends Stretch {
  readonly kind: string;
}

const NONE = -1;

/** Where the literal ends, whose solidi may be escaped as JSON allows; -1 when it does not stand here. */
function endOfText(text: string, literal: string, at: number): number {
  if (text.startsWith(literal, at)) return at + literal.length;
  if (!literal.includes("/") || text[at] === undefined) return NONE;
  let end = at;
  for (const character of literal) {
    if (character === "/" && text[end] === "\\") end += 1;
    if (text[end] !== character) return NONE;
    end += 1;
  }
  return end;
}

function endOfLiteral({ texts }: LiteralPart, text: string, at: number): number {
  for (const literal of texts) {
    const end = endOfText(text, literal, at);
    if (end !== NONE) return end;
  }
  return NONE;
}

/** How much of a token has to be there where its text was cut off. */
const ENOUGH_OF_CUT = 0.6;

function isEnoughOfCut(form: CompiledForm, runs: Runs, from: number, to: number): boolean {
  return form.isDistinctive && isCut(runs.text, to) && to - from >= form.leastLength * ENOUGH_OF_CUT;
}

/** The end of the parts after the anchor; -1 when they do not stand here. */
function spanOfParts(form: CompiledForm, runs: Runs, from: number, anchorEnd: number): Stretch | undefined {
  let at = anchorEnd;
  let secretFrom = from;
  for (const [index, part] of form.after.entries()) {
    if (index === form.secretFrom) secretFrom = at;
    const end = endOfPart(part, runs, at);
    if (end < 0) {
      const reached = isRun(part) ? runs.endOf(part.alphabet, at) : at;
      return isEnoughOfCut(form, runs, from, reached) ? { from: secretFrom, to: reached } : undefined;
    }
    at = end;
  }
  return { from: secretFrom, to: at };
}

function endOfPart(part: Part, runs: Runs, at: number): number {
  if (!isRun(part)) return endOfLiteral(part, runs.text, at);
  const end = runs.endOf(part.alphabet, at);
  return end - at < part.least ? NONE : Math.min(end, at + part.most);
}

/** Where the parts end that stand here; -1 when they do not. */
export function endOfParts(parts: readonly Part[], runs: Runs, from: number): number {
  let at = from;
  for (const part of parts) {
    at = endOfPart(part, runs, at);
    if (at < 0) return NONE;
  }
  return at;
}

/** Where the parts before the anchor begin; -1 when they do not stand there. */
function startOfParts({ before }: CompiledForm, runs: Runs, anchor: number): number {
  let at = anchor;
  for (const part of before) {
    const start = startOfPart(part, runs, at);
    if (start < 0) return NONE;
    at = start;
  }
  return at;
}

function startOfPart(part: Part, runs: Runs, at: number): number {
  if (isRun(part)) {
    const count = runs.countBefore(part.alphabet, at, part.most);
    if (count < part.least) return NONE;
    const start = startBehindEscape(runs.text, at - count);
    return at - start < part.least ? at - count : start;
  }
  const literal = part.texts.find((each) => runs.text.endsWith(each, at));
  return literal === undefined ? NONE : at - literal.length;
}

/** Whether a token may begin here: not amid other characters of its alphabet. */
function mayBegin({ isDistinctive, firstAlphabet }: CompiledForm, text: string, at: number): boolean {
  if (isDistinctive || beginsWord(text, at)) return true;
  return firstAlphabet >= 0 && !isIn(text.charCodeAt(at - 1), firstAlphabet);
}

/** The same at the place that is being read; a form that begins with its anchor has no run before it. */
function mayBeginAt({ isDistinctive }: CompiledForm, { text, lastEscape }: Runs, at: number): boolean {
  return isDistinctive || beginsWordAfter(text, at, lastEscape);
}

/** How far before a token the word beside it may stand. */
export const BESIDE_WINDOW = 80;

function isBeside({ beside }: CompiledForm, text: string, at: number): boolean {
  if (beside.length === 0) return true;
  const before = text.slice(Math.max(0, at - BESIDE_WINDOW), at).toLowerCase();
  return beside.some((word) => before.includes(word));
}

/** Providers lengthen their tokens: what goes on after a distinctive one belongs to it. */
function endOfToken(form: CompiledForm, runs: Runs, to: number): number {
  if (!isWordCode(runs.text.charCodeAt(to))) return to;
  return form.isDistinctive ? runs.endOfWord(to) : NONE;
}

/** The secret of this form whose anchor stands here, if it is one. */
export function matchForm(form: CompiledForm, runs: Runs, anchor: number): Span | undefined {
  const { text } = runs;
  runs.steps += 1;
  if (form.before.length === 0 && !mayBeginAt(form, runs, anchor)) return undefined;
  const anchorEnd = endOfText(text, form.anchor, anchor);
  if (anchorEnd < 0) return undefined;
  const from = startOfParts(form, runs, anchor);
  if (from < 0 || (form.before.length > 0 && !mayBegin(form, text, from))) return undefined;
  const span = spanOfParts(form, runs, from, anchorEnd);
  if (span === undefined || !isBeside(form, text, from)) return undefined;
  const to = endOfToken(form, runs, span.to);
  // The full stop of a sentence is no part of the token.
  const end = to > 0 && text[to - 1] === "." ? to - 1 : to;
  return end > span.from ? { from: span.from, to: end, kind: form.kind } : undefined;
}
