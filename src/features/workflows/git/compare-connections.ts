/** Finds added, removed and reordered connections. A renamed node is the same node. Pure. */
import type { JsonObject } from "../../../platform/compare-values.ts";
import { isObject } from "../../../platform/is-object.ts";

interface Edge {
  readonly from: string;
  readonly text: string;
}

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

/** Not `→`: after a name such as "Get Token", the redactor takes what follows that arrow for its value. */
export const MAIN_ARROW = "⟶";

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
    type === "main" && kind === "main"
      ? MAIN_ARROW
      : `=${type === kind ? type : `${type} to ${String(kind)}`}⇒`;
  return `${leaving} ${arrow} ${reaching}`;
}

/** The connections that are missing in `others`, each as often as it is missing. */
function without(edges: readonly Edge[], others: readonly Edge[]): string[] {
  const left = new Map<string, number>();
  for (const { text } of others) left.set(text, (left.get(text) ?? 0) + 1);
  return edges.flatMap(({ text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0 ? [] : [text];
  });
}

/** @param renamed new names of nodes, by old name */
export function compareConnections(
  before: JsonObject,
  after: JsonObject,
  renamed: ReadonlyMap<string, string>,
) {
  const old = edgesOf(before, (name) => renamed.get(name) ?? name);
  const now = edgesOf(after, (name) => name);
  const nowBySource = Map.groupBy(now, ({ from }) => from);
  const textsOf = (edges: readonly Edge[] = []): string[] => edges.map(({ text }) => text);
  const reordered = [...Map.groupBy(old, ({ from }) => from)].filter(([from, edges]) => {
    const [texts, nowTexts] = [textsOf(edges), textsOf(nowBySource.get(from))];
    const isSameSet = texts.toSorted().join("\n") === nowTexts.toSorted().join("\n");
    return isSameSet && texts.join("\n") !== nowTexts.join("\n");
  });
  return {
    /** `Check [0] → Respond`; output, input and type are shown only if unusual. */
    added: without(now, old),
    removed: without(old, now),
    /** Nodes with an output that leads to the same nodes in another order. */
    reordered: reordered.map(([from]) => from),
  };
}
