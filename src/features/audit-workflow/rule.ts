/**
 * Defines rules of the guide and their verdicts. A rule judges one workflow at a time, and can look at the whole
 * instance. It never throws, evaluates nothing, and shows no parameter value. Pure.
 */
import type { AuditSubject, Role } from "./subject.ts";

/** `error`: broken or unsafe. `warning`: will break one day. `info`: makes maintenance harder. */
export const SEVERITIES = ["error", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Fault {
  /** Null when the fault concerns the workflow as a whole. */
  readonly node: string | null;
  /** Node names, parameter paths or settings that show the fault. Never a parameter's value. */
  readonly evidence: string;
  readonly message?: string;
  readonly fix?: string;
}

/** A place that a rule cannot judge, because it depends on something unknown, such as an expression. */
export interface NotJudged {
  readonly node: string | null;
  readonly reason: string;
}

export type Verdict = Fault | NotJudged;

export interface AuditRule {
  /** `chapter/name`. scripts/reference/audit-rule-texts.md has the documentation of each rule, by its id. */
  readonly id: `${string}/${string}`;
  readonly severity: Severity;
  readonly appliesTo: readonly Role[];
  /** What is wrong, in one sentence with names and no values. */
  readonly message: string;
  /** What to do, as an instruction to the person at the editor. */
  readonly fix: string;
  /** Returns an empty list for a workflow that complies. */
  readonly judge: (subject: AuditSubject) => readonly Verdict[];
}

type OwnWords = Pick<Fault, "message" | "fix">;

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

/** One fault of the workflow as a whole, unless it complies. */
export const faultUnless = (isKept: boolean, evidence: string, words?: OwnWords): Fault[] =>
  isKept ? [] : [{ node: null, evidence, ...words }];
