/**
 * The cycles of a directed graph, by Tarjan's algorithm for strongly connected components ("Depth-first
 * search and linear graph algorithms", 1972), without recursion: a graph may be as deep as it likes. Pure.
 */

interface Visit {
  readonly node: string;
  readonly successors: readonly string[];
  next: number;
}

/** Groups of nodes that reach each other; a node alone only if it leads to itself. Each in order of its discovery. */
export function cyclesOf(
  nodes: Iterable<string>,
  successorsOf: (node: string) => readonly string[],
): string[][] {
  const search = new Search(successorsOf);
  for (const node of nodes) search.from(node);
  return search.cycles;
}

class Search {
  readonly cycles: string[][] = [];
  readonly #successorsOf: (node: string) => readonly string[];
  readonly #indexes = new Map<string, number>();
  /** The lowest index that a node reaches. */
  readonly #lowest = new Map<string, number>();
  /** Found, and not yet in a group. */
  readonly #open: string[] = [];
  readonly #isOpen = new Set<string>();

  constructor(successorsOf: (node: string) => readonly string[]) {
    this.#successorsOf = successorsOf;
  }

  from(start: string): void {
    if (this.#indexes.has(start)) return;
    const path: Visit[] = [this.#enter(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const successor = visit.successors[visit.next];
      visit.next += 1;
      if (successor === undefined) {
        path.pop();
        this.#leave(visit);
        this.#lower(path.at(-1)?.node, this.#lowest.get(visit.node));
      } else if (!this.#indexes.has(successor)) {
        path.push(this.#enter(successor));
      } else if (this.#isOpen.has(successor)) {
        this.#lower(visit.node, this.#indexes.get(successor));
      }
    }
  }

  #enter(node: string): Visit {
    this.#lowest.set(node, this.#indexes.size);
    this.#indexes.set(node, this.#indexes.size);
    this.#open.push(node);
    this.#isOpen.add(node);
    return { node, successors: this.#successorsOf(node), next: 0 };
  }

  #lower(node: string | undefined, index: number | undefined): void {
    if (node === undefined || index === undefined) return;
    this.#lowest.set(node, Math.min(index, this.#lowest.get(node) ?? index));
  }

  /** Closes the group that began at this node, if one did. */
  #leave({ node, successors }: Visit): void {
    if (this.#lowest.get(node) !== this.#indexes.get(node)) return;
    const group = this.#open.splice(this.#open.lastIndexOf(node));
    for (const member of group) this.#isOpen.delete(member);
    if (group.length > 1 || successors.includes(node)) this.cycles.push(group);
  }
}
