/** Writes the answer of an audit: as many findings as fit, worst first, and counts of all. */
import { costOf, countThatFits } from "../../mcp/degrade.ts";
import { visibleName } from "../../platform/display-name.ts";
import { nextOffsetOf } from "../paging.ts";
import { type Finding, scoreOf, type Unjudged, type WorkflowAudit, worstFirst } from "./audit.ts";
import { RULES } from "./rules/index.ts";

type Entry = Readonly<Record<string, unknown>>;

const MAX_UNJUDGED = 30;

export type AuditResult = ReturnType<typeof toAuditResult>;

export function toAuditResult(audits: readonly WorkflowAudit[]) {
  const findings = audits.flatMap((audit) => audit.findings);
  return {
    workflows: audits.length,
    score: scoreOf(audits.flatMap(({ judgements }) => judgements)),
    findings: worstFirst(findings, RULES),
    unjudged: audits.flatMap(({ unjudged }) => unjudged),
  };
}

/** Names of workflows and nodes are untrusted text. */
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

/** Takes as many findings as fit, but at least one. `nextOffset` is null when all fit. */
export function pageOfFindings(findings: readonly Finding[], offset: number, maxTokens: number) {
  const costOfOne = (finding: Finding): number => costOf(toFindingEntry(finding)) + 1;
  const others = findings.slice(offset);
  const shown = others.slice(0, Math.max(1, countThatFits(others, maxTokens, costOfOne)));
  return {
    entries: shown.map(toFindingEntry),
    nextOffset: nextOffsetOf(offset + shown.length, findings.length),
  };
}

/** Counts all findings, on every page. Rules are values, because redaction would take some for names of secrets. */
export function toCounts(findings: readonly Finding[]): Entry {
  const bySeverity = [...Map.groupBy(findings, ({ severity }) => severity)];
  const byRule = [...Map.groupBy(findings, ({ rule }) => rule)];
  return {
    bySeverity: Object.fromEntries(bySeverity.map(([severity, { length }]) => [severity, length])),
    byRule: byRule.map(([rule, { length }]) => ({ rule, count: length })),
  };
}

/** Lists each rule and reason once, with the first place and a count. */
export function toUnjudgedEntries(unjudged: readonly Unjudged[]): Entry[] {
  const groups = Map.groupBy(unjudged, ({ rule, reason }) => `${rule} ${reason}`);
  return [...groups.values()].slice(0, MAX_UNJUDGED).flatMap(({ 0: first, length }) => {
    if (first === undefined) return [];
    const { rule, reason, workflow, node } = first;
    const place = { workflow: visibleName(workflow.name), node: node === null ? null : visibleName(node) };
    return [{ rule, reason, count: length, first: place }];
  });
}
