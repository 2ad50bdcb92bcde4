/** The hashes of names of members: names repeat from one execution to the next. */
import type { Term, TermHasher } from "./term-hasher.ts";

/** UTF-16 units. All longer names share one hash. */
const MAX_NAME = 128;
/** Bounds names and pairs of them. At the bound all names are forgotten at once; few histories have so many. */
const MAX_REMEMBERED = 5_000;

export interface Name {
  readonly term: Term;
  /** The pair of both, by the name before. */
  readonly below: Map<Name, Term>;
}

export class Names {
  readonly #hasher: TermHasher;
  readonly #known = new Map<string, Name>();
  readonly #long: Name;
  #pairs = 0;

  constructor(hasher: TermHasher) {
    this.#hasher = hasher;
    this.#long = this.#nameOf("");
  }

  /** Ignores case, as paths do. */
  of(key: string): Name {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = key.toLowerCase();
    if (name.length > MAX_NAME) return this.#long;
    const made = this.#nameOf(name);
    if (this.#known.size >= MAX_REMEMBERED) this.#forget();
    this.#known.set(key, made);
    return made;
  }

  #nameOf(name: string): Name {
    this.#hasher.text(name);
    return { term: this.#hasher.term, below: new Map() };
  }

  /** The term of a name below another. */
  below(before: Name, name: Name): Term {
    const known = name.below.get(before);
    if (known !== undefined) return known;
    this.#hasher.pair(before.term, name.term);
    const term = this.#hasher.term;
    if (this.#pairs < MAX_REMEMBERED) {
      name.below.set(before, term);
      this.#pairs += 1;
    }
    return term;
  }

  #forget(): void {
    this.#known.clear();
    this.#long.below.clear();
    this.#pairs = 0;
  }
}
