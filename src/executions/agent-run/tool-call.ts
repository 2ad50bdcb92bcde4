/**
 * One call of a tool: its arguments, its answer, and whether it failed, which n8n often shows as a success.
 * Seen: version 3 agents mark the run and send `{ error }`; versions 1 and 2 mark it and send the input; a failed sub-workflow or
 * MCP server is a success that sends a text. Pure.
 */
import { lengthOf, memberOf, parsedJson, textAt } from "../../json/members.ts";
import {
  containsOmitted,
  isReadObject,
  jsonTypeOf,
  OMITTED_MEMBERS,
  type ReadValue,
} from "../../json/omitted.ts";
import type { ExecutionReference, NodeError } from "../../n8n/schemas.ts";
import { isErrorForAgent } from "../../n8n/tool-error-words.ts";
import { callsWorkflow } from "../../n8n/workflow-callers.ts";
import { isMcpClient } from "./call-kinds.ts";
import type { Call, InputItem } from "./calls.ts";

/**
 * `answered_error`: it did not fail, but its answer has an `error`, which may be intended.
 * `refused_arguments`: the arguments do not fit its schema, so it was not run.
 */
export type ToolTrouble = "failed" | "refused_arguments" | "answered_error";

/** `text`: it begins with a word like "Error". `flag`: `success: false`. `member`: it has an `error`. */
export type ToolReport = "text" | "flag" | "member";

export type ToolFacts = Readonly<ReturnType<typeof toolFactsOf>>;

/** LangChain's own words (`ToolInputParsingException`). */
const REFUSED = /^(?:Error: )?Received tool input did not match expected schema/;

export const isRefusal = (text: string | undefined): boolean => text !== undefined && REFUSED.test(text);

/** @param others the other calls of its node @param input what its agent was given */
export function toolFactsOf(call: Call, others: readonly Call[], input: readonly InputItem[]) {
  const { given, sent, nodeRun, nodeType } = call;
  const reported = errorTextOf(sent);
  const isMarked = nodeRun.error !== undefined || nodeRun.executionStatus === "error";
  const hasFailed =
    (isMarked && !isMarkedForAnother(call, others)) || (reported !== null && isErrorForAgent(reported));
  const { error } = nodeRun;
  const report = hasFailed ? null : reportOf(sent);
  const called: ExecutionReference | null =
    error?.executionId === undefined || !callsWorkflow(nodeType)
      ? null
      : { executionId: error.executionId, workflowId: error.workflowId };
  const ofAnswer: ToolTrouble | null = report === null ? null : "answered_error";
  return {
    trouble: hasFailed ? troubleOf(reported, error) : ofAnswer,
    report,
    /** It failed, but its run says that it succeeded. */
    isHidden: hasFailed && !isMarked,
    subExecution: nodeRun.metadata?.subExecution ?? called,
    /** Payload, as all that follow. */
    arguments: argumentsOf(given, input),
    /** If the node represents several tools. */
    toolName: toolNameOf(call),
    result: hasFailed ? undefined : resultOf(call),
    errorText: hasFailed ? (reported ?? error?.message ?? null) : null,
  };
}

/** A tool's own failure has a class or a status; a refusal, before the tool runs, has neither. */
const troubleOf = (reported: string | null, error: NodeError | undefined): ToolTrouble =>
  isRefusal(reported ?? error?.message) && error?.name === undefined && error?.httpCode == null
    ? "refused_arguments"
    : "failed";

/** Tools report errors in one of these places: `error`, `response`, or the first text that an MCP server sent. */
function errorTextOf(sent: ReadValue | undefined): string | null {
  const error = textAt(sent, "error");
  if (error !== undefined && error !== "") return error;
  const said = textAt(sent, "response") ?? textAt(sent, "response", 0, "text");
  return said !== undefined && isErrorForAgent(said) ? said : null;
}

const BEGINS_WITH_ERROR =
  /^\s*(?:(?:\w{0,30}error|exception|failure|fehler)\s*(?:\d{3}\s*)?(?:[:!([-]|$)|error \d{3}\b|(?:failed|unable) to\b)/i;

/** Checks only the top level of the answer, or of the JSON that it holds; deeper members are ordinary data. */
function reportOf(sent: ReadValue | undefined): ToolReport | null {
  const response = memberOf(sent, "response");
  const answers = [sent, response, memberOf(response, 0), memberOf(response, 0, "text")].map(parsed);
  if (answers.some((answer) => typeof answer === "string" && BEGINS_WITH_ERROR.test(answer))) return "text";
  const reports = answers.filter(isReadObject).map(reportIn);
  return reports.find((report) => report !== null) ?? null;
}

function reportIn(answer: { [key: string]: ReadValue }): ToolReport | null {
  const { error, errors, success, ok, status } = answer;
  const isFilled = (typeof error === "string" && error !== "") || isReadObject(error);
  if (isFilled || status === "error" || (Array.isArray(errors) && errors.length > 0)) return "member";
  return success === false || ok === false ? "flag" : null;
}

function parsed(value: ReadValue | undefined): ReadValue | undefined {
  if (typeof value !== "string" || !/^\s*[{[]/.test(value)) return value;
  const read = parsedJson(value) ?? value;
  return Array.isArray(read) ? read[0] : read;
}

/**
 * Agents 1 and 2 mark the first run of an MCP Client Tool if a later one failed (n8n 2.40.5): the marked run has a valid
 * answer, and the other one reports the same error.
 */
function isMarkedForAnother({ sent, nodeRun }: Call, others: readonly Call[]): boolean {
  if (memberOf(sent, "response") === undefined || errorTextOf(sent) !== null) return false;
  const message = nodeRun.error?.message;
  return message !== undefined && others.some((other) => errorTextOf(other.sent) === message);
}

/**
 * Agents 1 and 2 wrap the arguments in `query`, next to which an MCP Client Tool has the tool's name and description.
 * Version 3 agents of n8n 1.123 add the agent's whole input item and a `toolCallId`.
 */
function argumentsOf(given: ReadValue | undefined, input: readonly InputItem[]): ReadValue | undefined {
  if (!isReadObject(given)) return given;
  const { toolCallId, ...others } = given;
  if (toolCallId !== undefined)
    return Object.fromEntries(
      Object.entries(others).filter(([key, value]) => key === "tool" || !isOfInput(key, value, input)),
    );
  const { query, tool, ...more } = others;
  return query !== undefined && Object.keys(more).length === 0 ? query : given;
}

/** Only a single input item can show that an argument shares a field's name but not its value. */
const isOfInput = (key: string, value: ReadValue, input: readonly InputItem[]): boolean =>
  input.some(({ json, isOnly }) => Object.hasOwn(json, key) && !(isOnly && isOther(json[key], value)));

/** Only the size of lists and objects was read, and only the start of long texts. */
function isOther(before: ReadValue | undefined, value: ReadValue): boolean {
  if (jsonTypeOf(before) !== jsonTypeOf(value)) return true;
  if (typeof before === "object" && before !== null) return sizeOf(before) !== sizeOf(value);
  return before !== value && !containsOmitted(before) && !containsOmitted(value);
}

function sizeOf(value: ReadValue): number | undefined {
  const mark = memberOf(value, OMITTED_MEMBERS);
  return lengthOf(mark) ?? lengthOf(value) ?? Object.keys(Object(value)).length;
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
