/**
 * Reads the inputs that an MCP client sees: the `inputSchema` that n8n makes from a tool node. Follows
 * n8n-nodes-langchain 2.40, `nodes/tools/ToolWorkflow/v2/utils/WorkflowToolService.ts`. Pure.
 */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { type FromAiArguments, fromAiArguments } from "./from-ai.ts";
import { listAt } from "./node-parameters.ts";
import { TOOL_WORKFLOW } from "./node-types.ts";

export interface ToolInput {
  readonly name: string;
  /** `string`, `number`, `boolean`, or `json` (an object or an array). */
  readonly type: string;
  /** False for an input with a default. */
  readonly isRequired: boolean;
  readonly description?: string;
  readonly defaultValue?: unknown;
}

export interface ToolInputs {
  readonly inputs: readonly ToolInput[];
  /** These keep n8n from building the tool. */
  readonly problems: FromAiArguments["problems"];
}

/** langchain gives this input to a tool that has no schema of its own. */
const FREE_TEXT: ToolInput = { name: "input", type: "string", isRequired: false };

export function toolInputs(node: WorkflowNodeWithParameters): ToolInputs {
  const { arguments: found, problems } = fromAiArguments(node.parameters);
  const isFreeText = node.type === TOOL_WORKFLOW && (found.length === 0 || !hasMappedInputs(node));
  if (isFreeText) return { inputs: [FREE_TEXT], problems };
  const inputs = found.map(({ key, type, description, defaultValue }) => ({
    name: key,
    type,
    isRequired: defaultValue === undefined,
    ...(description === undefined || description === "" ? {} : { description }),
    ...(defaultValue === undefined ? {} : { defaultValue }),
  }));
  return { inputs, problems };
}

/** Without them, n8n hands on the model's text as `query`, whatever `$fromAI` there may be. */
function hasMappedInputs({ parameters, typeVersion }: WorkflowNodeWithParameters): boolean {
  return typeVersion >= 2 && listAt(parameters, "workflowInputs", "schema").length > 0;
}
