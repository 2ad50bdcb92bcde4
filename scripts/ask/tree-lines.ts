/**
 * Draws a tree from executions that name their parent, in whatever order they come. Pure; an unknown or a
 * circular parent makes a root, not a loop.
 */
import type { TracedExecution } from "./answer.ts";

export interface TreeLine {
  /** Branches, to stand before the execution. */
  readonly indent: string;
  readonly execution: TracedExecution;
}

const ROOT = null;

export function indentByParent(executions: readonly TracedExecution[]): TreeLine[] {
  const parents = new Map(executions.map(({ id, parentId }) => [id, parentId]));
  const children = Map.groupBy(executions, ({ id, parentId }) =>
    parentId !== null && parents.has(parentId) && !isCircular(id, parents) ? parentId : ROOT,
  );
  return (children.get(ROOT) ?? []).flatMap((root) => [
    { indent: "", execution: root },
    ...below(root.id, "", children),
  ]);
}

/** Whether the way up from the execution comes back to it. */
function isCircular(id: string, parents: ReadonlyMap<string, string | null>): boolean {
  const seen = new Set<string>();
  let above = parents.get(id) ?? null;
  while (above !== null && !seen.has(above)) {
    if (above === id) return true;
    seen.add(above);
    above = parents.get(above) ?? null;
  }
  return false;
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
