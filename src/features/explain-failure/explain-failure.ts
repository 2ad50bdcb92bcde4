import * as z from "zod";
import { isSure } from "../../executions/causes/fact.ts";
import { stepOf } from "../../executions/causes/steps.ts";
import { type Finding, toFinding } from "../../executions/causes/wording/finding.ts";
import { failureOf, ownTextOf } from "../../executions/failure.ts";
import { durationMs } from "../../executions/node-runs.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { ANOTHER_WORKFLOW } from "../../platform/another-workflow.ts";
import { defined } from "../../platform/defined.ts";
import { quoted, visibleName } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { isObject } from "../../platform/is-object.ts";
import { orNull } from "../n8n-lookup.ts";
import { executionId, guidance, nextCall, requestId } from "../params.ts";
import { ownTextHint, SHORT_TEXT, shortened, showFailure } from "../shown.ts";
import { contextOf, type ToolContext, type WorkflowContext } from "../tool-context.ts";
import { executionById, executionOfRequest, type TargetExecution } from "./execution-to-explain.ts";
import { type Explained, readExplained } from "./read-explained.ts";
import { relativesIn } from "./relatives.ts";

const MAX_EVIDENCE = 10;
/** With the rest of the answer about 1,500 tokens. */
const MAX_EVIDENCE_LENGTH = 3_600;
const MAX_VALUE = 300;

const finding = z.looseObject({
  cause: z.string(),
  sentence: z.string(),
  node: z.string().nullable(),
  confidence: z.string(),
});

type Payload = Pick<Finding, "field" | "value" | "was" | "said" | "valuePath" | "saidPath">;

const KEYS = /\["((?:[^"\\]|\\.)*)"\]|[^.[\]"]+/g;

/**
 * The value, the earlier value and the error's text, for callers who may see payload: redacted before they are cut. Each
 * is redacted below the names that lead to it, by which the redactor recognizes secrets.
 */
function payloadOf(payload: Payload, { mayReadData, redact }: WorkflowContext) {
  if (!mayReadData) return {};
  const { field = "", value, was, said, saidPath = ["said"] } = payload;
  const { valuePath = [...field.matchAll(KEYS)].map(([key, quotedKey = key]) => quotedKey) } = payload;
  const shown = (one: unknown, keys: readonly string[]): unknown => {
    const path = keys.filter((key) => !/^\d+$/.test(key));
    const redacted = redact(path.reduceRight((below, key) => ({ [key]: below }), one));
    return (
      path.reduce((above, _key) => (isObject(above) ? Object.values(above)[0] : above), redacted) ?? null
    );
  };
  const asJson = (one: unknown): string => shortened(JSON.stringify(shown(one, valuePath)), MAX_VALUE);
  const text = said === undefined ? said : shown(said, saidPath);
  return {
    ...(value === undefined ? {} : { value: asJson(value) }),
    ...(was === undefined ? {} : { was: asJson(was) }),
    ...(text === undefined ? {} : { said: shortened(String(text), MAX_VALUE) }),
  };
}

function show(found: Finding, context: WorkflowContext) {
  const { cause, sentence, node, confidence, field, executionId: id, valuePath } = found;
  const payload = payloadOf(found, context);
  // An item that lacks a token would be redacted as if it were that token, beside its name.
  const pair = { field, value: payload.value };
  const isHiding = valuePath?.length === 0 && JSON.stringify(context.redact(pair)) !== JSON.stringify(pair);
  return {
    cause,
    sentence,
    node: node === null ? null : visibleName(node),
    confidence,
    ...defined({ field: isHiding ? undefined : field, executionId: id }),
    ...payload,
  };
}

/** Beyond the size limit, the last entries are left out. */
function shownEvidence({ execution, others }: Explained, context: WorkflowContext) {
  const isFailure = execution.status !== "success";
  const shown = others
    .slice(0, MAX_EVIDENCE)
    .map((fact) => ({ step: stepOf(fact, isFailure), ...show(toFinding(fact), context) }));
  let length = 0;
  return shown.filter((one) => {
    length += JSON.stringify(one).length;
    return length <= MAX_EVIDENCE_LENGTH;
  });
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  success: "succeeded",
  error: "failed",
  crashed: "crashed",
  canceled: "was canceled",
  waiting: "is waiting",
  new: "has not begun",
};

const JOINING_WORDS: Readonly<Record<Finding["confidence"], string>> = {
  exact: ", but",
  likely: ", but probably not as meant",
  compared: ", observed",
  observed: ", observed",
};

function messageOf(execution: ExecutionWithData, { cause, sentence, confidence }: Finding): string {
  const { id, workflowId, workflowData, status } = execution;
  const how = STATUS_WORDS[status] ?? (execution.stoppedAt === null ? "has not ended" : "has ended");
  const isPlain = status !== "success" || cause === "nothing_found" || cause === "error_handled";
  const but = isPlain ? "" : JOINING_WORDS[confidence];
  return `Execution ${id} of ${quoted(workflowData?.name ?? workflowId)} ${how}${but}: ${sentence}`;
}

/** Causes for which n8n gives no reason. */
const UNEXPLAINED: ReadonlySet<string> = new Set([
  "node_failed",
  "no_data",
  "too_large",
  "withheld",
  "running",
]);

/** Suggests a call after a complete answer only for what the answer does not show. */
function suggestNextCall(explained: Explained, { mayReadData }: WorkflowContext): Guidance {
  const { execution, root: cause, comparedWith, incomplete } = explained;
  const { id } = execution;
  const isComplete = isWrong(explained) && incomplete.length === 0 && !UNEXPLAINED.has(cause.kind);
  const only = isComplete ? "This answers it; only for" : "For";
  const move = (what: string, tool: string, args: object) => nextCall(`${only} ${what}:`, tool, args);
  if (cause.executionId !== undefined && ![id, ANOTHER_WORKFLOW].includes(cause.executionId))
    return move("the execution where it continues", "explain_failure", { executionId: cause.executionId });
  if (cause.node !== null && mayReadData && execution.data?.resultData?.runData?.[cause.node] !== undefined)
    return move("the items themselves", "get_execution_by_node", { id, nodeName: visibleName(cause.node) });
  if (comparedWith === null) return move("which nodes ran", "get_execution", { id });
  return move("all that differs from the last success", "compare_executions", {
    id,
    against: comparedWith.id,
  });
}

async function toExecution(
  input: { readonly executionId?: string | undefined; readonly requestId?: string | undefined },
  context: ToolContext,
): Promise<TargetExecution> {
  const { executionId: id, requestId: value } = input;
  if (id !== undefined && value === undefined) return executionById(id, context);
  if (value !== undefined && id === undefined) return await executionOfRequest(value, context);
  throw new ObserverError("VALIDATION_ERROR", "Give executionId or requestId, and not both.", {
    field: "executionId",
    expected: "exactly one of executionId and requestId",
    solution: 'Call again with one of them: explain_failure({"executionId":"…"}).',
  });
}

/** Explains the first execution in which something is certainly or likely wrong; if there is none, the first of all. */
async function explainFirstWrong({ ids, tree }: TargetExecution, context: ToolContext): Promise<Explained> {
  const explain = async (id: string): Promise<Explained> => {
    const relatives = tree.then((known) => (known === null ? [] : relativesIn(known, id)));
    const explained = await readExplained(context.n8n(), id, context.clock, relatives);
    await storeJudgement(explained, context);
    return explained;
  };
  const [id, ...beside] = ids;
  const first = await explain(id);
  if (isWrong(first)) return first;
  for (const other of beside) {
    const explained = await explain(other);
    if (isWrong(explained)) return explained;
  }
  return first;
}

/** Stores the judgement for traces and digests. If that fails, the answer is the same. */
async function storeJudgement(explained: Explained, { history }: ToolContext): Promise<void> {
  const { status, id } = explained.execution;
  const { kind, confidence } = explained.root;
  // An observation is not a judgement: a trace makes and reports it itself.
  const isObserved = confidence === "observed" && kind !== "nothing_found" && kind !== "error_handled";
  if (status !== "success" || isObserved) return;
  await orNull(async () => await history().judge(id, isWrong(explained)));
}

function isWrong({ execution, root }: Explained): boolean {
  return execution.status !== "success" || (root.kind !== "error_handled" && isSure(root));
}

export const explainFailure = defineTool({
  name: "explain_failure",
  title: "Why did it fail, or do nothing?",
  description:
    "Ask this first, by executionId or requestId: the root cause in one sentence, with evidence, and what came of it; also of a success that swallowed an error or did nothing, and of a waiting execution. Values with n8n:data. One call is enough.",
  scope: "n8n:read",
  hasPicture: true,
  maxTokens: 2_000,
  audited: { executionId: "executionId", requestId: "requestIdDigest" },
  input: z.strictObject({
    executionId: executionId.optional(),
    requestId: requestId.optional().describe("Instead of executionId: as for trace_request"),
  }),
  output: z.looseObject({
    executionId: z.string(),
    url: z.string(),
    workflowId: z.string(),
    status: z.string(),
    startedAt: z.string().nullable(),
    durationMs: z.number().nullable(),
    explanation: finding,
    evidence: z.array(finding),
    comparedWith: z.looseObject({ executionId: z.string(), url: z.string() }).nullable(),
    _guidance: guidance,
  }),
  async run(input, caller: ToolContext) {
    // The answer may show values of any related execution.
    const context = await contextOf(caller, null);
    const target = await toExecution(input, context);
    const [explained] = await Promise.all([explainFirstWrong(target, context), target.tree]);
    const { execution, root, others, comparedWith, incomplete } = explained;
    const cause = toFinding(root);
    const { id, workflowId, workflowData, status } = execution;
    const urls = context.n8nUrls();
    const failure = failureOf(execution);
    // The explanation already quotes the error's text.
    const own = context.mayReadData && cause.said !== undefined ? null : ownTextOf(execution);
    const error = failure === null ? null : showFailure(failure, own, { context, length: SHORT_TEXT });
    const evidence = shownEvidence(explained, context);
    const { message, example } = suggestNextCall(explained, context);
    return {
      message: messageOf(execution, cause) + target.remarks,
      data: {
        executionId: id,
        url: urls.execution(workflowId, id),
        workflowId,
        ...(workflowData?.name === undefined ? {} : { workflowName: workflowData.name }),
        status,
        startedAt: execution.startedAt,
        durationMs: durationMs(execution),
        explanation: show(cause, context),
        evidence,
        ...(others.length > evidence.length ? { evidenceInAll: others.length } : {}),
        ...(error === null ? {} : { error }),
        comparedWith:
          comparedWith === null
            ? null
            : { executionId: comparedWith.id, url: urls.execution(comparedWith.workflowId, comparedWith.id) },
        ...(incomplete.length > 0 ? { incomplete } : {}),
        _guidance: { message: message + ownTextHint(error), example },
      },
    };
  },
});
