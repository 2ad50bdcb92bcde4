/**
 * `check_tool_contract` on a real n8n: a real client calls tools over MCP, correctly and wrongly, and the check
 * must report exactly the results of the calls, without any value of the answers.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import type { RunningN8n } from "./boot.ts";
import { giveTools, start, type ToolText, toolCall, wire } from "./by-the-book/parts.ts";
import { callTool, createBookWorkflow, listTools, type SeededBook } from "./by-the-book/seed.ts";
import { bookPaths } from "./by-the-book/workflows.ts";
import { listExecutionsAfter, newestExecutionId } from "./n8n-database.ts";
import type { Upstream } from "./upstream.ts";
import { code, node } from "./workflow-parts.ts";

type Args = Record<string, unknown>;

const counted = z.looseObject({ count: z.number(), executionIds: z.array(z.string()) });
const counts = z.array(counted).default([]);
const report = z.looseObject({
  tools: z.array(
    z.looseObject({
      workflowId: z.string(),
      runs: z.number(),
      kept: z.number(),
      invalid: z.number(),
      failed: z.number(),
      errors: z.number(),
      errorCodes: counts,
      failures: counts,
      wrongArguments: counts,
      invalidAnswers: counts,
    }),
  ),
  calls: z
    .looseObject({ failed: counts, notRun: counts, wrongArguments: counts, unknownTool: counted })
    .optional(),
});
type Contract = z.infer<typeof report>;

function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

/** Equal reports with their numbers, without execution ids. */
const withoutIds = (all: readonly z.infer<typeof counted>[]): unknown[] =>
  all
    .map(({ executionIds: _ids, ...rest }) => rest)
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

function callsOf({ calls }: Contract): NonNullable<Contract["calls"]> {
  if (calls === undefined) throw new Error("the calls of the server are not reported");
  return calls;
}

/** Sends the calls, and waits until n8n lists the expected number of executions. @returns when the first was sent */
async function send(n8n: RunningN8n, executions: number, calls: () => Promise<void>): Promise<string> {
  const before = newestExecutionId(n8n);
  const startedAfter = new Date().toISOString();
  await calls();
  const deadline = Date.now() + 20_000;
  for (;;) {
    const ended = listExecutionsAfter(n8n, before).filter(
      ({ status }) => status !== "new" && status !== "running",
    );
    if (ended.length >= executions) return startedAfter;
    if (Date.now() > deadline) throw new Error(`n8n has ${ended.length} of ${executions} executions`);
    await sleep(100);
  }
}

const MINUTE_MS = 60_000;
const rateLimit = z.looseObject({
  code: z.literal("RATE_LIMITED"),
  details: z.looseObject({ retryAfter: z.number() }),
});

async function check(
  client: AgentClient,
  workflowId: string,
  startedAfter: string,
): Promise<{ contract: Contract; message: string }> {
  const ask = async () => await client.call("check_tool_contract", { workflowId, startedAfter });
  let answer = await ask();
  const refusal = rateLimit.safeParse(answer.envelope.data);
  if (refusal.success) {
    // Earlier audits may have used up this minute's requests. A refused call is repeated once, when allowed.
    await sleep(Math.max(refusal.data.details.retryAfter * 1_000, MINUTE_MS));
    answer = await ask();
  }
  const { envelope, text, isError } = answer;
  if (isError) throw new Error(`check_tool_contract: ${JSON.stringify(envelope.data)}`);
  if (/planted|event-1|canary/i.test(text)) throw new Error(`a value of the payload is shown: ${text}`);
  return { contract: report.parse(envelope.data), message: envelope.message ?? "" };
}

/** Calls the tools by the book correctly, with arguments that n8n or the tool refuses, and while their service fails. */
export async function checkBookContract(
  client: AgentClient,
  n8n: RunningN8n,
  { ids, bearerToken }: SeededBook,
  upstream: Upstream,
): Promise<string> {
  const ask = async (tool: string, args: Args): Promise<unknown> =>
    await callTool(n8n, bookPaths.server, bearerToken, tool, { request_id: "planted-request", ...args });
  const startedAfter = await send(n8n, 15, async () => {
    await ask("tool_get_user", { user_id: "planted-1" });
    await ask("tool_get_user", { user_id: "planted-2", with_details: true });
    await ask("tool_get_user", { user_id: "" });
    await ask("tool_get_user", {});
    await ask("tool_get_user", { user_id: 5 });
    await ask("tool_create_event", { title: "planted", start_date: "2026-11-21", attendees: {} });
    await ask("mcp_contacts_tool_search_contact", {});
    await ask("tool_planted", {}).catch((error: unknown) =>
      same("the error", /Tool not found/.test(String(error)), true),
    );
    // The service does not know the tools' request ids.
    upstream.fail("");
    await ask("tool_get_user", { user_id: "planted-3" });
    await ask("tool_create_event", { title: "planted", start_date: "2026-11-21", attendees: { a: 1 } });
    upstream.heal("");
  });
  const { contract, message } = await check(client, ids.server, startedAfter);
  const of = (id: string) => contract.tools.find(({ workflowId }) => workflowId === id);
  const sums = (id: string): unknown => {
    const { runs, kept, invalid, failed, errors } = of(id) ?? {};
    return { runs, kept, invalid, failed, errors };
  };
  same("get_user", sums(ids.getUser), { runs: 4, kept: 4, invalid: 0, failed: 0, errors: 2 });
  same("create_event", sums(ids.createEvent), { runs: 1, kept: 1, invalid: 0, failed: 0, errors: 1 });
  same("route_action", sums(ids.routeAction), { runs: 0, kept: 0, invalid: 0, failed: 0, errors: 0 });
  same("codes", withoutIds(contract.tools.flatMap(({ errorCodes }) => errorCodes)), [
    { code: "CALENDAR_SERVICE_FAILED", count: 1 },
    { code: "USER_SERVICE_FAILED", count: 1 },
    { code: "VALIDATION_ERROR", count: 1 },
  ]);
  same("arguments that the tool refused", withoutIds(of(ids.getUser)?.wrongArguments ?? []), [
    { field: "user_id", problem: "empty", count: 1 },
  ]);
  const calls = callsOf(contract);
  same("calls", [calls.calls, calls.answered, calls.refused, calls.unknownTool.count], [10, 5, 3, 1]);
  same("arguments that n8n refused", withoutIds(calls.wrongArguments), [
    { node: "tool.create_event", field: "attendees", problem: "empty", count: 1 },
    { node: "tool.get_user", field: "user_id", problem: "missing", count: 1 },
    { node: "tool.get_user", field: "user_id", problem: "wrong_kind", count: 1 },
  ]);
  same("calls of the sub-server", withoutIds(calls.notRun), [{ node: "mcp.contacts", count: 1 }]);
  return message;
}

export interface BrokenServer {
  readonly serverId: string;
  readonly toolId: string;
}

const brokenPath = "broken-tools";
const saved = { executionOrder: "v1", saveDataErrorExecution: "all", saveDataSuccessExecution: "all" };
const broken: ToolText = {
  description: "Breaks its contract in the way that is asked for.",
  whenToUse: "In tests.",
  arguments: [{ name: "way", type: "string", description: "How" }],
};
const brokenCode = `const good = { status: "success", data: { id: "planted" }, meta: { timestamp: new Date().toISOString() } };
const { meta, ...withoutMeta } = good;
const answers = {
  good: [good], nothing: [], twice: [good, good], bare: [withoutMeta],
  text: [{ output: JSON.stringify(good) }], elsewhere: [{ status: "planted", data: 1, meta: { timestamp: 1 } }],
};
if ($json.way === "throws") throw new Error("planted");
return answers[$json.way].map((json) => ({ json }));`;

/** A server with one tool, which keeps or breaks its contract at its caller's request. */
export async function seedBrokenServer(n8n: RunningN8n): Promise<BrokenServer> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const create = async (
    name: string,
    nodes: ReturnType<typeof node>[],
    connections: ReturnType<typeof wire>,
  ) => await createBookWorkflow(access, { name, nodes, connections, settings: saved, tags: [] }, new Map());
  const nodes = [start(broken.arguments), code("Answer", brokenCode)];
  const toolId = await create("SWF_Broken", nodes, wire(["Start", "Answer"]));
  const trigger = {
    ...node("Broken Server", "@n8n/n8n-nodes-langchain.mcpTrigger", 2, {
      path: brokenPath,
      authentication: "none",
    }),
    webhookId: randomUUID(),
  };
  const tool = toolCall("tool.be_broken", toolId, broken);
  const serverId = await create("MCP_Broken", [trigger, tool], giveTools(trigger.name, tool.name));
  // A server answers only a moment after its activation.
  for (let tries = 0; ; tries += 1) {
    try {
      await listTools(n8n, brokenPath, "");
      return { serverId, toolId };
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(100);
    }
  }
}

/** Breaks the contract in every way once. Only one of these executions failed according to n8n. */
export async function checkBrokenContract(
  client: AgentClient,
  n8n: RunningN8n,
  { serverId, toolId }: BrokenServer,
): Promise<string> {
  const ways = ["good", "nothing", "twice", "bare", "text", "elsewhere", "throws"];
  const startedAfter = await send(n8n, ways.length * 2, async () => {
    for (const way of ways) await callTool(n8n, brokenPath, "", "tool_be_broken", { way });
  });
  const { contract, message } = await check(client, serverId, startedAfter);
  const [tool] = contract.tools;
  same("tool", [tool?.workflowId, tool?.runs, tool?.kept, tool?.invalid, tool?.failed], [toolId, 7, 1, 5, 1]);
  const faults = z.looseObject({
    path: z.array(z.string()),
    faults: z.array(z.looseObject({ member: z.string(), problem: z.string(), found: z.string() })),
  });
  const found = (tool?.invalidAnswers ?? []).map((each) => {
    const { path, faults: all } = faults.parse(each);
    return `${path.join(" > ")}: ${all.map(({ member, problem, found: kind }) => `${member} ${problem} ${kind}`).join(", ")}`;
  });
  same("invalid answers", found.sort(), [
    "Start > Answer: answer missing nothing",
    "Start > Answer: answer several_items array",
    "Start > Answer: answer wrapped object",
    "Start > Answer: meta missing nothing",
    "Start > Answer: status wrong_value string, meta.timestamp wrong_kind number",
  ]);
  same("failures", withoutIds(tool?.failures ?? []), [{ status: "error", node: "Answer", count: 1 }]);
  // A missing answer and a failure are errors for the client, but successes for n8n.
  const calls = callsOf(contract);
  same("calls without an answer", withoutIds(calls.failed), [{ node: "tool.be_broken", count: 2 }]);
  same("calls", [calls.calls, calls.answered], [7, 5]);
  const alone = (await check(client, toolId, startedAfter)).contract;
  same("calls of a sub-workflow", alone.calls, undefined);
  same("the sub-workflow by itself", alone.tools[0]?.invalidAnswers, tool?.invalidAnswers);
  return message;
}
