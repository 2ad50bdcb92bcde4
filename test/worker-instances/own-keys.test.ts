/** Personal keys with two n8n instances: a key for each, and no access without one. */
import { createExecutionContext } from "cloudflare:test";
import { env, withEnv } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import worker from "../../src/index.ts";
import { mcpPost, readMessage, toolCall } from "../support/mcp-post.ts";
import { HOST } from "../worker/mcp-call.ts";
import { resetAfterEach } from "../worker/reset.ts";
import { PASSPHRASE, PUBLIC_URL } from "../worker/secrets.ts";
import { Browser, destinationOf, handleOf, type Send } from "../worker/sign-in/browser.ts";
import { authorizeUrl, exchangeCode, registeredClientId } from "../worker/sign-in/client.ts";
import { watchRequests } from "./client.ts";
import { N8NS } from "./n8ns.ts";

const SETTINGS = { ...env, N8N_KEYS: "personal", SERVICE_TOKENS: "" };
const send: Send = async (request) =>
  z
    .instanceof(Response)
    .parse(
      await withEnv(SETTINGS, async () => await worker.fetch(request, SETTINGS, createExecutionContext())),
    );

resetAfterEach();

async function give(keys: Record<string, string>): Promise<{ clientId: string; answer: Response }> {
  const clientId = await registeredClientId({}, send);
  const browser = new Browser(send);
  const handle = handleOf(await (await browser.open(authorizeUrl(clientId))).text());
  const form = { handle, decision: "approve", passphrase: PASSPHRASE, scope: "n8n:data" };
  return { clientId, answer: await browser.post({ ...form, ...keys }) };
}

test("a user with a key for one n8n sees only that one, through that key", async () => {
  const { clientId, answer } = await give({ "key.newer": N8NS.newer.apiKey });
  const code = destinationOf(answer).searchParams.get("code") ?? "";
  const { access_token: token } = z
    .object({ access_token: z.string() })
    .parse(await (await exchangeCode(clientId, code, {}, send)).json());
  const sent = watchRequests();
  for (const message of [{ method: "tools/list" }, toolCall("list_workflows", {})]) {
    const response = await send(new Request(`${PUBLIC_URL}/mcp`, mcpPost(token, message, HOST)));
    const text = JSON.stringify(await readMessage(response));
    expect(text).not.toMatch(/\bolder\b/);
  }
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.every(({ to }) => to === N8NS.newer.baseUrl)).toBe(true);
});

test("a key of another n8n is refused at its field, and the page contains no key", async () => {
  const { answer } = await give({ "key.newer": N8NS.newer.apiKey, "key.older": N8NS.newer.apiKey });
  expect(answer.status).toBe(400);
  const page = await answer.text();
  expect(page).toMatch(/id="key\.older-error"[^>]*>n8n does not accept this key/);
  expect(page).not.toContain('id="key.newer-error"');
  expect(page).not.toContain(N8NS.newer.apiKey);
});
