/** Which connections were added, removed or put in another order. A renamed node is the same node. Pure. */

import type { JsonObject } from "../../../platform/compare-values.ts";
import { isObject } from "../../../platform/is-object.ts";

export interface ConnectionChanges {
  /** `Check [0] → Respond`; the output, the input and the kind only where they are not the usual ones. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Nodes of which an output leads to the same nodes in another order. */
  readonly reordered: readonly string[];
}

interface Edge {
  readonly from: string;
  readonly text: string;
}

/** All connections, in their order. */
function edgesOf(connections: JsonObject, nameOf: (name: string) => string): Edge[] {
  return Object.entries(connections).flatMap(([source, types]) =>
    Object.entries(isObject(types) ? types : {}).flatMap(([type, outputs]) =>
      (Array.isArray(outputs) ? outputs : []).flatMap((targets: unknown, output: number) =>
        (Array.isArray(targets) ? targets : []).map((target: unknown) => ({
          from: nameOf(source),
          text: edgeText(nameOf(source), type, output, target, nameOf),
        })),
      ),
    ),
  );
}

function edgeText(
  from: string,
  type: string,
  output: number,
  target: unknown,
  nameOf: (name: string) => string,
): string {
  const { node, type: kind, index } = isObject(target) ? target : {};
  const to = typeof node === "string" ? nameOf(node) : JSON.stringify(target);
  const leaving = `${from}${output === 0 ? "" : ` [output ${output}]`}`;
  const reaching = `${to}${index === 0 || index === undefined ? "" : ` [input ${String(index)}]`}`;
  const arrow =
    type === "main" && kind === "main" ? "→" : `=${type === kind ? type : `${type} to ${String(kind)}`}⇒`;
  return `${leaving} ${arrow} ${reaching}`;
}

/** Each text as often as it is there. */
function countOf(edges: readonly Edge[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of edges) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function without(edges: readonly Edge[], others: readonly Edge[]): string[] {
  const left = countOf(others);
  return edges.flatMap(({ text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0 ? [] : [text];
  });
}

function bySource(edges: readonly Edge[]): Map<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const { from, text } of edges) sources.set(from, [...(sources.get(from) ?? []), text]);
  return sources;
}

/** @param renamed the new name of a node, by its old one */
export function compareConnections(
  before: JsonObject,
  after: JsonObject,
  renamed: ReadonlyMap<string, string>,
): ConnectionChanges {
  const old = edgesOf(before, (name) => renamed.get(name) ?? name);
  const now = edgesOf(after, (name) => name);
  const added = without(now, old);
  const removed = without(old, now);
  const [oldLists, nowLists] = [bySource(old), bySource(now)];
  const reordered = [...oldLists].flatMap(([from, texts]) => {
    const nowTexts = nowLists.get(from) ?? [];
    const isSameSet = [...texts].sort().join("\n") === [...nowTexts].sort().join("\n");
    return isSameSet && texts.join("\n") !== nowTexts.join("\n") ? [from] : [];
  });
  return { added, removed, reordered };
}
