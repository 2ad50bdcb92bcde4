/** Kinds of nodes that several rules treat in their own way, by type. Pure. */
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { parameterOf } from "./execution-view.ts";

export const LOOP = "n8n-nodes-base.splitInBatches";
/** Its items are what the caller of a sub-workflow sent. */
export const CALLED_TRIGGER = "n8n-nodes-base.executeWorkflowTrigger";
export const DECIDES = /\.(?:if|switch|filter)$/;
export const CODE = /\.(?:code|function|functionItem)$/;

const MAY_RUN_FOR_ALL = /\.(?:code|function)$/;

/** Whether a Merge puts its inputs together in one of these modes, whatever its version calls the parameter. */
export const mergesIn = (node: WorkflowNode, modes: RegExp): boolean =>
  ["mode", "combineBy", "combinationMode"].some((name) => modes.test(String(parameterOf(node, name))));

export const isCodeForAll = (node: WorkflowNode | undefined): boolean =>
  MAY_RUN_FOR_ALL.test(node?.type ?? "") && parameterOf(node, "mode") !== "runOnceForEachItem";
