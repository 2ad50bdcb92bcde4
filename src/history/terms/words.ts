/**
 * Words of a text: the longest runs of letters, digits, `_` and `-`, which extend an id (`mentionIn`), and their parts
 * of only letters and digits. In any script; case is preserved. Pure.
 */

/** Classes of a UTF-16 unit: not classified yet, no part of a word, joins parts of a word, a letter or digit. */
const UNKNOWN = 0;
const NONE = 1;
const JOINT = 2;
const LETTER = 3;

const JOINTS = /[_-]/;
const LETTERS = /[\p{L}\p{N}]/u;

function classOf(character: string): number {
  if (JOINTS.test(character)) return JOINT;
  return LETTERS.test(character) ? LETTER : NONE;
}

/** Filled in as units occur. */
const CLASSES = new Uint8Array(0x10000);
for (let code = 0; code < 0x80; code += 1) CLASSES[code] = classOf(String.fromCharCode(code));

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;
const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00;

function classBeyondAscii(text: string, at: number, code: number): number {
  const isPair = isHighSurrogate(code)
    ? isLowSurrogate(text.charCodeAt(at + 1))
    : isLowSurrogate(code) && at > 0 && isHighSurrogate(text.charCodeAt(at - 1));
  if (isPair)
    return classOf(String.fromCodePoint(text.codePointAt(isHighSurrogate(code) ? at : at - 1) ?? 0));
  const known = CLASSES[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const found = classOf(String.fromCharCode(code));
  CLASSES[code] = found;
  return found;
}

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x80 ? (CLASSES[code] ?? NONE) : classBeyondAscii(text, at, code);
}

/** Called with each word, then with its parts if it contains a joint. */
export type OnWord = (from: number, to: number, isPart: boolean) => void;

export function eachWord(text: string, from: number, to: number, see: OnWord): void {
  for (let at = from; at < to; at += 1) {
    const first = classAt(text, at);
    if (first === NONE) continue;
    const begin = at;
    let hasJoint = false;
    for (let found = first; found !== NONE; found = at < to ? classAt(text, at) : NONE) {
      hasJoint ||= found === JOINT;
      at += 1;
    }
    see(begin, at, false);
    if (hasJoint) eachPart(text, begin, at, see);
  }
}

function eachPart(text: string, from: number, to: number, see: OnWord): void {
  for (let at = from; at < to; at += 1) {
    if (classAt(text, at) === JOINT) continue;
    const begin = at;
    while (at < to && classAt(text, at) === LETTER) at += 1;
    see(begin, at, true);
  }
}
