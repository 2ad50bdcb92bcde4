/**
 * Audits a workflow against each rule of the guide that applies to one of its roles. A workflow that was too
 * large to be read whole is not judged, because a rule may ask for the part that is missing. Pure.
 */
import { type AuditRule, type Fault, isFault, isNotJudged, type NotJudged, type Severity } from "./rule.ts";
import type { AuditSubject } from "./subject.ts";

export interface AuditedWorkflow {
  readonly id: string;
  readonly name: string;
}

/** A fault, with what its rule says of it. */
export interface Finding extends Required<Fault> {
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
  /** One for each rule that applied and could be judged. */
  readonly judgements: readonly Judgement[];
}

/** Whether one workflow kept one rule. */
export interface Judgement {
  readonly severity: Severity;
  readonly hasPassed: boolean;
}

const CUT: NotJudged = { node: null, reason: "The workflow is too large to be read whole." };

export function auditWorkflow(subject: AuditSubject, rules: readonly AuditRule[]): WorkflowAudit {
  const workflow = { id: subject.workflow.id, name: subject.workflow.name };
  const applying = rules.filter(({ appliesTo }) => appliesTo.some((role) => subject.roles.has(role)));
  const outcomes = applying.map((rule) => {
    const verdicts = subject.workflow.isCut ? [CUT] : rule.judge(subject);
    return { rule, faults: verdicts.filter(isFault), unjudged: verdicts.filter(isNotJudged) };
  });
  return {
    workflow,
    findings: outcomes.flatMap(({ rule: { id, severity, message, fix }, faults }) =>
      faults.map((fault) => ({ rule: id, severity, workflow, message, fix, ...fault })),
    ),
    unjudged: outcomes.flatMap(({ rule, unjudged }) =>
      unjudged.map((one) => ({ rule: rule.id, workflow, ...one })),
    ),
    judgements: outcomes
      .filter(({ faults, unjudged }) => faults.length > 0 || unjudged.length === 0)
      .map(({ rule: { severity }, faults }) => ({ severity, hasPassed: faults.length === 0 })),
  };
}
