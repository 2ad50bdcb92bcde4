/** The answer of an audit: as many findings as fit, worst first, and counts of all of them. */

import { estimateTokens } from "../../mcp/token-estimate.ts";
import { visibleName } from "../../platform/display-name.ts";
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

interface FindingsPage {
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
export function toCounts(findings: readonly Finding[]): Entry {
  const bySeverity = [...Map.groupBy(findings, ({ severity }) => severity)];
  const byRule = [...Map.groupBy(findings, ({ rule }) => rule)];
  return {
    bySeverity: Object.fromEntries(bySeverity.map(([severity, { length }]) => [severity, length])),
    byRule: byRule.map(([rule, { length }]) => ({ rule, count: length })),
  };
}

/** What one rule could not judge for one reason is told once, with the first place and how many there are. */
export function toUnjudgedEntries(unjudged: readonly Unjudged[]): Entry[] {
  const groups = Map.groupBy(unjudged, ({ rule, reason }) => `${rule} ${reason}`);
  return [...groups.values()].slice(0, MAX_UNJUDGED).flatMap(({ 0: first, length }) => {
    if (first === undefined) return [];
    const { rule, reason, workflow, node } = first;
    const place = { workflow: visibleName(workflow.name), node: node === null ? null : visibleName(node) };
    return [{ rule, reason, count: length, first: place }];
  });
}
