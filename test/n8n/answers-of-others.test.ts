/** Errors of a host or gateway in JSON are not n8n's: they say nothing about a key, an execution or a workflow. */
import { describe, expect, test } from "vitest";
import { learnStatuses } from "../../src/n8n/capabilities/learn.ts";
import { createFakeN8n, fakeExecution, fakeHistory } from "../support/fake-n8n.ts";
import { createTestTraces } from "../support/test-traces.ts";

const json = (status: number, body: unknown) => (): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

/** What Railway's edge answers while no n8n runs behind it. */
const NOBODY_RUNS = json(404, {
  ...{ status: "error", code: 404, message: "Application not found" },
  request_id: "1EKfM20CRb-FOsDm0_TJvA",
});
/** Cloudflare's errors to clients that accept JSON (RFC 9457), since March 2026. */
const cloudflare = (status: number, error_code: number) =>
  json(status, {
    ...{ type: "https://developers.cloudflare.com/support/", title: `Error ${error_code}`, status },
    ...{ error_code, cloudflare_error: true, detail: "Access denied" },
  });
const KONG = json(401, { message: "No API key found in request", request_id: "0a1b" });

const failureOf = async (answer: () => Response, ask: (n8n: ReturnType<typeof createFakeN8n>) => unknown) => {
  const n8n = createFakeN8n(fakeHistory(3));
  n8n.intercept = answer;
  return await Promise.resolve(ask(n8n)).then(
    () => undefined,
    (error: unknown) => error,
  );
};

describe("a host's 404 while n8n restarts", () => {
  test.each([
    ["an execution", (n8n: ReturnType<typeof createFakeN8n>) => n8n.client.readExecutionItem("2")],
    ["a workflow", (n8n: ReturnType<typeof createFakeN8n>) => n8n.client.readWorkflowName("w1")],
    ["a history", (n8n: ReturnType<typeof createFakeN8n>) => n8n.client.listWorkflowVersions("w1", 1)],
    ["the scopes of a key", (n8n: ReturnType<typeof createFakeN8n>) => n8n.client.discoverScopes()],
  ])("does not mean that n8n lacks %s", async (_what, ask) => {
    expect(await failureOf(NOBODY_RUNS, ask)).toMatchObject({ code: "N8N_BAD_RESPONSE" });
  });

  test("does not mark what is known as deleted", async () => {
    const traces = createTestTraces();
    const n8n = createFakeN8n([fakeExecution(1, "r-1", { status: "error" }), ...fakeHistory(300).slice(1)]);
    await traces.ask(n8n, { requestId: "r-1" });
    n8n.intercept = NOBODY_RUNS;
    await expect(traces.ask(n8n, { requestId: "1" })).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
    n8n.intercept = () => undefined;
    const { sentence } = await traces.ask(n8n, { requestId: "r-1" });
    expect(sentence).not.toContain("deleted");
  });
});

test.each([
  ["Cloudflare's firewall", cloudflare(403, 1020)],
  ["a gateway", KONG],
  ["Google Cloud's gateway", json(401, { code: 401, message: "Jwt is missing" })],
])("a refusal by %s is not a fault of the key", async (_what, answer) => {
  const refused = await failureOf(answer, (n8n) => n8n.client.listExecutions({ limit: 1 }));
  expect(refused).toMatchObject({ code: "N8N_FORBIDDEN", details: { field: "N8N_HEADERS" } });
});

test("a gateway's 400 does not mean that n8n filters by no status", async () => {
  const answer = json(400, { statusCode: 400, error: "Bad Request", message: "Bad Request" });
  expect(await failureOf(answer, (n8n) => learnStatuses(n8n.client))).toMatchObject({
    code: "N8N_BAD_RESPONSE",
  });
});

test("an n8n that migrates its database is starting up, and is asked again", async () => {
  const n8n = createFakeN8n(fakeHistory(3));
  const starting = (): Response =>
    new Response("n8n is starting up. Please wait", { headers: { "content-type": "text/html" } });
  n8n.intercept = () => (n8n.requests.length < 2 ? starting() : undefined);
  const waits: number[] = [];
  const clock = { now: () => 0, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
  const { executions } = await n8n.client.retrying({ clock }).listExecutions({ limit: 3 });
  expect(executions).toHaveLength(3);
  expect(waits).toEqual([5_000]);
});
