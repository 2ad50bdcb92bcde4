/**
 * What a rule of the guide is, and what it may say. A rule looks at one workflow at a time, in the light of
 * the whole instance; it never throws, evaluates nothing, and shows no parameter's value. Pure.
 */
import type { AuditSubject, Role } from "./subject.ts";

/** The guide's chapters, in its order. */
export const GROUPS = [
  "architecture",
  "naming",
  "atdf",
  "output",
  "validation",
  "critical-nodes",
  "error-workflow",
  "router",
  "security",
  "traceability",
  "tags",
  "documentation",
] as const;
export type Group = (typeof GROUPS)[number];

/** `error`: it breaks, or is unsafe. `warning`: it will, one day. `info`: it costs those who come after. */
export const SEVERITIES = ["error", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a rule has found at one place. */
export interface RuleFinding {
  /** Null when it is about the workflow as a whole. */
  readonly node: string | null;
  /** One sentence: what is wrong. Names, never values. */
  readonly message: string;
  /** What shows it: names of nodes, paths of parameters, settings. Never a parameter's value. */
  readonly evidence: string;
  /** What to do, as an instruction to the person at the editor. */
  readonly fix: string;
}

/** What a rule would have to know and cannot, such as an expression that only n8n evaluates. */
export interface NotJudged {
  readonly node: string | null;
  readonly reason: string;
}

export interface RuleOutcome {
  readonly findings: readonly RuleFinding[];
  readonly notJudged: readonly NotJudged[];
}

export interface AuditRule {
  /** `group/name`. */
  readonly id: `${Group}/${string}`;
  readonly severity: Severity;
  /** What it asks for, in one sentence. */
  readonly title: string;
  /** Why: what happens without. */
  readonly reason: string;
  readonly good: string;
  readonly bad: string;
  /** The roles of a workflow that it applies to. */
  readonly appliesTo: readonly Role[];
  readonly judge: (subject: AuditSubject) => RuleOutcome;
}

export const PASSED: RuleOutcome = { findings: [], notJudged: [] };

/** An outcome of findings alone. */
export function found(...findings: readonly RuleFinding[]): RuleOutcome {
  return { findings, notJudged: [] };
}

/** An outcome that says only what could not be judged. */
export function notJudged(node: string | null, reason: string): RuleOutcome {
  return { findings: [], notJudged: [{ node, reason }] };
}

/** All of them in one. */
export function together(outcomes: readonly RuleOutcome[]): RuleOutcome {
  return {
    findings: outcomes.flatMap(({ findings }) => findings),
    notJudged: outcomes.flatMap((outcome) => outcome.notJudged),
  };
}

export function groupOf({ id }: Pick<AuditRule, "id">): Group {
  const group = GROUPS.find((known) => id.startsWith(`${known}/`));
  if (group === undefined) throw new TypeError(`The rule ${id} belongs to no group.`);
  return group;
}
