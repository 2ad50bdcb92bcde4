/** Connections that were edited since an earlier success, of nodes that ran. Pure. */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { namesOfPairs, type OtherName, pairNodes } from "../comparison/node-pairs.ts";
import { targetsOf } from "../connections.ts";
import { nodesByName, runsByNode } from "../node-runs.ts";
import type { Fact } from "./fact.ts";

export interface Edge {
  readonly from: string;
  readonly output: number;
  readonly to: string;
  readonly input: number;
}

const MAX_SHOWN = 3;

/** @param leading the nodes that count; null for all */
export function rewiredFact(
  now: ExecutionWithData,
  before: ExecutionWithData,
  leading: ReadonlySet<string> | null,
): Fact[] {
  const nameNow = namesOfPairs(pairNodes(before, now)).now;
  const [own, old] = [edgesOf(now, (name) => name), edgesOf(before, nameNow)];
  const ran = new Set([...runsByNode(now).keys(), ...runsByNode(before).keys()]);
  const without = (edges: readonly Edge[], others: readonly Edge[]): Edge[] => {
    const known = new Set(others.map((edge) => JSON.stringify(edge)));
    const counts = ({ from, to }: Edge): boolean => ran.has(from) && (leading?.has(to) ?? true);
    return edges.filter((edge) => counts(edge) && !known.has(JSON.stringify(edge)));
  };
  const [made, gone] = [without(own, old), without(old, own)];
  const [first] = [...made, ...gone];
  if (first === undefined || old.length === 0) return [];
  const swapped = swappedIn(made, gone);
  const node = swapped === "outputs" ? first.from : first.to;
  const shown = { made: made.slice(0, MAX_SHOWN), gone: gone.slice(0, MAX_SHOWN) };
  return [{ kind: "edited.connections", node, before: before.id, swapped, ...shown, confidence: "compared" }];
}

const edgesOf = (execution: ExecutionWithData, nameNow: OtherName): Edge[] =>
  [...nodesByName(execution).keys()].flatMap((name) =>
    targetsOf(execution, name, "main").flatMap((targets, output) =>
      targets.flatMap(({ node, input }) => {
        // Another node may have the name of a removed one now.
        const [from, to] = [nameNow(name), nameNow(node)];
        return from === undefined || to === undefined ? [] : [{ from, output, to, input }];
      }),
    ),
  );

/** Whether two connections were swapped, at the inputs or at the outputs of one node. */
function swappedIn(made: readonly Edge[], gone: readonly Edge[]): "inputs" | "outputs" | null {
  const ends = (edges: readonly Edge[]): string =>
    JSON.stringify(edges.map(({ from, to }) => [from, to].join("\n")).toSorted());
  const [one, other] = made;
  if (made.length !== 2 || one === undefined || other === undefined || ends(made) !== ends(gone)) return null;
  if (one.to === other.to) return "inputs";
  return one.from === other.from ? "outputs" : null;
}
