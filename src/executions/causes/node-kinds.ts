/** Kinds of nodes that several rules treat in their own way, by type. Pure. */
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { parameterOf } from "./execution-view.ts";

export const LOOP = "n8n-nodes-base.splitInBatches";
/** Its items are what the caller of a sub-workflow sent. */
export const CALLED_TRIGGER = "n8n-nodes-base.executeWorkflowTrigger";
export const DECIDES = /\.(?:if|switch|filter)$/;
export const CODE = /\.(?:code|function|functionItem)$/;

const MAY_RUN_FOR_ALL = /\.(?:code|function)$/;

export const isCodeForAll = (node: WorkflowNode | undefined): boolean =>
  MAY_RUN_FOR_ALL.test(node?.type ?? "") && parameterOf(node, "mode") !== "runOnceForEachItem";
