/**
 * What a rule of the guide is, and what it may say. A rule judges one workflow at a time, in the light of the
 * whole instance. It never throws, evaluates nothing, and shows no parameter's value. Pure.
 */
import type { AuditSubject, Role } from "./subject.ts";

/** `error`: it breaks, or is unsafe. `warning`: it will, one day. `info`: it costs those who come after. */
export const SEVERITIES = ["error", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One place that breaks a rule. */
export interface Fault {
  /** Null when the fault concerns the workflow as a whole. */
  readonly node: string | null;
  /** What shows it: names of nodes, paths of parameters, settings. Never a parameter's value. */
  readonly evidence: string;
  /** Replaces the rule's own message here. */
  readonly message?: string;
  /** Replaces the rule's own fix here. */
  readonly fix?: string;
}

/** A place that a rule cannot judge, because it depends on something unknown, such as an expression. */
export interface NotJudged {
  readonly node: string | null;
  readonly reason: string;
}

export type Verdict = Fault | NotJudged;

export interface AuditRule {
  /** `chapter/name`. What the documentation says of a rule is in scripts/reference/audit-rule-texts.md, by its id. */
  readonly id: `${string}/${string}`;
  readonly severity: Severity;
  /** The rule applies to workflows that have one of these roles. */
  readonly appliesTo: readonly Role[];
  /** What is wrong, in one sentence. Names, never values. */
  readonly message: string;
  /** What to do, as an instruction to the person at the editor. */
  readonly fix: string;
  /** A workflow that keeps the rule gets no verdict. */
  readonly judge: (subject: AuditSubject) => readonly Verdict[];
}

type OwnWords = Pick<Fault, "message" | "fix">;

/** A fault at each of these nodes. */
export function faultsAt<Node extends { readonly name: string }>(
  nodes: readonly Node[],
  evidence: string | ((node: Node) => string),
  words?: OwnWords,
): Fault[] {
  return nodes.map((node) => ({
    node: node.name,
    evidence: typeof evidence === "string" ? evidence : evidence(node),
    ...words,
  }));
}

/** One fault of the workflow as a whole, unless it keeps the rule. */
export function faultUnless(isKept: boolean, evidence: string, words?: OwnWords): Fault[] {
  return isKept ? [] : [{ node: null, evidence, ...words }];
}
