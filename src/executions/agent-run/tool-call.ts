/**
 * One call of a tool: what it was asked for, what it answered, and whether it failed, which to n8n is often a success.
 * Seen: agents 3 mark the run and send `{ error }`; agents 1 and 2 mark it and send what was given; a sub-workflow or
 * an MCP server that failed is a success that sends a text. Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionReference, NodeError } from "../../n8n/schemas.ts";
import { isErrorForAgent } from "../../n8n/tool-error-words.ts";
import { callsWorkflow } from "../../n8n/workflow-callers.ts";
import { memberOf, textAt } from "../json-members.ts";
import { isMcpClient } from "./call-kinds.ts";
import type { Call } from "./calls.ts";

/**
 * `answered_error`: it did not fail, and its answer has an `error`, which may be an ordinary one.
 * `refused_arguments`: they do not fit its schema, so that it was not run.
 */
export type ToolTrouble = "failed" | "refused_arguments" | "answered_error";

export interface ToolFacts {
  readonly trouble: ToolTrouble | null;
  /** It failed, and its run says that it succeeded. */
  readonly isHidden: boolean;
  readonly subExecution: ExecutionReference | null;
  /** Payload. */
  readonly arguments: ReadValue | undefined;
  /** Payload: of a node that stands for several tools, which. */
  readonly toolName: string | null;
  /** Payload. */
  readonly result: ReadValue | undefined;
  /** Payload: in which words it failed. */
  readonly errorText: string | null;
}

/** LangChain's own words (`ToolInputParsingException`). */
const REFUSED = /^(?:Error: )?Received tool input did not match expected schema/;

export const isRefusal = (text: string | undefined): boolean => text !== undefined && REFUSED.test(text);

/**
 * @param others the other runs of its node
 * @param input keys of the item that its agent was given
 */
export function toolFactsOf(call: Call, others: readonly Call[], input: ReadonlySet<string>): ToolFacts {
  const { given, sent, nodeRun, nodeType } = call;
  const told = errorTextOf(sent);
  const isMarked = nodeRun.error !== undefined || nodeRun.executionStatus === "error";
  const hasFailed =
    (isMarked && !isMarkedForAnother(call, others)) || (told !== null && isErrorForAgent(told));
  const { error } = nodeRun;
  const called =
    error?.executionId === undefined || !callsWorkflow(nodeType)
      ? null
      : { executionId: error.executionId, workflowId: error.workflowId };
  return {
    trouble: hasFailed
      ? troubleOf(told, error)
      : told === null && !hasErrorAnswer(sent)
        ? null
        : "answered_error",
    isHidden: hasFailed && !isMarked,
    subExecution: nodeRun.metadata?.subExecution ?? called,
    arguments: argumentsOf(given, input),
    toolName: toolNameOf(call),
    result: hasFailed ? undefined : resultOf(call),
    errorText: hasFailed ? (told ?? error?.message ?? null) : null,
  };
}

/** What a tool fails with itself has a class or a status: a refusal, before it runs, has neither. */
const troubleOf = (told: string | null, error: NodeError | undefined): ToolTrouble =>
  isRefusal(told ?? error?.message) && error?.name === undefined && error?.httpCode == null
    ? "refused_arguments"
    : "failed";

/** Where tools say what went wrong: `error`, `response`, or the first text that an MCP server sent. */
function errorTextOf(sent: ReadValue | undefined): string | null {
  const error = textAt(sent, "error");
  if (error !== undefined && error !== "") return error;
  const said = textAt(sent, "response") ?? textAt(sent, "response", 0, "text");
  return said !== undefined && isErrorForAgent(said) ? said : null;
}

/** Only what stands at once in what it sent: deeper is its own business. */
function hasErrorAnswer(sent: ReadValue | undefined): boolean {
  const error = memberOf(sent, "error");
  return isReadObject(error) || textAt(sent, "status") === "error";
}

/**
 * Agents 1 and 2 mark the first run of an MCP Client Tool when a later one failed (n8n 2.40.5): it has its own good
 * answer, and the other one says the same error.
 */
function isMarkedForAnother({ sent, nodeRun }: Call, others: readonly Call[]): boolean {
  if (memberOf(sent, "response") === undefined || errorTextOf(sent) !== null) return false;
  const message = nodeRun.error?.message;
  return message !== undefined && others.some((other) => errorTextOf(other.sent) === message);
}

/**
 * Agents 1 and 2 wrap them in `query`, and an MCP Client Tool has the tool's name and description beside it. Agents 3 of
 * n8n 1.123 put the whole input item of the agent among them, with a `toolCallId`.
 */
function argumentsOf(given: ReadValue | undefined, input: ReadonlySet<string>): ReadValue | undefined {
  if (!isReadObject(given)) return given;
  const { query, tool, toolCallId, ...others } = given;
  if (query !== undefined && Object.keys(others).length === 0) return query;
  if (toolCallId === undefined) return given;
  const own = Object.entries(others).filter(([key]) => !input.has(key));
  return Object.fromEntries(tool === undefined ? own : [...own, ["tool", tool]]);
}

function toolNameOf({ given, nodeType }: Call): string | null {
  if (!isMcpClient(nodeType)) return null;
  return textAt(given, "tool") ?? textAt(given, "tool", "name") ?? null;
}

function resultOf({ sent }: Call): ReadValue | undefined {
  if (sent === undefined || !isReadObject(sent)) return sent;
  const { response, ...others } = sent;
  return response !== undefined && Object.keys(others).length === 0 ? response : sent;
}
