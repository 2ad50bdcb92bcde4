/** `TRACE_URL`: which templates are accepted, and which applies with several instances. */
import { describe, expect, test } from "vitest";
import { readInstances, settingProblems } from "../../src/settings/index.ts";
import { readN8nSettings } from "../../src/settings/instances.ts";
import { expectProblem } from "../support/setting-problems.ts";

const N8N = { N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: "n8n-api-key-of-these-tests" };
const read = (TRACE_URL: unknown) => readN8nSettings({ ...N8N, TRACE_URL }).traceUrl;

test.each([
  undefined,
  "https://jaeger.example.com/trace/{traceId}",
  "http://jaeger.internal:16686/trace/{traceId}",
  "https://grafana.example/explore?traceId={traceId}&again={traceId}",
  "https://traces.example/#/{traceId}",
])("%s is taken", (template) => expect(read(template)).toBe(template));

describe("a template is refused, naming its setting without quoting its value,", () => {
  test.each([
    ["without placeholder", "https://traces.test/trace/"],
    ["with another placeholder", "https://jaeger.example.com/trace/{id}"],
    ["with the placeholder in the host", "https://{traceId}.example.com/trace"],
    ["with the placeholder in the host, too", "https://{traceId}.example.com/{traceId}"],
    ["with a user", "https://user@jaeger.example.com/trace/{traceId}"],
    ["with a password", "https://:secret@jaeger.example.com/trace/{traceId}"],
    ["of another scheme", "javascript:alert({traceId})"],
    ["of a file", "file:///trace/{traceId}"],
    ["with a line break", "https://jaeger.example.com/trace/{traceId}\nmore"],
    ["with quotation marks", 'https://jaeger.example.com/trace/{traceId}"onclick="x'],
    ["that is no address", "https://[/trace/{traceId}"],
  ])("%s", (_name, template) => {
    expectProblem(() => read(template), "TRACE_URL", template);
    const problems = settingProblems({ ...N8N, TRACE_URL: template }, "http://localhost:8787/");
    expect(problems.map(({ setting }) => setting)).toContain("TRACE_URL");
  });
});

test("an instance has its own template, or else the general one", () => {
  const own = {
    baseUrl: "https://a.test",
    apiKey: "key-of-a-in-tests",
    traceUrl: "https://a.example/{traceId}",
  };
  const other = { baseUrl: "https://b.test", apiKey: "key-of-b-in-tests" };
  const source = {
    N8N_INSTANCES: JSON.stringify({ own, other }),
    TRACE_URL: "https://all.example/{traceId}",
  };
  const instances = readInstances(source);
  expect(instances.get("own")?.traceUrl).toBe("https://a.example/{traceId}");
  expect(instances.get("other")?.traceUrl).toBe("https://all.example/{traceId}");
  const wrong = { N8N_INSTANCES: JSON.stringify({ own: { ...own, traceUrl: "https://a.example/" } }) };
  expect(() => readInstances(wrong)).toThrow("traceUrl of own in N8N_INSTANCES has no {traceId}");
});
