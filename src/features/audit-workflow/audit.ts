/**
 * Audits a workflow against each rule of the guide that applies to one of its roles, scores audits, and sorts findings
 * worst first. A workflow that was too large to be read whole is not judged, because a rule may need the missing part.
 * Pure.
 */
import { sumOf } from "../../platform/sum-of.ts";
import { type AuditRule, type Fault, type NotJudged, SEVERITIES, type Severity } from "./rule.ts";
import type { AuditSubject } from "./subject.ts";

interface InWorkflow {
  readonly rule: AuditRule["id"];
  readonly workflow: { readonly id: string; readonly name: string };
}

export interface Finding extends Required<Fault>, InWorkflow {
  readonly severity: Severity;
}

export interface Unjudged extends NotJudged, InWorkflow {}

interface Judgement {
  readonly severity: Severity;
  readonly hasPassed: boolean;
}

export interface WorkflowAudit {
  readonly workflow: InWorkflow["workflow"];
  readonly findings: readonly Finding[];
  readonly unjudged: readonly Unjudged[];
  /** One for each rule that applied and could be judged. */
  readonly judgements: readonly Judgement[];
}

const CUT: NotJudged = { node: null, reason: "The workflow is too large to be read whole." };

export function auditWorkflow(subject: AuditSubject, rules: readonly AuditRule[]): WorkflowAudit {
  const { id, name, isCut } = subject.workflow;
  const workflow = { id, name };
  const findings: Finding[] = [];
  const unjudged: Unjudged[] = [];
  const judgements: Judgement[] = [];
  for (const { id: rule, severity, message, fix, appliesTo, judge } of rules) {
    if (!appliesTo.some((role) => subject.roles.has(role))) continue;
    const verdicts = isCut ? [CUT] : judge(subject);
    for (const verdict of verdicts) {
      if ("reason" in verdict) unjudged.push({ rule, workflow, ...verdict });
      else findings.push({ rule, severity, workflow, message, fix, ...verdict });
    }
    const hasFault = verdicts.some((verdict) => !("reason" in verdict));
    if (hasFault || verdicts.length === 0) judgements.push({ severity, hasPassed: !hasFault });
  }
  return { workflow, findings, unjudged, judgements };
}

export const WEIGHTS: Readonly<Record<Severity, number>> = { error: 5, warning: 3, info: 1 };

/**
 * The weighted share of passed judgements, from 0 to 100, rounded down: 100 means no findings. Each rule counts once per
 * workflow, however many findings it has there; rules that could not be judged do not count. Null if none could be.
 */
export function scoreOf(judgements: readonly Judgement[]): number | null {
  const weigh = (all: readonly Judgement[]): number => sumOf(all, ({ severity }) => WEIGHTS[severity]);
  const whole = weigh(judgements);
  return whole === 0 ? null : Math.floor((100 * weigh(judgements.filter((one) => one.hasPassed))) / whole);
}

/** Sorts by severity, then by the guide's order, then by workflow. Findings of one workflow keep their order. */
export function worstFirst(findings: readonly Finding[], rules: readonly AuditRule[]): Finding[] {
  const places = new Map(rules.map(({ id }, index) => [id, index]));
  const place = ({ rule }: Finding): number => places.get(rule) ?? rules.length;
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return findings.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      place(a) - place(b) ||
      compare(a.workflow.name, b.workflow.name) ||
      compare(a.workflow.id, b.workflow.id),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
