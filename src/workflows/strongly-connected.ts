/**
 * Finds the cycles of a directed graph with Tarjan's algorithm for strongly connected components ("Depth-first search
 * and linear graph algorithms", 1972), without recursion, so that graphs of any depth work. Pure.
 */

/** Groups of nodes that reach each other, in order of discovery. A single node is a group only if it leads to itself. */
export function cyclesOf(nodes: Iterable<string>, successorsOf: (node: string) => readonly string[]) {
  const cycles: string[][] = [];
  const visits = new Map<string, Visit>();
  /** Visits that do not belong to a group yet. */
  const open: Visit[] = [];
  const enter = (node: string): Visit => {
    const index = visits.size;
    const visit = { node, index, lowest: index, isOpen: true, successors: successorsOf(node), next: 0 };
    visits.set(node, visit);
    open.push(visit);
    return visit;
  };
  /** Closes the group that began at this visit, if one did. */
  const leave = (visit: Visit): void => {
    if (visit.lowest !== visit.index) return;
    const group = open.splice(open.lastIndexOf(visit));
    for (const member of group) member.isOpen = false;
    if (group.length > 1 || visit.successors.includes(visit.node)) cycles.push(group.map(({ node }) => node));
  };
  for (const start of nodes) {
    const path = visits.has(start) ? [] : [enter(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const successor = visit.successors[visit.next];
      const found = successor === undefined ? undefined : visits.get(successor);
      visit.next += 1;
      if (successor === undefined) {
        path.pop();
        leave(visit);
        const before = path.at(-1);
        if (before !== undefined) before.lowest = Math.min(before.lowest, visit.lowest);
      } else if (found === undefined) path.push(enter(successor));
      else if (found.isOpen) visit.lowest = Math.min(visit.lowest, found.index);
    }
  }
  return cycles;
}

interface Visit {
  readonly node: string;
  readonly index: number;
  /** The lowest index that is reachable from the node. */
  lowest: number;
  isOpen: boolean;
  readonly successors: readonly string[];
  next: number;
}
