import * as z from "zod";
import { defineTool } from "../../mcp/define-tool.ts";
import { costOf } from "../../mcp/degrade.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { mapMcpServers } from "../../workflows/mcp-server-map.ts";
import { isServer, type WorkflowOutline } from "../../workflows/workflow-outline.ts";
import { openInstance, partialCoverage, type ReadInstance, unreadSentences } from "../all-workflows.ts";
import { nextCall, workflowId, workflowName } from "../params.ts";
import type { ToolContext } from "../tool-context.ts";
import {
  type AuditResult,
  pageOfFindings,
  toAuditResult,
  toCounts,
  toUnjudgedEntries,
} from "./audit-answer.ts";
import { auditCursor, digestOf, offsetOf, toCursor } from "./audit-cursor.ts";
import { plainSecrets } from "./plain-secrets.ts";
import { readAudits } from "./read-audits.ts";
import type { RuleSet } from "./rules/index.ts";

const MAX_TOKENS = 20_000;
/** Reserved for the envelope, and for the marks that replace secrets. */
const MARGIN_TOKENS = 1_500;
const MAX_SHOWN_IDS = 10;

/** The named workflow and what a server's tools run; without a name, all workflows that are not archived. */
function idsToAudit(instance: ReadInstance, named: WorkflowOutline | undefined, includeTools: boolean) {
  const all = [...instance.workflows.values()];
  if (named === undefined) return new Set(all.filter(({ isArchived }) => !isArchived).map(({ id }) => id));
  if (!includeTools || !isServer(named)) return new Set([named.id]);
  const called = [...mapMcpServers(instance, [named]).called.values()].flatMap(
    ({ outline }) => outline ?? [],
  );
  const audited = [named, ...called];
  const handlers = audited.flatMap(({ errorWorkflowId }) => errorWorkflowId ?? []);
  return new Set([...audited.map(({ id }) => id), ...handlers.filter((id) => instance.workflows.has(id))]);
}

function subjectOf(named: WorkflowOutline | undefined, { workflows }: AuditResult): string {
  if (named === undefined) return `${counted(workflows, "workflow")} of the instance`;
  const others = workflows - 1;
  return others > 0
    ? `${quoted(named.name)} with ${counted(others, "workflow")} that it uses`
    : quoted(named.name);
}

function verdict({ score, findings }: AuditResult): string {
  const [worst] = findings;
  if (score === null) return "nothing could be judged.";
  if (worst === undefined) return `nothing found, score ${score} of 100.`;
  const count = (severity: string): number => findings.filter((each) => each.severity === severity).length;
  const node = worst.node === null ? "" : ` at ${quoted(worst.node)}`;
  return `score ${score} of 100, ${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}, ${count("info")} of info. Worst: ${worst.rule}${node} in ${quoted(worst.workflow.name)}.`;
}

function sentence(
  named: WorkflowOutline | undefined,
  result: AuditResult,
  instance: ReadInstance,
  left: readonly string[],
  hasMore: boolean,
): string {
  return joinSentences(
    `${subjectOf(named, result)}: ${verdict(result)}`,
    hasMore && "There are more: call again with nextCursor as cursor.",
    ...unreadSentences(instance),
    left.length > 0 &&
      `Time ran out before ${counted(left.length, "workflow")} could be audited: see coverage.`,
  );
}

/** What was not read or audited, and the next call; empty when everything was. */
function coverageOf(instance: ReadInstance, left: readonly string[], rules: RuleSet) {
  const counts = { notAudited: left.length, notAuditedIds: left.slice(0, MAX_SHOWN_IDS) };
  const [workflowId] = left;
  if (workflowId === undefined) return partialCoverage(instance, counts, undefined);
  return partialCoverage(instance, counts, {
    stoppedBy: "time",
    next: nextCall("Audits one of the remaining workflows by itself.", "audit_workflow", {
      workflowId,
      ...(rules !== "guide" && { rules }),
    }),
  });
}

export const auditWorkflow = defineTool({
  name: "audit_workflow",
  title: "Audit workflows",
  description:
    "Checks a workflow, an MCP server built in n8n with its tools, or the whole instance against the guide for MCP servers, or for what breaks with n8n 3.0: findings with evidence and fix, worst first, and a score.",
  scope: "n8n:read",
  maxTokens: MAX_TOKENS,
  audited: { workflowId: "workflowId" },
  input: z.strictObject({
    workflowId: workflowId.optional(),
    workflowName: workflowName.optional(),
    includeTools: z.boolean().default(true).describe("With what its tools run"),
    rules: z
      .enum(["guide", "n8n-3"])
      .default("guide")
      .describe("n8n-3: what breaks with n8n 3.0. Also reads past executions"),
    cursor: auditCursor.optional(),
  }),
  output: z.looseObject({
    score: z.number().nullable(),
    workflowUrl: z.string(),
    findings: z.array(z.unknown()),
    nextCursor: z.string().nullable(),
  }),
  async run({ includeTools, rules, cursor, ...input }, context: ToolContext) {
    const { n8nUrls, redact, progress } = context;
    const { client, budget, instance, named } = await openInstance(input, context);
    const ids = idsToAudit(instance, named, includeTools);
    const { audits, left } = await readAudits(
      {
        client,
        instance,
        budget,
        rules,
        findSecrets: (parameters) => plainSecrets(parameters, redact),
        onAudited: async (count) =>
          await progress(count, `Audited ${count} of ${counted(ids.size, "workflow")}`, ids.size),
      },
      ids,
    );
    const result = toAuditResult(audits);
    const digest = await digestOf(result.findings);
    const offset = offsetOf(cursor, digest);
    const head = {
      score: result.score,
      workflowUrl: n8nUrls().templates.workflow,
      workflows: result.workflows,
      counts: toCounts(result.findings),
      notJudged: offset === 0 ? toUnjudgedEntries(result.unjudged) : [],
      ...coverageOf(instance, left, rules),
    };
    const tokensLeft = MAX_TOKENS - MARGIN_TOKENS - costOf(head);
    const { entries, nextOffset } = pageOfFindings(result.findings, offset, tokensLeft);
    return {
      message: sentence(named, result, instance, left, nextOffset !== null),
      data: {
        ...head,
        findings: entries,
        nextCursor: nextOffset === null ? null : toCursor(nextOffset, digest),
      },
    };
  },
});
