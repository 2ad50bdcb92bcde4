/**
 * Personal keys (`N8N_KEYS=personal`) on a real n8n: its owner, who sees four workflows, and a member with two of their own.
 * Each signs in with their own key, and sees what n8n shows them; then the member's key is deleted, and another one expires.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentClient, connectFirst } from "../support/agent-client.ts";
import { closeAtEnd } from "../support/close-at-end.ts";
import { signIn as signInToObserver } from "../support/oauth-client.ts";
import { PASSPHRASE } from "../support/test-worker.ts";
import { bootN8n, OWNER } from "./boot.ts";
import type { N8nInstallation } from "./install.ts";
import { createKey, createTestKeys, deleteKey, inviteMember, listKeys, signIn } from "./owner.ts";
import type { LaneReport } from "./report.ts";
import { chained, createWorkflow, waitForWebhook } from "./seed.ts";
import { type TestedN8n, webhookUrl } from "./tested-n8n.ts";
import { checkOnlyGet, same } from "./trace-checks.ts";
import { startWatchedWorker } from "./watched-worker.ts";
import { code, webhook } from "./workflow-parts.ts";

export const OWN_KEYS = "people with keys of their own";

const MEMBER = { email: "member@example.com", password: "Only-for-tests-2" };
const SHARED_REQUEST = "req-of-both-8c1f27";
const ERRORS = { owner: "the ledger of the owner is closed", member: "the shelf of the member is empty" };
type Person = keyof typeof ERRORS;

/** @returns the names of the workflows; the first one succeeds and the second one fails */
async function seedFor(n8n: TestedN8n, key: string, who: Person): Promise<readonly string[]> {
  const access = { baseUrl: n8n.baseUrl, key };
  const names = [`${who}.answers`, `${who}.fails`];
  for (const [index, name] of names.entries()) {
    const path = name.replace(".", "-");
    const does = index === 0 ? "return $input.all();" : `throw new Error(${JSON.stringify(ERRORS[who])});`;
    await createWorkflow(n8n, access, chained(name, webhook(path, "onReceived"), code("Do", does)));
    await waitForWebhook(n8n, path);
    await fetch(webhookUrl(n8n, path), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ requestId: SHARED_REQUEST, said: `payload of ${name}` }),
    });
  }
  return names;
}

/** The answers of these tools. */
async function everythingTo(client: AgentClient): Promise<string> {
  const answers = [
    await client.call("list_workflows"),
    await client.call("trace_request", { requestId: SHARED_REQUEST }),
    await client.call("get_workflow_executions"),
    await client.call("summarize_failures"),
    await client.call("search_executions", { text: "payload of" }),
    await client.call("query_executions", { groupBy: ["workflow"] }),
    await client.call("audit_workflow"),
    await client.call("check_connection"),
  ];
  return answers.map(({ envelope }) => JSON.stringify(envelope)).join("\n");
}

function includesAll(text: string, all: readonly string[], isThere: boolean): void {
  for (const one of all)
    if (text.includes(one) !== isThere)
      throw new Error(`${one} is ${isThere ? "missing" : "shown"}: ${text}`);
}

export async function checkOwnKeys(installation: N8nInstallation, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(resources, await bootN8n(installation, { log: console.log }));
  const owner = await signIn(n8n.baseUrl, OWNER);
  const member = await inviteMember(owner, MEMBER);
  const keys = await createTestKeys(member);
  const own = {
    owner: await seedFor(n8n, n8n.writeKey, "owner"),
    member: await seedFor(n8n, keys.writeKey, "member"),
  };
  // Keys expire to the second, and n8n creates no expired key.
  const short = await createKey(member, "short", "read", new Date(Date.now() + 20_000));
  const settings = { N8N_KEYS: "personal", SERVICE_TOKENS: "" };
  const { watch, worker } = await startWatchedWorker(resources, n8n, settings);
  const connectWith = async (key: string, further: Record<string, string> = {}): Promise<AgentClient> => {
    const fields = { "key.default": key, ...further };
    const client = await signInToObserver(worker.mcpUrl, PASSPHRASE, true, fields);
    return closeAtEnd(resources, await connectFirst(worker.mcpUrl, client));
  };
  const clients = {
    owner: await connectWith(n8n.readKey),
    member: await connectWith(keys.readKey),
    short: await connectWith(short.key),
  };
  await report.check("the owner sees four workflows with a key of their own", async () => {
    includesAll(await everythingTo(clients.owner), [...own.owner, ...own.member], true);
  });
  await report.check("a member sees their two workflows, and nothing of the owner's", async () => {
    const said = await everythingTo(clients.member);
    includesAll(said, own.member, true);
    includesAll(said, [...own.owner, ERRORS.owner], false);
    const { envelope } = await clients.member.call("list_workflows");
    same(
      "workflows",
      JSON.stringify(envelope.data)
        .match(/"(?:member|owner)\.\w+"/g)
        ?.sort(),
      ['"member.answers"', '"member.fails"'],
    );
  });
  await report.check("a key that can write is accepted only after confirmation", async () => {
    const refused = await connectWith(keys.writeKey).then(
      () => "taken",
      (error: unknown) => String(error),
    );
    if (!refused.includes("HTTP 400")) throw new Error(`it was not refused: ${refused}`);
    const client = await connectWith(keys.writeKey, { insist: "yes" });
    includesAll(JSON.stringify((await client.call("list_workflows")).envelope), own.member, true);
  });
  await report.check("a key that n8n does not know is refused at sign-in", async () => {
    const refused = await connectWith(`${keys.readKey.slice(0, -6)}AAAAAA`).catch(String);
    if (!String(refused).includes("HTTP 400")) throw new Error("it was taken");
  });
  const workflow = { workflowName: "member.fails" };
  await report.check(
    "a key that is deleted gives its person a clear error, and others what they had",
    async () => {
      for (const { id } of (await listKeys(member)).filter(({ label }) => label === "read"))
        await deleteKey(member, id);
      const { envelope } = await clients.member.call("get_workflow", workflow);
      same("code", envelope.data.code, "N8N_UNAUTHORIZED");
      includesAll(JSON.stringify(envelope), ["n8n does not accept your API key", "connect again"], true);
      includesAll(await everythingTo(clients.owner), own.member, true);
    },
  );
  await report.check("the same for an expired key", async () => {
    await sleep(21_000);
    const { envelope } = await clients.short.call("get_workflow", workflow);
    same("code", envelope.data.code, "N8N_UNAUTHORIZED");
  });
  await report.check("nothing but GET reached n8n from any of them", () => checkOnlyGet(watch));
}
