/**
 * Finds many words in a stream of letters, each letter looked at once (Aho and Corasick, 1975). What is no letter
 * is for the caller to pass over. Pure.
 */

/** A word in small letters of ASCII, and the bits that stand for it. */
export interface AutomatonWord {
  readonly letters: string;
  readonly bits: number;
}

export const LETTERS = 26;
const CODE_OF_A = 97;

/** Of a letter, from 0; of anything else 26 or more, or negative. */
export const letterOf = (code: number): number => (code | 32) - CODE_OF_A;

export interface LetterAutomaton {
  /** The state after a letter: `next[state * LETTERS + letter]`. It begins with state 0. */
  readonly next: Uint16Array;
  /** The bits of all words that end in a state. */
  readonly bits: Uint16Array;
}

/** @throws RangeError when the words have too many letters for a state to be a number of 16 bits */
export function createLetterAutomaton(words: readonly AutomatonWord[]): LetterAutomaton {
  const most = words.reduce((sum, { letters }) => sum + letters.length, 1);
  const edges = new Int32Array(most * LETTERS);
  const bits = new Uint16Array(most);
  let states = 1;
  for (const word of words) {
    let state = 0;
    for (let at = 0; at < word.letters.length; at += 1) {
      const edge = state * LETTERS + letterOf(word.letters.charCodeAt(at));
      if (edges[edge] === 0) {
        edges[edge] = states;
        states += 1;
      }
      state = edges[edge] ?? 0;
    }
    bits[state] = (bits[state] ?? 0) | word.bits;
  }
  if (states > 0xffff) throw new RangeError("Too many letters for one automaton.");
  return closed(edges, bits, states);
}

/** Where no word goes on, the longest end that begins one does. Breadth first: shorter ends are closed already. */
function closed(edges: Int32Array, bits: Uint16Array, states: number): LetterAutomaton {
  const next = new Uint16Array(states * LETTERS);
  const shorter = new Uint16Array(states);
  const open: number[] = [0];
  for (const state of open) {
    const end = shorter[state] ?? 0;
    bits[state] = (bits[state] ?? 0) | (bits[end] ?? 0);
    for (let letter = 0; letter < LETTERS; letter += 1) {
      const child = edges[state * LETTERS + letter] ?? 0;
      const otherwise = state === 0 ? 0 : (next[end * LETTERS + letter] ?? 0);
      next[state * LETTERS + letter] = child === 0 ? otherwise : child;
      if (child === 0) continue;
      shorter[child] = otherwise;
      open.push(child);
    }
  }
  return { next, bits: bits.slice(0, states) };
}
