/** The answer of an audit: as many findings as fit, worst first, and counts of all of them. */

import { costOf, countThatFits } from "../../mcp/degrade.ts";
import { visibleName } from "../../platform/display-name.ts";
import { nextOffsetOf } from "../paging.ts";
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
  /** The offset of the first finding that did not fit; null when all fit. */
  readonly nextOffset: number | null;
}

/** Takes as many findings as fit into the room, but at least one. */
export function pageOfFindings(
  findings: readonly Finding[],
  offset: number,
  maxTokens: number,
): FindingsPage {
  const costOfOne = (finding: Finding): number => costOf(toFindingEntry(finding)) + 1;
  const others = findings.slice(offset);
  const shown = others.slice(0, Math.max(1, countThatFits(others, maxTokens, costOfOne)));
  return {
    entries: shown.map(toFindingEntry),
    nextOffset: nextOffsetOf(offset + shown.length, findings.length),
  };
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
