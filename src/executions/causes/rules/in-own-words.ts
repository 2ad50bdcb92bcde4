/**
 * Fact: what n8n and its nodes find wrong themselves they say in fixed sentences; errors of n8n's own classes lose their class
 * when they are kept. Each form is n8n's own (n8n, n8n-core, n8n-nodes-base, the langchain nodes of 1.123 and 2.40) or one that
 * many nodes share. Only n8n's classes are believed: what code throws is not.
 */

import type { NodeError } from "../../../n8n/schemas.ts";
import type { CauseId, Confidence, Finding } from "../finding.ts";
import { allTextsOf, type Failed, failedName, onFailed, saidTextsOf } from "../rule.ts";

interface Form {
  readonly says: RegExp;
  /** Types of the only nodes that say so; any other repeats it. */
  readonly of?: RegExp;
  readonly cause: CauseId;
  /** After "because". */
  readonly because: string;
}

const CODE = /\.(?:code|function|functionItem|toolCode)$/;
const AI = /^@n8n\/n8n-nodes-langchain\./;

const CREDENTIAL: readonly Form[] = [
  {
    says: /^The credential ".{0,200}" needs to be reconnected|^The provided authorization grant \(e\.g\.|^invalid_grant$|refresh token is invalid, expired/,
    cause: "credential",
    because: "its credential's access has expired or was revoked: the credential has to be connected again",
  },
  {
    says: /^Unable to sign without access token/,
    cause: "credential",
    because: "its OAuth credential holds no access token: the credential has to be connected (again)",
  },
  {
    says: /credential.{0,40} missing required .{0,20}scope|^(?:Request had )?insufficient (?:authentication scopes|permission)|^missing_scope$/i,
    cause: "credential",
    because: "its credential lacks a right (scope) that this needs",
  },
];

const RUNNER: readonly Form[] = [
  {
    says: /^Task request timed out|was not matched to a runner within the timeout/,
    of: CODE,
    cause: "runner",
    because: "no task runner took its code on in time: the runner is down, not ready, or busy",
  },
  {
    says: /^Node ran out of memory/,
    of: CODE,
    cause: "runner",
    because: "the task runner ran out of memory: there was too much data for its code",
  },
  {
    says: /^Task execution timed out/,
    of: CODE,
    cause: "timeout",
    because: "its code ran longer than the task runner allows",
  },
  {
    says: /^Task execution aborted because runner|^(?:Task )?[Rr]unner (?:became unresponsive|disconnected)/,
    of: CODE,
    cause: "runner",
    because: "the task runner did not answer any more while its code ran",
  },
  {
    says: /^Python runner unavailable|^To use native Python, please use runners/i,
    of: CODE,
    cause: "runner",
    because: "this n8n has no task runner for Python",
  },
];

const SET_UP: readonly Form[] = [
  {
    says: /^The workflow has issues and cannot be executed/,
    cause: "not_set_up",
    because: "a node of the workflow is not set up: a parameter or a credential that it needs is missing",
  },
  {
    says: /^A(?:n)? .{1,60} sub-node must be connected and enabled/,
    of: AI,
    cause: "not_set_up",
    because: "a sub-node that it needs (a model, a tool, …) is not connected, or switched off",
  },
  {
    says: /^(?:No session ID found|Key parameter is empty)/,
    of: AI,
    cause: "not_set_up",
    because: "it was given no session id: the field or parameter that it takes as its key came out empty",
  },
  {
    says: /^Unused Respond to Webhook node found/,
    cause: "not_set_up",
    because: "there is a Respond to Webhook node, and the Webhook is not set to answer by it",
  },
  {
    says: /^No Respond to Webhook node found/i,
    cause: "not_set_up",
    because: "it is set to answer by a Respond to Webhook node, and there is none",
  },
  {
    says: /^No Webhook node found in the workflow/,
    cause: "not_set_up",
    because: "no Webhook node before it waits for its answer",
  },
  {
    says: /^(?:Form Trigger node must be set before this node|Form Trigger node was not executed)/,
    cause: "not_set_up",
    because: "no Form Trigger ran before it",
  },
  {
    says: /^Column names were updated after the node's setup/,
    cause: "invalid_request",
    because:
      "the sheet's columns are not those that it was set up with: its list of columns has to be refreshed",
  },
];

const CALLS: readonly Form[] = [
  {
    says: /^Received tool input did not match expected schema/,
    of: AI,
    cause: "tool_failed",
    because: "the model called a tool with arguments that the tool's schema refuses",
  },
  {
    says: /^Model output doesn't fit required format/,
    of: AI,
    cause: "model",
    because: "the model's answer did not fit the format that is asked for",
  },
  {
    says: /^(?:Response body is not valid JSON|Invalid JSON in response body)/,
    cause: "not_json",
    because: "what the service answered is not valid JSON, and it is set to read JSON",
  },
  {
    says: /^The returned response was identical \d{1,3}x, so requests got stopped/,
    cause: "invalid_request",
    because:
      "its pagination came to no end: the service answered the same page again and again, and n8n stopped it",
  },
  {
    says: /^(?:Data table with ID '|Could not find the data table)/,
    cause: "invalid_request",
    because: "the data table that it uses does not exist (any more), or is not in its project",
  },
  {
    says: /^Could not connect to your MCP server/,
    of: AI,
    cause: "connection",
    because: "the MCP server could not be reached, or did not let it in",
  },
  {
    says: /^\S{1,30} error response: /,
    cause: "http_status",
    because: "the service answered with an error of its own",
  },
  {
    says: /^Command failed(?:: |$)/,
    of: /\.(?:executeCommand|ssh|git)$/,
    cause: "node_failed",
    because: "the command that it ran ended with an error",
  },
];

const EXPRESSIONS: readonly Form[] = [
  {
    says: /^invalid syntax(?:$| \[)/,
    cause: "code_syntax",
    because: "an expression in it is not valid: there is a fault in its syntax",
  },
  {
    says: /^\w{1,40}\(\) is only callable on type "/,
    cause: "wrong_type",
    because: "an expression in it calls a method on a value of a type that does not have it",
  },
  {
    says: /^cannot convert to Luxon DateTime/,
    cause: "wrong_type",
    because: "an expression in it takes for a date what is none",
  },
  {
    says: /^Can't use \.\w{1,30}(?:\(\))? here|^This is only available in 'Run Once for /,
    cause: "code_return",
    because: "its code uses what its mode (once for all items, or once for each) does not have",
  },
];

/** Whole sentences of n8n's. */
const EXACT: readonly Form[] = [...CREDENTIAL, ...RUNNER, ...SET_UP, ...CALLS, ...EXPRESSIONS];

/** How nodes say things of one kind: believed last, in this order. */
const SHARED: readonly Form[] = [
  {
    says: /^(?:Unsupported|Unrecogni[sz]ed|Unknown) .{0,60}\bformat\b|\b(?:is|was) not recogni[sz]ed\b|\bnot recogni[sz]ed as\b|^(?:Failed|Unable) to (?:parse|decode|decompress|extract)\b/i,
    cause: "invalid_request",
    because: "what it was given to read is of a format that it does not know or cannot read",
  },
  {
    says: /\b(?:in)?valid JSON\b/i,
    cause: "not_json",
    because: "a text that it was given, or made, is not valid JSON",
  },
  {
    says: /^(?:No|Could not find) binary (?:data|file|field|property)\b|\bbinary (?:data|file|field|property)\b.{0,80}\b(?:not found|none|missing|does not exist|doesn't exist)/i,
    cause: "file",
    because: "it needs a file, and its input holds none",
  },
  {
    says: /^Column (?:to match on|.{1,100}) not found|\bcolumns? (?:names? )?.{0,60}(?:not found|does not exist|doesn't exist)|^Could not (?:retrieve|find) .{0,40}column/i,
    cause: "invalid_request",
    because: "a column that it is set to use is not there",
  },
  {
    says: /\balready (?:exists|has|in use|claimed|taken|connected)\b|\bexists already\b/i,
    cause: "invalid_request",
    because: "what it was to make is there already",
  },
  {
    says: /\bnot (?:yet )?(?:supported|implemented|known|available)\b|\b(?:only|is not) (?:supported|available) (?:when|for|if)\b|^Unknown (?:operation|resource|action|type|mode)\b|\bis not a valid value\b|\bnot allowed\b|\bnot permitted\b|\bis disabled\b/i,
    cause: "invalid_request",
    because: "it was asked for what it, or this n8n, does not know or does not allow",
  },
  {
    says: /\b(?:is|are) (?:\w{1,20} )?required\b|\brequired!?$|\bmandatory\b|\bmust (?:not be empty|(?:be|have been) (?:set|given|defined|provided|specified|added|selected))\b|^No .{1,80} (?:specified|set|provided|selected|defined)\b|\b(?:is|are|was|were|cannot be|can't be|came out|an?) (?:empty|missing|blank)\b|^(?:Please )?(?:set|provide|add|select|specify|enter|define)\b|^At least one\b|\bmust contain at least\b/i,
    cause: "invalid_request",
    because: "a parameter that it needs is not set, or came out empty",
  },
  {
    says: /\bnot found\b|\b(?:does not|doesn't|do not|don't) exist\b|\b(?:could not|couldn't|cannot|can't) (?:be found|find)\b|^No .{1,100} found\b/i,
    cause: "invalid_request",
    because: "what it was asked for is not there, or does not exist any more",
  },
  {
    says: /^Multiple .{1,60} (?:match|found)|\bmore than once\b|\bbut not both\b|\bambiguous\b/i,
    cause: "invalid_request",
    because: "what it was asked for is not one thing, but several",
  },
  {
    says: /^Invalid\b|\b(?:is|are) (?:invalid|not (?:a )?valid|malformed)\b|\bnot a valid\b|\bmust (?:be|have|start|end|contain|match)\b|\b(?:should|has to|have to) be\b|\bout of range\b|\btoo (?:long|large|short|many)\b|\bexpected .{1,80} (?:but )?got\b/i,
    cause: "invalid_request",
    because: "a value that it was given is not of the form that it takes",
  },
  {
    says: /\b(?:did not|didn't) (?:return|respond|answer|give)\b|\bno .{1,60} (?:was|were|got)? ?returned\b|^(?:No data|Empty response|No response)\b/i,
    cause: "node_failed",
    because: "the service gave nothing back that it could go on with",
  },
];

/** Code throws whatever text it was given, with its line: n8n 1.x keeps no class of it. */
const isThrown = ({ lineNumber }: NodeError): boolean => lineNumber != null;

export const saidExactly = onFailed((_view, failed) =>
  found(failed, isThrown(failed.error) ? EXPRESSIONS : EXACT, "exact"),
);
export const saidInGeneral = onFailed((_view, failed) =>
  OF_NODES.has(failed.error.name) && !isThrown(failed.error) ? found(failed, SHARED, "observed") : [],
);

/** What n8n keeps of errors that its nodes raise; its own have lost their class. */
const OF_NODES: ReadonlySet<string | undefined> = new Set(["NodeOperationError", undefined]);
const OF_N8N: ReadonlySet<string | undefined> = new Set([
  ...OF_NODES,
  ...["NodeApiError", "WorkflowConfigurationError", "ExpressionError"],
]);

function formIn(
  forms: readonly Form[],
  { node, error }: Pick<Failed, "node" | "error">,
  texts: readonly string[],
): Form | undefined {
  if (!OF_N8N.has(error.name)) return undefined;
  return forms.find(
    ({ says, of }) => (of?.test(node?.type ?? "") ?? true) && texts.some((text) => says.test(text)),
  );
}

function found(failed: Failed, forms: readonly Form[], confidence: Confidence): Finding[] {
  const { name } = failed;
  const form = formIn(forms, failed, allTextsOf(failed.error));
  if (form === undefined) return [];
  const { cause, because } = form;
  return [{ cause, node: name, sentence: `${failedName(name)} because ${because}.`, confidence }];
}

/** What a service answered beside its status: it may repeat what somebody sent it. */
export function saidByService(failed: Failed): Finding[] {
  const { name, error } = failed;
  const form = formIn(EXACT, failed, saidTextsOf(error));
  if (form === undefined) return [];
  const sentence = `${failedName(name)}; its error says: ${form.because}.`;
  return [{ cause: form.cause, node: name, sentence, confidence: "observed" }];
}

/** What n8n says of why, in our words; null where it says nothing that is known. */
export function reasonInWords(error: NodeError | undefined, node: Failed["node"]): string | null {
  if (error === undefined) return null;
  if (error.name === "OutputParserException")
    return "the model's answer could not be read as what it should be";
  return formIn(EXACT, { node, error }, allTextsOf(error))?.because ?? null;
}

/** Of an execution that began with no node: only what n8n says of the workflow. */
export function saysOfWorkflow(error: NodeError | undefined): string | null {
  const [text = ""] = allTextsOf(error);
  return SET_UP.find(({ says }) => says.test(text))?.because ?? null;
}
