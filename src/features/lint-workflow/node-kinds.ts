/** Tells checks and critical calls, as the guide defines them, from other steps. Pure. */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { isTriggerType, shortType } from "../../workflows/node-types.ts";
import { codeOf } from "./code-text.ts";

const listed = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/** Nodes of n8n itself that touch nothing outside the execution. All others may fail, or have an effect. */
const LOCAL = listed(
  `aggregate aiTransform code compareDatasets compression convertToFile crypto dateTime debugHelper
  dynamicCredentialCheck editImage evaluation executionData extractFromFile filter form function functionItem html
  htmlExtract iCal if interval itemLists jwt limit markdown merge moveBinaryData n8nTrainingCustomerDatastore
  n8nTrainingCustomerMessenger noOp readPDF removeDuplicates renameKeys respondToWebhook set simulate sort
  splitInBatches splitOut spreadsheetFile start stickyNote stopAndError summarize switch timeSaved totp wait xml`,
);
/** Nodes of n8n's AI package that touch nothing outside the execution. */
const LOCAL_AI = listed("chat memoryManager memoryChatRetriever");

/** A call that can fail for reasons outside the workflow: HTTP, databases, files, services, models, other workflows. */
export function isCritical({ type }: Pick<WorkflowNodeWithParameters, "type">): boolean {
  if (isTriggerType(type)) return false;
  if (type.startsWith("n8n-nodes-base.")) return !LOCAL.has(shortType(type));
  if (type.startsWith("@n8n/n8n-nodes-langchain.")) return !LOCAL_AI.has(shortType(type));
  return true;
}

const CHECKS = listed("if switch filter guardrails");
/** Code checks with a condition, or with a call that is named after a check. */
const CHECKING_CODE =
  /\bif\s*\(|\bif\s[^:\n]{1,200}:|\bswitch\s*\(|\bthrow\b|\braise\b|\bvalidat|\bsafeParse\b|\bassert|(?<!\?)\?\s*[{[]/i;

/** Whether a node can turn bad input away. */
export function isCheck(node: WorkflowNodeWithParameters): boolean {
  const code = codeOf(node);
  return code === undefined ? CHECKS.has(shortType(node.type)) : CHECKING_CODE.test(code);
}
