/**
 * Fact: n8n and its nodes report problems that they detect themselves in fixed sentences; errors of n8n's own classes
 * lose their class when stored. Each pattern is n8n's own (n8n, n8n-core, n8n-nodes-base, the langchain nodes of 1.123
 * and 2.40) or one that many nodes share. Only n8n's classes are trusted, not what code throws.
 */
import type { NodeError } from "../../../n8n/schemas.ts";
import { firstFound } from "../../../platform/first-found.ts";
import { pattern } from "../../../platform/pattern.ts";
import { meaningIn } from "../error-meanings.ts";
import type { Fact } from "../fact.ts";
import { allTextsOf, type Failed, isThrown, matchesAny, onFailed, rawTextsOf } from "../rule.ts";
import { type FixedKind, isFixedKind } from "../wording/fixed-clauses.ts";

type Forms = { readonly [One in FixedKind]?: RegExp };

const CREDENTIAL: Forms = {
  "credential.expired": pattern()`
    ^The credential ".{0,200}" needs to be reconnected|^The provided authorization grant \(e\.g\.
    |^invalid_grant$|refresh token is invalid, expired
  `,
  "credential.no_token": /^Unable to sign without access token/,
  "credential.no_scope":
    /credential.{0,40} missing required .{0,20}scope|^(?:Request had )?insufficient (?:authentication scopes|permission)|^missing_scope$/i,
};

const RUNNER: Forms = {
  "runner.late": /^Task request timed out|was not matched to a runner within the timeout/,
  "runner.memory": /^Node ran out of memory/,
  "timeout.runner": /^Task execution timed out/,
  "runner.gone":
    /^Task execution aborted because runner|^(?:Task )?[Rr]unner (?:became unresponsive|disconnected)/,
  "runner.python": /^Python runner unavailable|^To use native Python, please use runners/i,
};

const SET_UP: Forms = {
  "not_set_up.issues": /^The workflow has issues and cannot be executed/,
  "not_set_up.unused_respond": /^Unused Respond to Webhook node found/,
  "not_set_up.no_respond": /^No Respond to Webhook node found/i,
  "not_set_up.no_webhook": /^No Webhook node found in the workflow/,
  "not_set_up.no_form":
    /^(?:Form Trigger node must be set before this node|Form Trigger node was not executed)/,
  "invalid_request.history": /^The number of items to be processed exceeds the maximum history size/,
  "invalid_request.columns": /^Column names were updated after the node's setup/,
};

const AI: Forms = {
  "not_set_up.sub_node": /^A(?:n)? .{1,60} sub-node must be connected and enabled/,
  "not_set_up.session": /^(?:No session ID found|Key parameter is empty)/,
  "tool_failed.arguments": /^Received tool input did not match expected schema/,
  "model.format": /^Model output doesn't fit required format/,
  "connection.mcp": /^Could not connect to your MCP server/,
};

const CALLS: Forms = {
  "not_json.answer": /^(?:Response body is not valid JSON|Invalid JSON in response body)/,
  "invalid_request.pagination": /^The returned response was identical \d{1,3}x, so requests got stopped/,
  "invalid_request.data_table": /^(?:Data table with ID '|Could not find the data table)/,
  "http_status.own_error": /^\S{1,30} error response: /,
};

const EXPRESSIONS: Forms = {
  "code_syntax.expression": /^invalid syntax(?:$| \[)/,
  "wrong_type.method": /^\w{1,40}\(\) is only callable on type "/,
  "denied.env": /^access to env vars denied/,
  "code_return.mode": /^Can't use \.\w{1,30}(?:\(\))? here|^This is only available in 'Run Once for /,
};

interface Group {
  /** The only node types that raise these messages; others merely repeat them. */
  readonly of?: RegExp;
  readonly forms: Forms;
}

const EXACT: readonly Group[] = [
  { forms: CREDENTIAL },
  { of: /\.(?:code|function|functionItem|toolCode)$/, forms: RUNNER },
  { forms: SET_UP },
  { of: /^@n8n\/n8n-nodes-langchain\./, forms: AI },
  { forms: CALLS },
  { of: /\.(?:executeCommand|ssh|git)$/, forms: { "node_failed.command": /^Command failed(?:: |$)/ } },
  { forms: EXPRESSIONS },
];

export const exactKnownMessage = onFailed((failed) => {
  const groups = isThrown(failed.error) ? [{ forms: EXPRESSIONS }] : EXACT;
  const kind = kindIn(groups, failed, allTextsOf(failed.error));
  return kind === null ? null : { kind, node: failed.name, confidence: "exact" };
});

export const generalKnownMessage = onFailed(({ error, name: node }) => {
  const kind = isThrown(error) || OF_CODE.has(error.name) ? null : meaningIn(allTextsOf(error));
  return kind === null ? null : { kind, node, isSaidByService: true, confidence: "observed" };
});

const OF_CODE: ReadonlySet<string | undefined> = new Set(["WrappedExecutionError", "ExecutionError"]);
/** Undefined where n8n lost the class. */
const OF_N8N = new Set<string | undefined>([
  undefined,
  "NodeOperationError",
  "NodeApiError",
  "WorkflowConfigurationError",
  "ExpressionError",
]);

function kindIn(
  groups: readonly Group[],
  { node, error }: Pick<Failed, "node" | "error">,
  texts: readonly string[],
): FixedKind | null {
  if (!OF_N8N.has(error.name)) return null;
  return firstFound(groups, ({ of, forms }) =>
    of?.test(node?.type ?? "") === false ? null : kindSaid(forms, texts),
  );
}

function kindSaid(forms: Forms, texts: readonly string[]): FixedKind | null {
  for (const [kind, form] of Object.entries(forms))
    if (matchesAny(texts, form) && isFixedKind(kind)) return kind;
  return null;
}

/** Found in the service's answer, which may repeat what was sent to it. */
export function knownServiceMessage(failed: Failed): Fact[] {
  const kind = kindIn(EXACT, failed, rawTextsOf(failed.error));
  return kind === null ? [] : [{ kind, node: failed.name, isSaidByService: true, confidence: "observed" }];
}

export function knownReasonOf(error: NodeError | undefined, node: Failed["node"]): FixedKind | null {
  if (error === undefined) return null;
  if (error.name === "OutputParserException") return "model.unreadable";
  return kindIn(EXACT, { node, error }, allTextsOf(error));
}

/** The reason in n8n's message about the workflow, for an execution in which no node ran. */
export const knownWorkflowReason = (error: NodeError | undefined): FixedKind | null =>
  kindSaid({ ...SET_UP, ...AI }, allTextsOf(error).slice(0, 1));
