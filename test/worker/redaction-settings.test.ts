/** The Worker's tool context gives no n8n while redaction is not configured, nor to a caller who has left. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ObserverError } from "../../src/platform/errors.ts";
import { createToolContext } from "../../src/wiring/create-context.ts";

function notCalled(): never {
  throw new Error("Nothing is redacted here.");
}

const CALL = {
  userId: "user",
  scopes: [],
  access: { kind: "all" } as const,
  showsData: false,
  requestUrl: "http://localhost:8787/mcp",
  gone: new AbortController().signal,
  progress: async () => {},
  pause: async () => {},
  redaction: { redact: notCalled, redactLarge: notCalled, print: notCalled },
  countBytes: () => {},
};
const N8N = { N8N_BASE_URL: "https://n8n.test", N8N_API_KEY: "a-key-for-these-tests" };

function clientWith(settings: Readonly<Record<string, string>>): unknown {
  return createToolContext({ ...env, ...N8N, ...settings }, CALL).n8n();
}

test("correct redaction settings give an n8n", () => {
  expect(clientWith({ REDACT_PATTERNS: "ACME-\\d{6}", REDACT_PII: "on" })).toBeDefined();
});

test.each([{ REDACT_PATTERNS: "(a+)+b" }, { REDACT_ALLOW: "password" }, { REDACT_PII: "maybe" }])(
  "%j gives no n8n",
  (settings) => {
    expect(() => clientWith(settings)).toThrow(ObserverError);
  },
);

test("nothing more is requested of n8n once the caller has left", async () => {
  const client = new AbortController();
  const n8n = createToolContext({ ...env, ...N8N }, { ...CALL, gone: client.signal }).n8n();
  client.abort();
  await expect(n8n.probe()).rejects.toMatchObject({ code: "INTERRUPTED" });
});
