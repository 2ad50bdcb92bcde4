/**
 * A value of another item. Facts: where a node gives no `pairedItem` and sends as many items as it was given, n8n links them
 * by position, and `$('Node').item` follows the link; `$node["Node"]`, `.all()[$itemIndex]` and Merge by position go by
 * position at once. `$('Node').first()` in a loop gives what the node sent last, perhaps in an earlier round.
 */
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import type { NodeRun } from "../../../../n8n/schemas.ts";
import { type ExecutionView, parameterOf, type SentItem } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { textsOf } from "../../field-references.ts";
import type { Rule } from "../../rule.ts";
import { dependsOnItem, isCodeForAll, mostSentBy, ofNodes, unlessUsual } from "./usual.ts";

const QUOTED = String.raw`\(?(?:'([^'\n]{1,200})'|"([^"\n]{1,200})")\)?`;
const BY_LINK = new RegExp(String.raw`\$${QUOTED}\.item\.json`, "g");
const BY_POSITION = new RegExp(
  String.raw`\$(?:node\[|items)?${QUOTED}(?:\]\.json|(?:\.all\(\))?\[\$itemIndex\])`,
  "g",
);

const valueAt = ({ json }: SentItem, key: string): ReadValue | undefined =>
  isReadObject(json) && Object.hasOwn(json, key) ? json[key] : undefined;
const isPlain = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || typeof value === "number";

/** How many items stand at another position than those of `others` that have the same value of a field that tells them apart. */
function misplaced(
  items: readonly SentItem[],
  others: readonly SentItem[],
): { field: string; count: number } | null {
  const [first] = items;
  if (first === undefined || others.length < 2 || !isReadObject(first.json)) return null;
  for (const field of Object.keys(first.json)) {
    const known = others.map((item) => valueAt(item, field));
    const own = items.map((item) => valueAt(item, field));
    const isKey =
      [...known, ...own].every(isPlain) && [known, own].every((all) => new Set(all).size === all.length);
    if (!isKey || !own.every((value) => known.includes(value))) continue;
    const count = own.filter((value, index) => known[index] !== value).length;
    return count > 0 ? { field, count } : null;
  }
  return null;
}

interface Step {
  readonly name: string;
  readonly items: readonly SentItem[];
}

/** What each node on the way back to `from` sent, the nearest first. */
function wayBack(view: ExecutionView, name: string, from: string): Step[] {
  const way: Step[] = [];
  let run: NodeRun | undefined = view.runs.get(name)?.[0];
  while (run !== undefined && way.length < 50) {
    const source = run.source[0];
    if (run.source.length !== 1 || source == null) return [];
    if (source.previousNode === from) return way;
    way.push({ name: source.previousNode, items: view.inputOf(run).items });
    run = view.runs.get(source.previousNode)?.[source.previousNodeRun ?? 0];
  }
  return [];
}

const namesIn = (texts: readonly string[], form: RegExp): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(form)].map(([, one, other]) => one ?? other ?? ""))),
];

/** A node without links of its own: n8n linked its items by position. */
function isLinkedByPosition(view: ExecutionView, { name }: Step): boolean {
  const node = view.nodes.get(name);
  const [run] = view.runs.get(name) ?? [];
  const hasLinks = textsOf(node?.parameters).some((text) => text.includes("pairedItem"));
  if (!isCodeForAll(node) || run === undefined || hasLinks) return false;
  return view.inputOf(run).length === mostSentBy(view, name).length;
}

const readsAnother = ofNodes((view, node, { parameters }): Fact | null => {
  const texts = textsOf(parameters).filter((text) => text.startsWith("="));
  const byLink = namesIn(texts, BY_LINK);
  for (const from of [...byLink, ...namesIn(texts, BY_POSITION)]) {
    const given = mostSentBy(view, from).items;
    const changed = wayBack(view, node, from).filter(({ items }) => misplaced(items, given) !== null);
    const by = changed.at(-1);
    const found = by === undefined ? null : misplaced(changed[0]?.items ?? [], given);
    if (by === undefined || found === null) continue;
    const isLinked = byLink.includes(from);
    if (isLinked && !isLinkedByPosition(view, by)) continue;
    const { field, count } = found;
    return {
      kind: "items_mixed",
      node: by.name,
      reader: node,
      from,
      by: field,
      count,
      isLinked,
      confidence: "likely",
    };
  }
  return null;
});

const mergesOthers = ofNodes((view, node, definition): Fact | null => {
  const isByPosition =
    parameterOf(definition, "combineBy") === "combineByPosition" ||
    parameterOf(definition, "combinationMode") === "mergeByPosition";
  const run = view.runs.get(node)?.[0];
  if (!isByPosition || run?.source.length !== 2) return null;
  const [first = [], second = []] = run.source.map(
    (source) => view.inputOf({ ...run, source: [source] }).items,
  );
  const found = misplaced(first, second) ?? misplaced(second, first);
  return found === null
    ? null
    : { kind: "items_mixed.merged", node, by: found.field, count: found.count, confidence: "likely" };
});

const LOOP = "n8n-nodes-base.splitInBatches";
const LATEST_OF = new RegExp(
  String.raw`\$(?:node\[|items)?${QUOTED}(?:\]\.json|\[0\]\.json|\.(?:first|last|all)\(\))`,
  "g",
);
const at = (run: NodeRun | undefined): number => run?.executionIndex ?? run?.startTime ?? 0;

/** The last run before a moment, and its index. */
function lastBefore(runs: readonly NodeRun[], moment: number): number {
  return runs.findLastIndex((run) => at(run) < moment);
}

const readsEarlierRound = ofNodes((view, node, { parameters, type }): Fact | null => {
  const own = view.runs.get(node) ?? [];
  const loops = [...view.runs].filter(([name]) => view.nodes.get(name)?.type === LOOP);
  if (type === LOOP || own.length < 2 || loops.length === 0) return null;
  for (const from of namesIn(textsOf(parameters), LATEST_OF)) {
    const read = view.runs.get(from) ?? [];
    // A node that first ran later, or that does the same in every round, is read on purpose.
    if (read.length === 0 || at(read[0]) > at(own[0]) || !dependsOnItem(view.nodes.get(from))) continue;
    for (const [loop, rounds] of loops) {
      if (from === loop || at(read[0]) < at(rounds[0]) || at(own[0]) < at(rounds[0])) continue;
      const stale = own.findIndex((run, index) => {
        const round = rounds[lastBefore(rounds, at(run))];
        return (
          index > 0 &&
          round !== undefined &&
          at(read[lastBefore(read, at(run))]) < at(round) &&
          isInLoop(round)
        );
      });
      if (stale >= 0)
        return { kind: "stale_value", node, from, loop, run: stale, of: own.length, confidence: "likely" };
    }
  }
  return null;
});

/** Whether the loop was not done then: it sent items by its second output. */
const isInLoop = ({ data }: NodeRun): boolean => {
  const main = data?.main;
  const body = Array.isArray(main) ? main[1] : undefined;
  return Array.isArray(body) && body.length > 0;
};

export const MIXED_RULES: readonly Rule[] = [
  unlessUsual(readsAnother, "likely"),
  unlessUsual(mergesOthers, "likely"),
  unlessUsual(readsEarlierRound, "likely"),
];
