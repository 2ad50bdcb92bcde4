/**
 * The own text of an error is payload: an upstream's refusal that names a person, and code that throws
 * the data of a person. Without `n8n:data` no tool shows it, nor does progress or the Worker's output;
 * with it, it is shown redacted.
 */
import * as z from "zod";
import type { AgentClient } from "../../support/agent-client.ts";
import { same } from "../trace-checks.ts";
import { socialSecurityNumber } from "./account-numbers.ts";
import { ask, createSecrets, demand, post, type SafetyLane } from "./lane.ts";
import { failingNodes, safetyPaths } from "./seed.ts";

/** Matches any part of the two texts. */
const TEXTS = /jane|roe@|declined|lookup failed|example\.com/i;

const failure = z.looseObject({
  nodeName: z.string().nullable(),
  message: z.string(),
  name: z.string().optional(),
  httpCode: z.string().optional(),
  hasOwnText: z.boolean().optional(),
  ownText: z.looseObject({ message: z.string(), description: z.string().optional() }).optional(),
});
const summary = z.looseObject({
  error: failure,
  _guidance: z.looseObject({ message: z.string() }),
});
const traced = z.looseObject({ failure });

interface Failed {
  readonly id: string;
  /** The execution of the error workflow, whose payload is the error. */
  readonly handlerId: string;
  readonly requestId: string;
  readonly workflowId: string;
}

export async function checkErrorTexts(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(108);
  const token = random.text("abcdef0123456789", 40);
  const ssn = socialSecurityNumber(random);
  const charged = await failCharge(lane, token);
  const lookedUp = await failLookup(lane, ssn);
  const all = [charged, lookedUp];
  const asked = await demandNoText(
    lane,
    all,
    new RegExp(`${TEXTS.source}|${ssn}|${token}`, "i"),
    startedAfter,
  );
  await demandFacts(lane.read, charged, {
    nodeName: failingNodes.charge,
    name: "NodeApiError",
    httpCode: "402",
  });
  await demandFacts(lane.read, lookedUp, { nodeName: failingNodes.lookup });
  await demandRedacted(lane.data, charged, /Card of jane\.roe@example\.com was declined/, token);
  await demandRedacted(lane.data, lookedUp, /lookup failed for Jane Roe \(SSN \[REDACTED:ssn/, ssn);
  demand(!TEXTS.test(lane.worker.output()), "the Worker prints none of it");
  return `${asked} answers without n8n:data`;
}

async function failCharge(lane: SafetyLane, token: string): Promise<Failed> {
  const requestId = "req-safety-charge";
  lane.upstream.refuse(requestId, 402, {
    error: { message: `Card of jane.roe@example.com was declined (Authorization: Bearer ${token})` },
    message: `Card of jane.roe@example.com was declined (Authorization: Bearer ${token})`,
  });
  return await fail(lane, "charge", { requestId });
}

async function failLookup(lane: SafetyLane, ssn: string): Promise<Failed> {
  return await fail(lane, "lookup", { requestId: "req-safety-lookup", name: "Jane Roe", ssn });
}

async function fail(
  lane: SafetyLane,
  name: "charge" | "lookup",
  body: { requestId: string; [member: string]: string },
): Promise<Failed> {
  const options = { executions: 2, outcome: "error" } as const;
  const [id, handlerId = ""] = await post(lane, safetyPaths[name], body, options);
  return { id, handlerId, requestId: body.requestId, workflowId: lane.workflows[name] };
}

/** Calls every tool that needs no `n8n:data` about everything related. @returns the number of calls */
async function demandNoText(
  { read }: SafetyLane,
  all: readonly Failed[],
  texts: RegExp,
  startedAfter: string,
): Promise<number> {
  const calls: [tool: string, args: Record<string, unknown>][] = [
    ["list_workflows", {}],
    ["get_workflow_executions", { startedAfter, limit: 50 }],
    ["check_connection", {}],
    ...all.flatMap(({ id, handlerId, requestId, workflowId }): typeof calls => [
      ["get_execution", { id }],
      ["get_execution", { id: handlerId }],
      ["trace_request", { startedAfter, requestId }],
      ["trace_request", { startedAfter, requestId, deep: true }],
      ["get_workflow_executions", { workflowId, status: "error" }],
      ["audit_workflow", { workflowId }],
      ["check_tool_contract", { workflowId, startedAfter }],
      ["map_mcp_server", { workflowId }],
    ]),
  ];
  for (const [tool, args] of calls) {
    // Being told that a workflow is no MCP server is an answer too.
    const { text, progress } = await read.call(tool, args);
    const shown = text + JSON.stringify(progress);
    demand(!texts.test(shown), `${tool} says nothing in the error's own words`, shown);
  }
  for (const tool of ["get_execution_details", "search_executions", "get_execution_by_node"])
    await demandRefused(read, tool, all[0]?.id ?? "");
  return calls.length;
}

/** The server requests more scopes, which this person does not grant. */
async function demandRefused(read: AgentClient, tool: string, id: string): Promise<void> {
  const args = { executionId: id, id, nodeName: "Webhook", text: "Jane" };
  const outcome = await read.call(tool, args).catch((error: unknown) => String(error));
  const isRefused = typeof outcome === "string" ? /Unauthorized|scope|403/i.test(outcome) : outcome.isError;
  const text = typeof outcome === "string" ? outcome : outcome.text;
  demand(isRefused && !TEXTS.test(text), `${tool} is refused without n8n:data`, text);
}

/** Shows the failed node, the kind of error, a sentence of ours, and that the error has its own text. */
async function demandFacts(
  read: AgentClient,
  { id, requestId }: Failed,
  expected: Record<string, string>,
): Promise<void> {
  const ofSummary = summary.parse((await ask(read, "get_execution", { id })).envelope.data);
  const ofTrace = traced.parse((await ask(read, "trace_request", { requestId })).envelope.data);
  for (const { ownText, ...facts } of [ofSummary.error, ofTrace.failure]) {
    same("its own text", ownText, undefined);
    same("that there is one", facts.hasOwnText, true);
    for (const [member, value] of Object.entries(expected)) same(member, facts[member], value);
    demand(facts.message.length > 20, "there is a sentence of ours", facts);
  }
  demand(/needs n8n:data/.test(ofSummary._guidance.message), "the answer says what it takes", ofSummary);
}

async function demandRedacted(
  data: AgentClient,
  { id, requestId }: Failed,
  expected: RegExp,
  secret: string,
): Promise<void> {
  const ofSummary = await ask(data, "get_execution", { id });
  const ofTrace = await ask(data, "trace_request", { requestId });
  for (const { text } of [ofSummary, ofTrace]) demand(!text.includes(secret), "its secret is hidden", text);
  for (const { ownText } of [
    summary.parse(ofSummary.envelope.data).error,
    traced.parse(ofTrace.envelope.data).failure,
  ])
    demand(expected.test(JSON.stringify(ownText)), `its own text is shown, as ${expected}`, ownText);
}
