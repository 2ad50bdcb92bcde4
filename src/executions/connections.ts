/** What a workflow's nodes are connected to, by n8n's form: source → connection type → output → targets. Pure. */
import type { ExecutionWithData } from "../n8n/schemas.ts";
import { isObject } from "../platform/is-object.ts";

export interface Target {
  /** `main`, `ai_tool`, … */
  readonly type: string;
  readonly node: string;
  readonly input: number;
}

/** The connections that leave a node: by type, and then by output. */
export function connectionsOf(
  { workflowData }: ExecutionWithData,
  name: string,
): ReadonlyMap<string, readonly (readonly Target[])[]> {
  const all = workflowData?.connections;
  const own = isObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  const types = isObject(own) ? Object.entries(own) : [];
  return new Map(
    types.map(([type, outputs]) => [type, listOf(outputs).map((targets) => targetsIn(targets, type))]),
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const targetsIn = (targets: unknown, type: string): Target[] =>
  listOf(targets).flatMap((target) =>
    isObject(target) && typeof target.node === "string"
      ? [{ type, node: target.node, input: typeof target.index === "number" ? target.index : 0 }]
      : [],
  );
