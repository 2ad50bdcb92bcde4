/**
 * A client that was not allowed to see payloads asks for them when it needs them: the tool list says which tools
 * need the scope, the call is challenged with all scopes needed, a person consents, and the same call goes through.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type AgentClient, connectFirst, connectModern } from "../support/agent-client.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { finishSignIn, signIn, type TestOAuthClient } from "../support/oauth-client.ts";
import { PASSPHRASE, startTestWorker, type TestWorker } from "../support/test-worker.ts";

let n8n: RecordedN8n;
let worker: TestWorker;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  worker = await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey });
});
afterAll(async () => {
  await worker.stop();
  await n8n.close();
});

const CLIENTS: [string, (provider: TestOAuthClient) => Promise<AgentClient>][] = [
  ["a v2 client, 2026-07-28", (provider) => connectModern(worker.mcpUrl, provider, "auto")],
  ["a v2 client in 2025 mode", (provider) => connectModern(worker.mcpUrl, provider, "legacy")],
  [
    // One that has a refresh token refreshes instead, gets the same scopes, and gives up: so does the SDK.
    "a v1 client without a refresh token",
    (provider) => {
      provider.forgetRefreshToken();
      return connectFirst(worker.mcpUrl, provider);
    },
  ],
];

describe.each(CLIENTS)("%s", (_name, connect) => {
  test("steps up", async () => {
    const provider = await signIn(worker.mcpUrl, PASSPHRASE, false);
    const client = await connect(provider);
    expect((await client.call("get_execution", { id: "1" })).isError).toBe(false);

    provider.authorizationUrl = undefined;
    await expect(client.call("get_execution_details", { executionId: "1" })).rejects.toThrow(/authoriz/i);
    expect(scopeAskedFor(provider)).toBe("n8n:read n8n:data");

    await finishSignIn(provider, worker.mcpUrl, PASSPHRASE, true);
    expect((await client.call("get_execution_details", { executionId: "1" })).isError).toBe(false);
    expect((await client.call("get_execution", { id: "1" })).isError).toBe(false);
    await client.close();
  });

  test("is told what failed, and only with n8n:data what the error says in its own words", async () => {
    const OWN_TEXT = "Rate service refused";
    const provider = await signIn(worker.mcpUrl, PASSPHRASE, false);
    const told = async (client: AgentClient): Promise<string[]> => {
      const trace = await client.call("trace_request", { requestId: "req-deep-failure" });
      const summary = await client.call("get_execution", { id: "34" });
      return [trace, summary].map(({ envelope }) => JSON.stringify(envelope));
    };
    const reader = await connect(provider);
    for (const answer of await told(reader)) {
      expect(answer).toContain("Fetch Rate");
      expect(answer).toContain('"hasOwnText":true');
      expect(answer).not.toContain(OWN_TEXT);
    }
    await reader.close();
    const withData = await connect(await signIn(worker.mcpUrl, PASSPHRASE, true));
    for (const answer of await told(withData)) {
      const { message, data } = z
        .looseObject({ message: z.string(), data: z.unknown() })
        .parse(JSON.parse(answer));
      expect(message).not.toContain(OWN_TEXT);
      expect(JSON.stringify(data)).toContain(OWN_TEXT);
    }
    await withData.close();
  });

  test("is told by the tool list which tools need the scope, and by the server that it is so", async () => {
    const provider = await signIn(worker.mcpUrl, PASSPHRASE, false);
    const client = await connect(provider);
    const tools = await client.listTools();
    const needing = tools.filter(({ description = "" }) => description.includes("Needs the scope n8n:data."));
    expect(needing.map(({ name }) => name)).toEqual([
      "search_executions",
      "get_execution_by_node",
      "get_execution_details",
    ]);
    for (const { name } of tools) {
      const isChallenged = (await statusOfCall(name, provider.tokens()?.access_token ?? "")) === 403;
      expect([name, isChallenged]).toEqual([name, needing.some((tool) => tool.name === name)]);
    }
    await client.close();
  });
});

function scopeAskedFor({ authorizationUrl }: TestOAuthClient): string | null | undefined {
  return authorizationUrl?.searchParams.get("scope");
}

/** Without arguments: a scope is asked for before they are looked at. */
async function statusOfCall(name: string, token: string): Promise<number> {
  const response = await fetch(worker.mcpUrl, mcpPost(token, toolCall(name, {})));
  await response.body?.cancel();
  return response.status;
}
