/** Matches one form at one place: forward from its anchor, and back over the parts before it. */
import type { Stretch } from "../edits.ts";
import { isIn, isWordCode } from "./alphabets.ts";
import { beginsWord, isCut, startBehindEscape } from "./boundaries.ts";
import type { CompiledForm } from "./compile.ts";
import { isRun, type LiteralPart, type Part } from "./notation.ts";
import type { Runs } from "./runs.ts";

export interface Span extends Stretch {
  readonly kind: string;
}

const NONE = -1;

/** Where the literal that begins here ends; its slashes may be escaped as in JSON. -1 if it does not occur here. */
export function endOfText(text: string, literal: string, at: number): number {
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

const ENOUGH_OF_CUT = 0.6;

/** The rest of a token whose text was cut off in this part; undefined if too little is left. */
function cutSpan(
  { leastLength }: CompiledForm,
  runs: Runs,
  from: number,
  secretFrom: number,
  at: number,
  part: Part,
): Stretch | undefined {
  const to = isRun(part) ? runs.endOf(part.alphabet, at) : at;
  const isEnough = isCut(runs.text, to) && to - from >= leastLength * ENOUGH_OF_CUT;
  return isEnough ? { from: secretFrom, to } : undefined;
}

/** The parts after the anchor, from where the secret begins; undefined if they do not occur here. */
function spanOfParts(form: CompiledForm, runs: Runs, from: number, anchorEnd: number): Stretch | undefined {
  const { after } = form;
  let at = anchorEnd;
  let secretFrom = from;
  for (let index = 0; index < after.length; index += 1) {
    const part = after[index];
    if (part === undefined) break;
    if (index === form.secretFrom) secretFrom = at;
    const end = endOfPart(part, runs, at);
    if (end < 0) return form.isDistinctive ? cutSpan(form, runs, from, secretFrom, at, part) : undefined;
    at = end;
  }
  return { from: secretFrom, to: at };
}

function endOfPart(part: Part, runs: Runs, at: number): number {
  if (!isRun(part)) return endOfLiteral(part, runs.text, at);
  const end = runs.endOf(part.alphabet, at);
  return end - at < part.least ? NONE : Math.min(end, at + part.most);
}

/** Where the parts that begin here end; -1 if they do not occur here. */
export function endOfParts(parts: readonly Part[], runs: Runs, from: number): number {
  let at = from;
  for (const part of parts) {
    at = endOfPart(part, runs, at);
    if (at < 0) return NONE;
  }
  return at;
}

/** Where the parts before the anchor begin; -1 if they do not occur there. */
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

const mayBeginRun = ({ firstAlphabet }: CompiledForm, text: string, at: number): boolean =>
  beginsWord(text, at) || !isIn(text.charCodeAt(at - 1), firstAlphabet);

/** Providers lengthen their tokens: characters that continue a distinctive token belong to it. */
function endOfToken(form: CompiledForm, runs: Runs, to: number): number {
  if (!isWordCode(runs.text.charCodeAt(to))) return to;
  return form.isDistinctive ? runs.endOfWord(to) : NONE;
}

/** Whether the text after the anchor may have the form: cheap, and rejects most candidates. */
function mayFollow({ next, run }: CompiledForm, runs: Runs, at: number): boolean {
  if (run !== undefined) return runs.endOf(run.alphabet, at) - at >= run.least;
  return next < 0 || runs.text.charCodeAt(at) === next;
}

/**
 * The secret of this form whose anchor is here, if there is one.
 *
 * @param begins whether a word begins at the anchor
 */
export function matchForm(
  form: CompiledForm,
  runs: Runs,
  anchor: Stretch,
  begins: boolean,
): Span | undefined {
  runs.steps += 1;
  if (!form.isDistinctive && !mayFollow(form, runs, anchor.to)) return undefined;
  const beginsWithAnchor = form.before.length === 0;
  if (beginsWithAnchor && !begins && !form.isDistinctive) return undefined;
  const from = beginsWithAnchor ? anchor.from : startOfParts(form, runs, anchor.from);
  if (from < 0 || (!beginsWithAnchor && !mayBeginRun(form, runs.text, from))) return undefined;
  const span = spanOfParts(form, runs, from, anchor.to);
  return span === undefined ? undefined : wholeSpan(form, runs, from, span);
}

/** The span extended to the whole token; undefined if its surroundings rule it out. */
function wholeSpan(form: CompiledForm, runs: Runs, from: number, span: Stretch): Span | undefined {
  const to = endOfToken(form, runs, span.to);
  if (to < 0 || !runs.isBeside(form.beside, from)) return undefined;
  // The full stop of a sentence is not part of the token.
  const end = to > 0 && runs.text[to - 1] === "." ? to - 1 : to;
  return end > span.from ? { from: span.from, to: end, kind: form.kind } : undefined;
}
