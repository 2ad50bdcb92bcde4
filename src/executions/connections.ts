/** The connections of a workflow's nodes, in n8n's form: source → connection type → output → targets. Pure. */
import type { ExecutionWithData } from "../n8n/schemas.ts";
import { isObject } from "../platform/is-object.ts";

export interface Target {
  /** `main`, `ai_tool`, … */
  readonly type: string;
  readonly node: string;
  readonly input: number;
}

/** A node's connections of one type, by output. */
export const targetsOf = (execution: ExecutionWithData, name: string, type: string): Target[][] =>
  targetsIn(outputsOf(execution, name)[type], type);

export const allTargetsOf = (execution: ExecutionWithData, name: string): Target[] =>
  Object.entries(outputsOf(execution, name)).flatMap(([type, outputs]) => targetsIn(outputs, type).flat());

const NONE: Readonly<Record<string, unknown>> = {};

function outputsOf({ workflowData }: ExecutionWithData, name: string): Readonly<Record<string, unknown>> {
  const all = workflowData?.connections;
  const own = isObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  return isObject(own) ? own : NONE;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const targetsIn = (outputs: unknown, type: string): Target[][] =>
  listOf(outputs).map((targets) =>
    listOf(targets).flatMap((target) =>
      isObject(target) && typeof target.node === "string"
        ? [{ type, node: target.node, input: typeof target.index === "number" ? target.index : 0 }]
        : [],
    ),
  );
