/**
 * A client without access to payloads requests it when it needs it: the tool list says which tools
 * need the scope, the call is challenged with all scopes needed, a person consents, and the same call goes through.
 */

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type AgentClient, connectFirst, connectModern } from "../support/agent-client.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { finishSignIn, signIn, type TestOAuthClient } from "../support/oauth-client.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { PASSPHRASE } from "../support/test-worker.ts";

const server = useRecordedWorker();

const CLIENTS: [string, (provider: TestOAuthClient) => Promise<AgentClient>][] = [
  ["a v2 client, 2026-07-28", (provider) => connectModern(server.worker.mcpUrl, provider, "auto")],
  ["a v2 client in 2025 mode", (provider) => connectModern(server.worker.mcpUrl, provider, "legacy")],
  [
    // With a refresh token, the SDK would refresh, get the same scopes, and give up.
    "a v1 client without a refresh token",
    (provider) => {
      provider.forgetRefreshToken();
      return connectFirst(server.worker.mcpUrl, provider);
    },
  ],
];

describe.each(CLIENTS)("%s", (_name, connect) => {
  test("gets payloads once a person has consented", async () => {
    const provider = await signIn(server.worker.mcpUrl, PASSPHRASE, false);
    const client = await connect(provider);
    expect((await client.call("get_execution", { id: "1" })).isError).toBe(false);

    provider.authorizationUrl = undefined;
    await expect(client.call("get_execution_details", { executionId: "1" })).rejects.toThrow(/authoriz/i);
    expect(scopeAskedFor(provider)).toBe("n8n:read n8n:data");

    await finishSignIn(provider, server.worker.mcpUrl, PASSPHRASE, true);
    expect((await client.call("get_execution_details", { executionId: "1" })).isError).toBe(false);
    expect((await client.call("get_execution", { id: "1" })).isError).toBe(false);
    await client.close();
  });

  test("sees which node failed, and the error's own text only with n8n:data", async () => {
    const OWN_TEXT = "Rate service refused";
    const provider = await signIn(server.worker.mcpUrl, PASSPHRASE, false);
    const answersOf = async (client: AgentClient): Promise<string[]> => {
      const trace = await client.call("trace_request", { requestId: "req-deep-failure" });
      const summary = await client.call("get_execution", { id: "34" });
      return [trace, summary].map(({ envelope }) => JSON.stringify(envelope));
    };
    const reader = await connect(provider);
    for (const answer of await answersOf(reader)) {
      expect(answer).toContain("Fetch Rate");
      expect(answer).toContain('"hasOwnText":true');
      expect(answer).not.toContain(OWN_TEXT);
    }
    await reader.close();
    const withData = await connect(await signIn(server.worker.mcpUrl, PASSPHRASE, true));
    for (const answer of await answersOf(withData)) {
      const { message, data } = z
        .looseObject({ message: z.string(), data: z.unknown() })
        .parse(JSON.parse(answer));
      expect(message).not.toContain(OWN_TEXT);
      expect(JSON.stringify(data)).toContain(OWN_TEXT);
    }
    await withData.close();
  });

  test("sees in the tool list which tools need the scope, and only those are challenged", async () => {
    const provider = await signIn(server.worker.mcpUrl, PASSPHRASE, false);
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

/** Calls without arguments, as the scope is checked before them. */
async function statusOfCall(name: string, token: string): Promise<number> {
  const response = await fetch(server.worker.mcpUrl, mcpPost(token, toolCall(name, {})));
  await response.body?.cancel();
  return response.status;
}
