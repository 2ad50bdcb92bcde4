/** The answer of an audit: as many findings as fit, worst first, and counts of all of them. */

import { estimateTokens } from "../../mcp/token-estimate.ts";
import { visibleName } from "../../platform/display-name.ts";
import type { Finding, Unjudged, WorkflowAudit } from "./audit.ts";
import { RULES } from "./rules/index.ts";
import { countBy, groupUnjudged, scoreOf, worstFirst } from "./score.ts";

/** The result for all audited workflows together. */
export interface AuditResult {
  readonly workflows: number;
  /** From 0 to 100; null when nothing could be judged. */
  readonly score: number | null;
  readonly findings: readonly Finding[];
  readonly unjudged: readonly Unjudged[];
}

type Entry = Readonly<Record<string, unknown>>;

const MAX_UNJUDGED = 30;

export function toAuditResult(audits: readonly WorkflowAudit[]): AuditResult {
  return {
    workflows: audits.length,
    score: scoreOf(audits.flatMap(({ judgements }) => judgements)),
    findings: worstFirst(
      audits.flatMap(({ findings }) => findings),
      RULES,
    ),
    unjudged: audits.flatMap(({ unjudged }) => unjudged),
  };
}

/** Names of workflows and nodes are untrusted text in every field. */
function toFindingEntry({ rule, severity, workflow, node, message, evidence, fix }: Finding): Entry {
  return {
    rule,
    severity,
    workflow: { id: workflow.id, name: visibleName(workflow.name) },
    node: node === null ? null : visibleName(node),
    message: visibleName(message),
    evidence: visibleName(evidence),
    fix: visibleName(fix),
  };
}

export interface FindingsPage {
  readonly entries: readonly Entry[];
  /** The offset of the first finding that did not fit; undefined when all fit. */
  readonly nextOffset: number | undefined;
}

/** Takes as many findings as fit into the room, but at least one. */
export function pageOfFindings(
  findings: readonly Finding[],
  offset: number,
  maxTokens: number,
): FindingsPage {
  const entries: Entry[] = [];
  let room = maxTokens;
  for (const finding of findings.slice(offset)) {
    const entry = toFindingEntry(finding);
    room -= estimateTokens(JSON.stringify(entry)) + 1;
    if (room < 0 && entries.length > 0) return { entries, nextOffset: offset + entries.length };
    entries.push(entry);
  }
  return { entries, nextOffset: undefined };
}

/** Counts all findings, for every page. Rules are values here: as keys, some would look like names of secrets. */
export function toCounts({ findings }: AuditResult): Entry {
  const byRule = [...countBy(findings, ({ rule }) => rule)];
  return {
    bySeverity: Object.fromEntries(countBy(findings, ({ severity }) => severity)),
    byRule: byRule.map(([rule, count]) => ({ rule, count })),
  };
}

export function toUnjudgedEntries({ unjudged }: AuditResult): Entry[] {
  const groups = groupUnjudged(unjudged).slice(0, MAX_UNJUDGED);
  return groups.map(({ first: { workflow, node }, ...group }) => ({
    ...group,
    first: { workflow: visibleName(workflow.name), node: node === null ? null : visibleName(node) },
  }));
}
