/** docs/observability.md lists the spans and attributes of the code, with its descriptions, and no others. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SPANS } from "../../src/platform/spans.ts";

const text = readFileSync("docs/observability.md", "utf8");

const rows = Object.entries(SPANS).flatMap(([name, { what, attributes }]) => [
  `| \`${name}\` | | ${what} |`,
  ...Object.entries(attributes).map(([key, says]) => `| | \`${key}\` | ${says} |`),
]);

test("the table of spans matches the code", () => {
  expect(text).toContain(`|---|---|---|\n${rows.join("\n")}\n\n`);
});

test("no unknown span is mentioned", () => {
  const named = new Set(text.match(/n8n_observer\.\w+/g));
  expect([...named].toSorted()).toEqual(Object.keys(SPANS).toSorted());
});

test("three backends have an endpoint for traces and one for logs", () => {
  for (const host of ["grafana.net/otlp", "api.honeycomb.io", "api.axiom.co"]) {
    expect(text).toContain(`${host}/v1/traces`);
    expect(text).toContain(`${host}/v1/logs`);
  }
});
