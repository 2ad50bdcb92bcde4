/**
 * Checks the Worker's answers about the sent requests against the truth about each, and
 * against a naive reading of n8n's database.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import type { RunningN8n } from "./boot.ts";
import { canaryPattern } from "./canaries.ts";
import { holdsRequestId, linkedExecutions, type NaiveExecution } from "./naive-reader.ts";
import type { Scenario } from "./scenarios.ts";
import type { Watch } from "./watch.ts";

const traceData = z.looseObject({
  found: z.boolean(),
  outcome: z.string(),
  failure: z
    .looseObject({
      executionId: z.string(),
      workflowName: z.string().nullable().default(null),
      nodeName: z.string().nullable(),
    })
    .nullable(),
  executions: z.array(
    z.looseObject({
      id: z.string(),
      role: z.string(),
      parentId: z.string().nullable().default(null),
      status: z.string(),
      workflowName: z.string().nullable().default(null),
    }),
  ),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    complete: z.boolean(),
    skipped: z.array(z.unknown()).default([]),
  }),
  traceId: z.string(),
});

export type TraceData = z.infer<typeof traceData>;

/** One call of `trace_request`. @throws with the error when it is refused */
export async function traceRequest(
  client: AgentClient,
  args: Record<string, unknown>,
): Promise<{ data: TraceData; message: string; text: string }> {
  const { envelope, text, isError } = await client.call("trace_request", args);
  if (isError) throw new Error(`trace_request: ${JSON.stringify(envelope.data)}`);
  return { data: traceData.parse(envelope.data), message: envelope.message ?? "", text };
}

export function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();

/**
 * Compares one `trace_request` call with the scenario's expectation, with n8n's own links, and with every
 * execution in which a naive reader finds the id. `deep` reads everything anew; without it the index is used.
 */
export async function checkScenario(
  client: AgentClient,
  scenario: Scenario,
  all: NaiveExecution[],
  deep: boolean,
): Promise<string> {
  const started = performance.now();
  const { data, text } = await traceRequest(client, { requestId: scenario.requestId, deep });
  const milliseconds = Math.round(performance.now() - started);
  const { expected } = scenario;
  const family = data.executions.filter((node) => node.role !== "related");
  same("found", data.found, true);
  same("outcome", data.outcome, expected.outcome);
  same("executions", sorted(family.map((node) => node.id)), sorted(expected.executionIds));
  same(
    "executions by n8n's links",
    sorted(family.map((node) => node.id)),
    sorted(linkedExecutions(all, expected.entryIds).map((node) => node.id)),
  );
  const named = (role: string): string[] =>
    sorted(family.filter((node) => node.role === role).map((node) => node.workflowName ?? ""));
  same("entry", named("entry"), [expected.entryWorkflowName]);
  same("sub-workflows", named("sub_workflow"), sorted(expected.subWorkflowNames));
  same("error-handler run", named("error_handler").length > 0, expected.errorHandler);
  same("retry", named("retry").length > 0, expected.retry);
  const failing =
    data.failure === null
      ? undefined
      : { workflowName: data.failure.workflowName, nodeName: data.failure.nodeName };
  same("failing node", failing, expected.failingNode);
  same("complete", data.coverage.complete, true);
  same("skipped", data.coverage.skipped, []);
  for (const node of family) {
    if (node.role !== "entry")
      same(
        `parent of ${node.id}`,
        family.some(({ id }) => id === node.parentId),
        true,
      );
  }
  const ids = new Set(data.executions.map(({ id }) => id));
  const holders = all.filter((execution) => holdsRequestId(execution, scenario.requestId));
  if (deep)
    same(
      "executions that hold the id and are not told",
      holders.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
      [],
    );
  if (canaryPattern.test(text)) throw new Error("a canary secret is in the answer");
  return `${data.outcome}, ${family.length} executions, ${milliseconds} ms`;
}

/** Compares a search with every execution in which a naive reader finds the id as a whole value. */
export async function checkSearch(
  client: AgentClient,
  scenarios: Scenario[],
  all: NaiveExecution[],
): Promise<string> {
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("there is no scenario");
  const value = scenario.requestId;
  const { envelope, isError } = await client.call("search_executions", { path: "requestId", value });
  if (isError) throw new Error(`search_executions: ${JSON.stringify(envelope.data)}`);
  const { hits } = z
    .looseObject({ hits: z.array(z.looseObject({ executionId: z.string() })) })
    .parse(envelope.data);
  const holders = all.filter((execution) => holdsRequestId(execution, value)).map(({ id }) => id);
  same("executions with hits", sorted(hits.map(({ executionId }) => executionId)), sorted(holders));
  return envelope.message ?? "";
}

export async function checkBigExecution(client: AgentClient, id: string): Promise<string> {
  const started = performance.now();
  const { text, envelope, isError } = await client.call("get_execution", { id });
  if (isError) throw new Error(`get_execution: ${JSON.stringify(envelope.data)}`);
  const milliseconds = Math.round(performance.now() - started);
  same("status", envelope.data.status, "success");
  // English prose has about four characters per token; JSON has fewer, hence the margin.
  if (text.length > 3_500) throw new Error(`the summary has ${text.length} characters`);
  return `${text.length} characters, ${milliseconds} ms`;
}

export async function checkMainJob(client: AgentClient, scenarios: Scenario[]): Promise<string | undefined> {
  const deep = scenarios.find((scenario) => scenario.name === "failure in a nested sub-workflow");
  if (deep === undefined) throw new Error("the scenario is missing");
  const { data } = await traceRequest(client, { requestId: deep.requestId });
  const id = data.failure?.executionId ?? "";
  const node = await client.call("get_execution_by_node", { id, nodeName: data.failure?.nodeName ?? "" });
  same("status of the node", node.envelope.data.status, "error");
  if (!JSON.stringify(node.envelope.data.input).includes(deep.requestId))
    throw new Error("the input lacks the request id");
  await client.close();
  return client.protocolVersion;
}

/** @param fillers the minimum number of executions */
export async function checkNotFound(client: AgentClient, fillers: number): Promise<string> {
  const { data, message } = await traceRequest(client, { requestId: "req-never-sent" });
  same("found", data.found, false);
  same("outcome", data.outcome, "not_found");
  same("complete", data.coverage.complete, true);
  if (data.coverage.scannedExecutions < fillers) throw new Error("too few were scanned");
  return message;
}

export function checkOnlyGet(watch: Watch): string {
  const writing = watch.requests.filter((request) => request.method !== "GET");
  same("requests that are not GET", writing, []);
  if (watch.requests.length === 0) throw new Error("nothing reached n8n");
  return `${watch.requests.length} requests`;
}

export async function sizeOfBigExecution(n8n: RunningN8n, id: string): Promise<number> {
  const response = await fetch(`${n8n.baseUrl}/api/v1/executions/${id}?includeData=true`, {
    headers: { "X-N8N-API-KEY": n8n.readKey },
  });
  return (await response.arrayBuffer()).byteLength;
}
