import { describe, expect, test } from "vitest";
import { auditWorkflow, scoreOf, worstFirst } from "../../../src/features/audit-workflow/audit.ts";
import { toUnjudgedEntries } from "../../../src/features/audit-workflow/audit-answer.ts";
import type { AuditRule, Severity, Verdict } from "../../../src/features/audit-workflow/rule.ts";
import { instanceFacts, toSubject } from "../../../src/features/audit-workflow/subject.ts";
import { outlineOf } from "../../../src/workflows/workflow-outline.ts";
import { workflowOf } from "../../support/workflow-builder.ts";

const rule = (name: string, severity: Severity, verdicts: readonly Verdict[]): AuditRule => ({
  id: `naming/${name}`,
  severity,
  appliesTo: ["any"],
  message: "m",
  fix: "f",
  judge: () => verdicts,
});
const PASSED: Verdict[] = [];
const fails: Verdict[] = [
  { node: "a", evidence: "e" },
  { node: "b", evidence: "e" },
];
const unknown: Verdict[] = [{ node: "c", reason: "Only n8n knows." }];

function audit(rules: readonly AuditRule[], facts: Parameters<typeof workflowOf>[2] = {}) {
  const workflow = { ...workflowOf([{ name: "a" }], {}, facts), isCut: facts?.isCut === true };
  const outline = outlineOf(workflow);
  const instance = instanceFacts({
    workflows: new Map([[outline.id, outline]]),
    unreadIds: new Set(),
    isComplete: true,
  });
  return auditWorkflow(
    toSubject(workflow, instance, () => []),
    rules,
  );
}
const score = (...rules: AuditRule[]) => scoreOf(audit(rules).judgements);

describe("the score", () => {
  test("is 100 only if nothing was found", () => {
    expect(score(rule("a", "error", PASSED))).toBe(100);
    const many = Array.from({ length: 500 }, (_one, index) => rule(String(index), "error", PASSED));
    expect(score(...many, rule("x", "info", fails))).toBe(99);
  });

  test("is weighted by severity, and counts a rule once, however many findings it has", () => {
    expect(score(rule("a", "error", fails), rule("b", "error", PASSED))).toBe(50);
    expect(score(rule("a", "error", fails), rule("b", "info", PASSED))).toBe(16);
    expect(score(rule("a", "warning", PASSED), rule("b", "info", fails))).toBe(75);
  });

  test("leaves out what could not be judged", () => {
    expect(score(rule("a", "error", fails), rule("b", "error", unknown), rule("c", "error", PASSED))).toBe(
      50,
    );
    expect(score(rule("b", "error", unknown))).toBe(null);
    expect(score(rule("a", "error", [...fails, ...unknown]))).toBe(0);
  });
});

test("a workflow that was cut is not judged", () => {
  const { findings, unjudged, judgements } = audit([rule("a", "error", fails)], { isCut: true });
  expect([findings, judgements]).toEqual([[], []]);
  expect(unjudged).toMatchObject([
    { rule: "naming/a", reason: "The workflow is too large to be read whole." },
  ]);
});

test("findings are sorted by severity and rule, then by workflow name and node order", () => {
  const rules = [rule("info", "info", fails), rule("late", "error", fails), rule("early", "error", fails)];
  const findings = [audit(rules, { id: "2", name: "B" }), audit(rules, { id: "1", name: "A" })].flatMap(
    (each) => each.findings,
  );
  const order = worstFirst(findings, rules.toReversed());
  expect(order.map(({ rule: id, workflow, node }) => `${id} ${workflow.name}${node}`)).toEqual(
    ["early", "late", "info"].flatMap((name) =>
      ["Aa", "Ab", "Ba", "Bb"].map((place) => `naming/${name} ${place}`),
    ),
  );
});

test("unjudged rules are counted together by their reason", () => {
  const { unjudged } = audit([rule("a", "error", [...unknown, ...unknown]), rule("b", "info", unknown)]);
  expect(toUnjudgedEntries(unjudged).map(({ rule: id, count }) => [id, count])).toEqual([
    ["naming/a", 2],
    ["naming/b", 1],
  ]);
});
