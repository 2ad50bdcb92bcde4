/** Connections that were edited since an earlier success, of nodes that ran. Pure. */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { pairNodes } from "../comparison/node-pairs.ts";
import { targetsOf } from "../connections.ts";
import { nodesByName, runsByNode } from "../node-runs.ts";
import type { Fact } from "./fact.ts";

export interface Edge {
  readonly from: string;
  readonly output: number;
  readonly to: string;
  readonly input: number;
}

const MAX_TOLD = 3;

/** @param leading the nodes that count */
export function rewiredFact(
  now: ExecutionWithData,
  before: ExecutionWithData,
  leading: ReadonlySet<string> | null,
): Fact[] {
  const renamed = new Map(pairNodes(before, now).pairs.map((pair) => [pair.before.name, pair.now.name]));
  const own = edgesOf(now, (name) => name);
  const old = edgesOf(before, (name) => renamed.get(name) ?? name);
  const ran = new Set([...runsByNode(now).keys(), ...runsByNode(before).keys()]);
  const without = (edges: readonly Edge[], others: readonly Edge[]): Edge[] => {
    const known = new Set(others.map(keyOf));
    return edges.filter((edge) => !known.has(keyOf(edge)) && ran.has(edge.from));
  };
  const leads = ({ from, to }: Edge): boolean => leading === null || leading.has(to) || leading.has(from);
  const [made, gone] = [without(own, old).filter(leads), without(old, own).filter(leads)];
  const [first] = [...made, ...gone];
  if (first === undefined || old.length === 0) return [];
  const swapped = swappedIn(made, gone);
  return [
    {
      kind: "edited.connections",
      node: swapped === "outputs" ? first.from : first.to,
      before: before.id,
      swapped,
      made: made.slice(0, MAX_TOLD),
      gone: gone.slice(0, MAX_TOLD),
      confidence: "compared",
    },
  ];
}

const keyOf = ({ from, output, to, input }: Edge): string => JSON.stringify([from, output, to, input]);

const edgesOf = (execution: ExecutionWithData, toName: (name: string) => string): Edge[] =>
  [...nodesByName(execution).keys()].flatMap((from) =>
    targetsOf(execution, from, "main").flatMap((targets, output) =>
      targets.map(({ node, input }) => ({ from: toName(from), output, to: toName(node), input })),
    ),
  );

/** Whether two connections changed places, at the inputs of one node or at the outputs of one. */
function swappedIn(made: readonly Edge[], gone: readonly Edge[]): "inputs" | "outputs" | null {
  const ends = (edges: readonly Edge[]): string =>
    JSON.stringify(edges.map(({ from, to }) => [from, to].join("\n")).toSorted());
  const [one, other] = made;
  if (made.length !== 2 || one === undefined || other === undefined || ends(made) !== ends(gone)) return null;
  if (one.to === other.to) return "inputs";
  return one.from === other.from ? "outputs" : null;
}
