/**
 * Draws a tree from executions that name their parent. They come in tree order, each after its parent.
 * Pure; an unknown or a circular parent makes a root, not a loop.
 */
import type { TracedExecution } from "./answer.ts";

export interface TreeLine {
  /** Branches, to stand before the execution. */
  readonly indent: string;
  readonly execution: TracedExecution;
}

const ROOT = null;

export function indentByParent(executions: readonly TracedExecution[]): TreeLine[] {
  const seen = new Set<string>();
  const children = Map.groupBy(executions, ({ id, parentId }) => {
    const isKnown = parentId !== null && seen.has(parentId);
    seen.add(id);
    return isKnown ? parentId : ROOT;
  });
  return (children.get(ROOT) ?? []).flatMap((root) => [
    { indent: "", execution: root },
    ...below(root.id, "", children),
  ]);
}

function below(
  parentId: string,
  stem: string,
  children: ReadonlyMap<string | null, readonly TracedExecution[]>,
): TreeLine[] {
  const siblings = children.get(parentId) ?? [];
  return siblings.flatMap((execution, index) => {
    const isLast = index === siblings.length - 1;
    return [
      { indent: `${stem}${isLast ? "└ " : "├ "}`, execution },
      ...below(execution.id, `${stem}${isLast ? "  " : "│ "}`, children),
    ];
  });
}
