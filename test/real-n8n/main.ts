/**
 * The real lane (`npm run test:n8n`): a real n8n, a real Worker, real MCP clients over HTTP.
 *
 * Installs and boots n8n, seeds it, sends requests of every kind, asks the Worker what became of each, and
 * compares with what n8n itself says. Everything that reaches n8n from the Worker passes a watch, which must
 * have seen nothing but GET. Ends what it started; prints one line a check and `N passed, N failed`.
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type AgentClient, connectFirst, connectModern } from "../support/agent-client.ts";
import { signIn } from "../support/oauth-client.ts";
import { PASSPHRASE, SERVICE_TOKEN, startTestWorker } from "../support/test-worker.ts";
import { bootN8n, type RunningN8n } from "./boot.ts";
import { checkBook, checkMatrix, checkVariants, matrixOf } from "./by-the-book/audit-checks.ts";
import { seedByTheBook } from "./by-the-book/seed.ts";
import { canaryPattern } from "./canaries.ts";
import { checkBookContract, checkBrokenContract, seedBrokenServer } from "./contract-checks.ts";
import { fill } from "./fill.ts";
import { installN8n } from "./install.ts";
import { checkAgainstN8nCode, checkMap } from "./mcp-map-checks.ts";
import { holdsRequestId, linkedExecutions, type NaiveExecution, readAllExecutions } from "./naive-reader.ts";
import { checkCredential, checkHistory, checkRoundTrip, createOddWorkflow } from "./round-trip.ts";
import { type Scenario, sendScenarios } from "./scenarios.ts";
import { seedWorkflows } from "./seed.ts";
import { startUpstream } from "./upstream.ts";
import { startWatch, type Watch } from "./watch.ts";

const FILLERS = 300;
/** Of the big payload: the API's answer is then above 20 MB. */
const BIG_EXECUTION_BYTES = 20_000_000;

const traceData = z.looseObject({
  found: z.boolean(),
  outcome: z.string(),
  failure: z
    .looseObject({
      executionId: z.string(),
      workflowName: z.string().nullable(),
      nodeName: z.string().nullable(),
    })
    .nullable(),
  executions: z.array(
    z.looseObject({
      id: z.string(),
      role: z.string(),
      parentId: z.string().nullable(),
      status: z.string(),
      workflowName: z.string().nullable(),
    }),
  ),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    complete: z.boolean(),
    skipped: z.array(z.unknown()),
  }),
  traceId: z.string(),
});

class Report {
  passed = 0;
  failed = 0;

  async check(name: string, body: () => Promise<string | undefined> | string | undefined): Promise<void> {
    try {
      const note = await body();
      this.passed += 1;
      console.log(`  ok    ${name}${note === undefined ? "" : `  (${note})`}`);
    } catch (error) {
      this.failed += 1;
      console.log(
        `  FAIL  ${name}\n        ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();

/**
 * One `trace_request` call, against the scenario's expectation, against n8n's own links, and against every
 * execution in which a naive reader finds the id. `deep` reads all anew; without it what is known is believed.
 */
async function checkScenario(
  client: AgentClient,
  scenario: Scenario,
  all: NaiveExecution[],
  deep: boolean,
): Promise<string> {
  const started = performance.now();
  const answer = await client.call("trace_request", { requestId: scenario.requestId, deep });
  const milliseconds = Math.round(performance.now() - started);
  const { expected } = scenario;
  const data = traceData.parse(answer.envelope.data);
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
  const told = new Set(data.executions.map(({ id }) => id));
  const holders = all.filter((execution) => holdsRequestId(execution, scenario.requestId));
  if (deep)
    same(
      "executions that hold the id and are not told",
      holders.filter(({ id }) => !told.has(id)).map(({ id }) => id),
      [],
    );
  if (canaryPattern.test(answer.text)) throw new Error("a canary secret is in the answer");
  return `${data.outcome}, ${family.length} executions, ${milliseconds} ms`;
}

/** Against every execution in which a naive reader finds the id as a whole value. */
async function checkSearch(
  client: AgentClient,
  scenarios: Scenario[],
  all: NaiveExecution[],
): Promise<string> {
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("there is no scenario");
  const value = scenario.requestId;
  const { envelope } = await client.call("search_executions", { path: "requestId", value });
  const { hits } = z
    .looseObject({ hits: z.array(z.looseObject({ executionId: z.string() })) })
    .parse(envelope.data);
  const holders = all.filter((execution) => holdsRequestId(execution, value)).map(({ id }) => id);
  same("executions with hits", sorted(hits.map(({ executionId }) => executionId)), sorted(holders));
  return envelope.message ?? "";
}

async function checkBigExecution(client: AgentClient, id: string): Promise<string> {
  const started = performance.now();
  const { text, envelope } = await client.call("get_execution", { id });
  const milliseconds = Math.round(performance.now() - started);
  same("status", envelope.data.status, "success");
  // Four characters a token is what English prose needs; JSON needs fewer, hence the margin.
  if (text.length > 3_500) throw new Error(`the summary has ${text.length} characters`);
  return `${text.length} characters, ${milliseconds} ms`;
}

async function checkMainJob(client: AgentClient, scenarios: Scenario[]): Promise<string | undefined> {
  const deep = scenarios.find((scenario) => scenario.name === "failure in a nested sub-workflow");
  if (deep === undefined) throw new Error("the scenario is not there");
  const data = traceData.parse(
    (await client.call("trace_request", { requestId: deep.requestId })).envelope.data,
  );
  const id = data.failure?.executionId ?? "";
  const node = await client.call("get_execution_by_node", { id, nodeName: data.failure?.nodeName ?? "" });
  same("status of the node", node.envelope.data.status, "error");
  if (!JSON.stringify(node.envelope.data.input).includes(deep.requestId))
    throw new Error("the input lacks the request id");
  await client.close();
  return client.protocolVersion;
}

async function checkNotFound(client: AgentClient): Promise<string> {
  const { envelope } = await client.call("trace_request", { requestId: "req-never-sent" });
  const data = traceData.parse(envelope.data);
  same("found", data.found, false);
  same("outcome", data.outcome, "not_found");
  same("complete", data.coverage.complete, true);
  if (data.coverage.scannedExecutions < FILLERS) throw new Error("too few were scanned");
  return envelope.message ?? "";
}

function checkOnlyGet(watch: Watch): string {
  const others = watch.requests.filter((request) => request.method !== "GET");
  same("requests that are not GET", others, []);
  if (watch.requests.length === 0) throw new Error("nothing reached n8n");
  return `${watch.requests.length} requests`;
}

async function sizeOfBigExecution(n8n: RunningN8n, id: string): Promise<number> {
  const response = await fetch(`${n8n.baseUrl}/api/v1/executions/${id}?includeData=true`, {
    headers: { "X-N8N-API-KEY": n8n.readKey },
  });
  return (await response.arrayBuffer()).byteLength;
}

async function run(report: Report): Promise<void> {
  const log = (line: string): void => console.log(line);
  await using resources = new AsyncDisposableStack();
  const installation = await installN8n(log);
  const n8n = resources.adopt(await bootN8n(installation, log), async (running) => await running.stop());
  // Closed last: requests that are held there are what keeps executions running.
  const upstream = resources.adopt(await startUpstream(), async (server) => await server.close());
  log("seeding");
  const seeded = await seedWorkflows(n8n, upstream.url);
  log("sending requests");
  const scenarios = await sendScenarios(n8n, seeded, upstream);
  await fill(n8n, FILLERS);
  const all = await readAllExecutions(n8n.baseUrl, n8n.readKey);
  const watch = resources.adopt(await startWatch(n8n.baseUrl), async (server) => await server.close());
  const worker = resources.adopt(
    await startTestWorker({ baseUrl: watch.baseUrl, apiKey: n8n.readKey }),
    async (process) => await process.stop(),
  );
  log(`asking the Worker about ${scenarios.length} requests among ${all.length} executions`);

  const client = resources.adopt(
    await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"),
    async (open) => await open.close(),
  );
  for (const scenario of scenarios) {
    const check = async (deep: boolean) => await checkScenario(client, scenario, all, deep);
    await report.check(`${scenario.name}, all read anew`, async () => await check(true));
    await report.check(`${scenario.name}, over known history`, async () => await check(false));
  }
  await report.check("a search finds the executions of a request id, and nothing else", async () =>
    checkSearch(client, scenarios, all),
  );
  await report.check("an id that was never sent", async () => await checkNotFound(client));

  const big = scenarios.find((scenario) => scenario.name === "a big payload")?.expected.entryIds[0] ?? "";
  await report.check("the big execution is big", async () => {
    const bytes = await sizeOfBigExecution(n8n, big);
    if (bytes < BIG_EXECUTION_BYTES) throw new Error(`it has only ${bytes} bytes`);
    return `${bytes} bytes`;
  });
  await report.check("summary of the big execution", async () => await checkBigExecution(client, big));
  await report.check("check_connection", async () => {
    const { envelope } = await client.call("check_connection");
    same("ready", envelope.data.ready, true);
    return envelope.message;
  });
  for (const [name, ids] of Object.entries(seeded.workflowIds)) {
    await report.check(`the export of ${name}, imported and exported again, is the same bytes`, async () => {
      for (const id of ids) await checkRoundTrip(client, n8n, id);
    });
  }
  const odd = await createOddWorkflow(n8n);
  await report.check("so is that of a workflow with whatever an export might lose", async () => {
    await checkCredential(n8n, await checkRoundTrip(client, n8n, odd.id), odd);
  });
  await report.check("what was changed in a workflow", async () => checkHistory(client, n8n, odd));
  await report.check("the main job with a v2 client, 2026-07-28", async () =>
    checkMainJob(await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"), scenarios),
  );
  await report.check("the main job with a v2 client in 2025 mode", async () =>
    checkMainJob(await connectModern(worker.mcpUrl, SERVICE_TOKEN, "legacy"), scenarios),
  );
  await report.check("the main job with a v1 client, through the whole OAuth flow", async () =>
    checkMainJob(await connectFirst(worker.mcpUrl, await signIn(worker.mcpUrl, PASSPHRASE, true)), scenarios),
  );
  await report.check("no canary secret in any execution's details", async () => {
    for (const { id } of all.slice(-60)) {
      const { text } = await client.call("get_execution_details", { executionId: id });
      if (canaryPattern.test(text)) throw new Error(`execution ${id} shows a canary`);
    }
  });
  // Last: it adds workflows and executions, which the checks above do not know.
  const book = await seedByTheBook(n8n, upstream.url);
  await report.check("the map of an MCP server is what its tools/list says", async () =>
    checkMap(client, n8n, book),
  );
  await report.check("an MCP server by the book audits with no finding", async () => checkBook(client, book));
  const outcomes = await checkVariants(client, n8n, book);
  console.log(matrixOf(outcomes));
  await report.check("each variant of it yields just the finding of its rule", () => checkMatrix(outcomes));
  await report.check("names and arguments of tools are what n8n's own code makes of them", () =>
    checkAgainstN8nCode(installation),
  );
  await report.check("the tools by the book keep their contract, and every error is told", async () =>
    checkBookContract(client, n8n, book, upstream),
  );
  const broken = await seedBrokenServer(n8n);
  await report.check("a tool that breaks its contract is told with what it lacks", async () =>
    checkBrokenContract(client, n8n, broken),
  );
  await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
}

const report = new Report();
await run(report);
console.log(`${report.passed} passed, ${report.failed} failed`);
process.exitCode = report.failed === 0 ? 0 : 1;
