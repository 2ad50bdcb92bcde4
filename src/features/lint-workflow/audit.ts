/**
 * Audits workflows against the guide's rules: each rule, on each workflow whose role it applies to. A workflow
 * that was too large to be read whole is not judged, since what is missing could be what a rule asks for. Pure.
 */
import type { AuditRule, NotJudged, RuleFinding, Severity } from "./rule.ts";
import type { AuditSubject } from "./subject.ts";

export interface AuditedWorkflow {
  readonly id: string;
  readonly name: string;
}

export interface Finding extends RuleFinding {
  readonly rule: AuditRule["id"];
  readonly severity: Severity;
  readonly workflow: AuditedWorkflow;
}

export interface Unjudged extends NotJudged {
  readonly rule: AuditRule["id"];
  readonly workflow: AuditedWorkflow;
}

export interface WorkflowAudit {
  readonly workflow: AuditedWorkflow;
  readonly findings: readonly Finding[];
  readonly unjudged: readonly Unjudged[];
  /** One for each rule that applied and could say anything. */
  readonly judgements: readonly Judgement[];
}

/** What one rule says of one workflow. */
export interface Judgement {
  readonly severity: Severity;
  readonly hasPassed: boolean;
}

const CUT: NotJudged = { node: null, reason: "The workflow is too large to be read whole." };

export function auditWorkflow(subject: AuditSubject, rules: readonly AuditRule[]): WorkflowAudit {
  const workflow = { id: subject.workflow.id, name: subject.workflow.name };
  const applying = rules.filter(({ appliesTo }) => appliesTo.some((role) => subject.roles.has(role)));
  const outcomes = applying.map((rule) => ({
    rule,
    ...(subject.workflow.isCut ? { findings: [], notJudged: [CUT] } : rule.judge(subject)),
  }));
  return {
    workflow,
    findings: outcomes.flatMap(({ rule, findings }) =>
      findings.map((finding) => ({ rule: rule.id, severity: rule.severity, workflow, ...finding })),
    ),
    unjudged: outcomes.flatMap(({ rule, notJudged }) =>
      notJudged.map((one) => ({ rule: rule.id, workflow, ...one })),
    ),
    judgements: outcomes
      .filter(({ findings, notJudged }) => findings.length > 0 || notJudged.length === 0)
      .map(({ rule: { severity }, findings }) => ({ severity, hasPassed: findings.length === 0 })),
  };
}
