/**
 * Renders findings for a terminal: one line each, with the fix below. Pure. Text from the
 * server is sanitized.
 */
import { toPlainJson, toPlainText } from "../ask/plain-text.ts";
import { type Finding, isFailure } from "./finding.ts";

const MARKS: Readonly<Record<Finding["status"], string>> = {
  pass: "ok  ",
  note: "note",
  warning: "warn",
  fail: "FAIL",
  skipped: "--  ",
};

export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, detail, solution }) => [
    `${MARKS[status]}  ${toPlainText(check).padEnd(width)}  ${toPlainText(detail)}`,
    ...(solution === undefined ? [] : [`      ${" ".repeat(width)}  → ${toPlainText(solution)}`]),
  ]);
  return lines.join("\n");
}

/** One line of JSON per finding. */
export const renderJsonLines = (findings: readonly Finding[]): string =>
  findings.map((finding) => toPlainJson(finding, 0)).join("\n");

export function summarize(findings: readonly Finding[]): string {
  const failed = findings.filter(isFailure);
  if (failed.length > 0) return `Failed: ${failed.map(({ check }) => check).join(", ")}.`;
  const isPartial = findings.some(({ status }) => status === "skipped");
  return isPartial ? "No fault in what could be tested." : "All is well.";
}
