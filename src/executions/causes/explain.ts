/**
 * Why an execution ended as it did: the first finding of the rules, in the order in which they are believed, and all
 * others as evidence. One that succeeded and in which nothing is to be told of has the cause `nothing_wrong`. Pure.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { quoted } from "../../platform/display-name.ts";
import { type ExecutionView, type ExplainContext, viewOf } from "./execution-view.ts";
import type { CauseId, Finding } from "./finding.ts";
import type { Rule } from "./rule.ts";
import { agentTroubles, handledAgents, stoppedAgent } from "./rules/agents.ts";
import { caughtErrors, handledErrors } from "./rules/caught-errors.ts";
import { circumstances } from "./rules/circumstances.ts";
import { code } from "./rules/code.ts";
import { credential } from "./rules/credential.ts";
import { emptyFields, emptyItems } from "./rules/empty-fields.ts";
import { endedFromOutside } from "./rules/ended-from-outside.ts";
import { files, missingFile, missingFileInCode } from "./rules/files.ts";
import { saidExactly, saidInGeneral } from "./rules/in-own-words.ts";
import { invalidRequest } from "./rules/invalid-request.ts";
import { leftOverItems } from "./rules/left-over-items.ts";
import { missingField } from "./rules/missing-field.ts";
import { neverAnswered } from "./rules/never-answered.ts";
import { nodeFailed } from "./rules/node-failed.ts";
import { nodeNotInstalled } from "./rules/node-not-installed.ts";
import { notEnded } from "./rules/not-ended.ts";
import { notJson } from "./rules/not-json.ts";
import { nothingCameOfIt } from "./rules/nothing-came-of-it.ts";
import { oddItems } from "./rules/odd-items.ts";
import { referencedNode } from "./rules/referenced-node.ts";
import { service } from "./rules/service.ts";
import { disabledNodes, errorAsData, hints } from "./rules/small-observations.ts";
import { stoppedOnPurpose } from "./rules/stopped-on-purpose.ts";
import { subWorkflow } from "./rules/sub-workflow.ts";
import { wrongType } from "./rules/wrong-type.ts";

/** Of a failure: the first that finds anything is believed. */
const ROOTS: readonly Rule[] = [
  notEnded,
  endedFromOutside,
  stoppedOnPurpose,
  nodeNotInstalled,
  stoppedAgent,
  subWorkflow,
  credential,
  referencedNode,
  missingField,
  wrongType,
  notJson,
  code,
  invalidRequest,
  files,
  missingFile,
  missingFileInCode,
  saidExactly,
  service,
  saidInGeneral,
  nodeFailed,
];

/** What a success hides, and what else there was in a failure. */
const SWALLOWED: readonly Rule[] = [caughtErrors, agentTroubles, errorAsData, handledErrors, handledAgents];

/** What may be meant so. */
const OBSERVATIONS: readonly Rule[] = [
  neverAnswered,
  nothingCameOfIt,
  leftOverItems,
  emptyItems,
  emptyFields,
  disabledNodes,
  hints,
];

export interface Explanation {
  readonly finding: Finding;
  /** The most telling first; the finding itself is not among them. */
  readonly evidence: readonly Finding[];
}

const FAILED = new Set(["error", "crashed", "canceled"]);

export function explain(execution: ExecutionWithData, context: ExplainContext = {}): Explanation {
  return explainView(viewOf(execution, context));
}

/** What a status says by itself. */
const SAYS_NO_MORE: ReadonlySet<CauseId> = new Set<CauseId>(["nothing_wrong", "running", "node_failed"]);

/** What was swallowed is told where its own output alone says so, too: the sentence says that. */
const SAYS_WHO_SAYS: ReadonlySet<CauseId> = new Set<CauseId>([
  ...(["error_caught", "error_handled", "error_as_data", "tool_failed", "agent_stopped"] as const),
]);

/**
 * The sentence for an execution that failed, or that swallowed an error: what is certain, or says who says so, and tells more
 * than that a node failed. Null for all others.
 */
export function reasonOf(execution: ExecutionWithData): string | null {
  const { cause, confidence, sentence } = explain(execution).finding;
  const isSilent = SAYS_NO_MORE.has(cause) || (confidence !== "exact" && !SAYS_WHO_SAYS.has(cause));
  return isSilent ? null : sentence;
}

export function explainView(view: ExecutionView): Explanation {
  const swallowed = SWALLOWED.flatMap((rule) => rule(view));
  const root = firstOf(ROOTS, view);
  if (root !== null) {
    const [finding, ...more] = root;
    const isFailure = FAILED.has(view.execution.status);
    return {
      finding,
      evidence: [
        ...more,
        ...failingNode(finding),
        ...(isFailure ? [...besideFailure(finding, view), ...circumstances(view)] : []),
        ...swallowed,
      ],
    };
  }
  const observed = OBSERVATIONS.flatMap((rule) => rule(view));
  const [finding, ...evidence] = [...swallowed, ...observed];
  return finding === undefined ? { finding: nothingSeen(view), evidence: [] } : { finding, evidence };
}

/** What is not there cannot be judged. */
function nothingSeen({ execution, isWithheld, runs }: ExecutionView): Finding {
  const unknown = (cause: CauseId, sentence: string): Finding => ({
    cause,
    node: null,
    sentence,
    confidence: "observed",
  });
  if (execution.dataTooLargeToDisplay === true)
    return unknown(
      "too_large",
      "Its data is above n8n's display limit, so nothing is known of what happened inside.",
    );
  if (runs.size === 0)
    return unknown(
      "no_data",
      "n8n keeps no data of it (see the workflow's setting for saving executions), so nothing is known of what happened inside.",
    );
  return isWithheld
    ? unknown(
        "withheld",
        "No node failed; whether an error was swallowed cannot be told: n8n withholds its data (redaction policy).",
      )
    : NOTHING_WRONG;
}

export const NOTHING_WRONG: Finding = {
  cause: "nothing_wrong",
  node: null,
  sentence: "Nothing went wrong that n8n's data shows.",
  confidence: "exact",
};

function firstOf(rules: readonly Rule[], view: ExecutionView): [Finding, ...Finding[]] | null {
  for (const rule of rules) {
    const [first, ...others] = rule(view);
    if (first !== undefined) return [first, ...others];
  }
  return null;
}

/** What was refused may have been sent with a field that came out empty on the way. */
const REFUSED: ReadonlySet<CauseId> = new Set<CauseId>([
  "http_status",
  "database",
  "invalid_request",
  "node_failed",
]);

/** Where the reason is in an item already, no other is odd; but a node that is switched off may have made it otherwise. */
function besideFailure({ cause, field }: Finding, view: ExecutionView): readonly Finding[] {
  if (field !== undefined) return disabledNodes(view);
  const empty = REFUSED.has(cause) ? emptyFields(view) : [];
  return [...empty, ...oddItems(view)];
}

/** Where it began is one node, where it failed another: both are told. */
function failingNode({ node, failedNode }: Finding): Finding[] {
  if (failedNode === undefined || failedNode === node) return [];
  return [
    {
      cause: "failing_node",
      node: failedNode,
      sentence: `${quoted(failedNode)} is the node that failed on it.`,
      confidence: "exact",
    },
  ];
}
