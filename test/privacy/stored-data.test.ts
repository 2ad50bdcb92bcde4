/** What is said to be stored: each place where something is, and the numbers that the code goes by. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MAX_STRANGER_ENTRIES_A_DAY } from "../../src/activity-log/activity-rows.ts";
import { DEFAULT_RETENTION, storedData } from "../../src/privacy/stored-data.ts";
import { LOCKED_FOR_MS } from "../../src/sign-in/lock-out.ts";
import { GRANT_SECONDS } from "../../src/sign-in/registration/client-retention.ts";

const places = storedData(DEFAULT_RETENTION).map(({ place }) => place);
const document = readFileSync("docs/privacy.md", "utf8");

test("each Durable Object and each KV namespace of wrangler.toml is named as a place", () => {
  const configured = [
    ...readFileSync("wrangler.toml", "utf8").matchAll(/^(?:class_name|binding) = "(\w+)"$/gm),
  ];
  const names = configured.map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(7);
  expect(names.filter((name) => !places.some((place) => place.includes(name)))).toEqual([]);
});

test("the document has the numbers of the code", () => {
  for (const text of [
    `${DEFAULT_RETENTION.auditDays} days (AUDIT_DAYS)`,
    `${MAX_STRANGER_ENTRIES_A_DAY} lines a day`,
    `${GRANT_SECONDS / 86_400} days, or until it is revoked`,
    `a lock ${LOCKED_FOR_MS / 60_000} minutes`,
  ])
    expect(document).toContain(text);
});

test("a setting changes what is said", () => {
  const kept = storedData({ auditDays: 1, maxExecutions: 1_000 }).map((kind) => kind.kept);
  expect(kept).toContain("1 day (AUDIT_DAYS)");
  expect(kept.join()).toContain("INDEX_MAX_EXECUTIONS, 1,000");
});
