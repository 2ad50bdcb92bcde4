/**
 * `npm run tools bench:calls`: the cost of a call, compared with the smallest possible MCP server in a Worker; and of
 * many calls, simultaneous and sequential.
 *
 * Promises: compared figures come from one run; a failed call aborts it; it ends the processes that it started.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage } from "../../test/support/live-heap.ts";
import { startTestWorker } from "../../test/support/test-worker.ts";
import { getFromN8n, type N8nAccess, recordedN8n } from "../bench/n8n-access.ts";
import { asCount, asMilliseconds, asTimes, type Report } from "../bench/report.ts";
import { runBenchmark } from "../bench/run-benchmark.ts";
import { type RecordedServer, startRecordedServer } from "../bench/servers.ts";
import { median, percentile } from "../bench/statistics.ts";
import { tokensOf } from "../bench/users.ts";
import {
  type CallTool,
  type Cost,
  connect,
  costOf,
  type ToolCall,
  timed,
  together,
} from "../bench-calls/clients.ts";
import { FLOOR_TOKEN, startFloor } from "../bench-calls/floor.ts";

const EXECUTIONS = 2_000;
const WORKFLOWS = 500;
const N8N_MS = 2;
const USERS = 50;
const ROUNDS = 5;
/** Rounds over which the calls of each kind are spread. */
const TURNS = 10;
const ALONE = 100;
/** Long enough that each round checks n8n anew. */
const BETWEEN_MS = 1_000;
/** Until users who have called no longer count as active. */
const UNTIL_ALONE_MS = 6_000;
const RESTS = 5;

const HOW = `Worker and floor run in workerd; calls that are compared are made in ${TURNS} turns, so that other load on the machine affects all alike. The clients (the SDK's) and n8n are processes of their own on the same machine. The floor is a Worker of twenty lines: the same SDK, a bearer check, a tool that returns its argument (\`scripts/bench-calls/floor-worker.ts\`). A call without n8n requests is \`validate_atdf\` of a short text. Processor is what all threads of workerd took, for a call, on average. The n8n has ${EXECUTIONS} executions and ${WORKFLOWS} workflows, takes ${N8N_MS} ms or more for each answer, and is known when the calls begin. "Without a Worker", the clients themselves send n8n the three requests of a warm trace at the same moment: a trace cannot take less than the sum of this and a call without n8n requests. Calls alone come one after the other from ${USERS} users in turn; "at once" means that each of ${USERS} users calls at the same moment, ${ROUNDS} times for each kind of call, in turns. Before the traces of one user alone, nobody calls for ${UNTIL_ALONE_MS / 1000} s; those right after the user's first are made with a higher limit of requests to n8n, since the first ones have used up most of the burst. The first call after a rest is not among them, since after a rest the whole machine is slower: rows of their own show that, with the floor's. The process of the clients collects its garbage first, so that its pauses are not counted as the Worker's.

The figures do not cover: a deployed Worker; a network; n8n itself, which takes longer for each answer.`;

const FLOOR = "bare floor";
const RULES = "warm trace under access rules";
const WITHOUT_N8N = "call without n8n requests";
const WARM = "warm trace";
const NOT_FOUND = "`not_found`, warm";
const OF_N8N = "n8n's answers to a warm trace, without a Worker";
/** Sequential calls would use up the requests of a minute. */
const WITHOUT_LIMITS = { N8N_REQUESTS_PER_MINUTE: "60000" };

/** Gives access to every workflow, by a rule that tests the name of each. */
const UNDER_RULES = {
  ...WITHOUT_LIMITS,
  ACCESS_RULES: JSON.stringify([
    { who: { everybody: true }, see: { workflows: { names: ["*"] } }, scopes: ["n8n:read", "n8n:data"] },
  ]),
};

const NOTHING: ToolCall = ["validate_atdf", { atdf: "version: 1" }];
const ECHO: ToolCall = ["echo", { text: "a: 1" }];
/** The lists that a warm trace requests from this n8n: running, new and waiting executions. */
const LISTS_OF_WARM_TRACE = [
  "status=running&limit=6&includeData=true",
  "limit=25",
  "status=waiting&limit=250",
];

/** Sends n8n the requests of a warm trace at the same moment, whatever the call. */
const listsFrom =
  (n8n: N8nAccess): CallTool =>
  async () =>
    void (await Promise.all(
      LISTS_OF_WARM_TRACE.map(async (query) => await (await getFromN8n(n8n, `/executions?${query}`)).text()),
    ));

const inTurn = (clients: readonly CallTool[], calls: readonly ToolCall[], count: number) =>
  Array.from({ length: count }, (_, index) => {
    const [client, call] = [clients[index % clients.length], calls[index % calls.length]];
    if (client === undefined || call === undefined) throw new Error("There is nothing to call.");
    return [client, call] as const;
  });

/** All clients at the same moment, long enough after the last round that n8n is checked anew. */
async function atOnce(clients: readonly CallTool[], call: ToolCall): Promise<number[]> {
  await sleep(BETWEEN_MS);
  return await Promise.all(clients.map(async (client) => await timed(client, call)));
}

type Kinds = Readonly<Record<string, readonly ToolCall[]>>;

function kindsOf({ oldest }: RecordedServer) {
  const found = oldest.filter(({ executionIds }) => executionIds.length > 0);
  const id = found[0]?.executionIds[0] ?? "1";
  const traces: ToolCall[] = found.map(({ requestId }) => ["trace_request", { requestId }]);
  const compared: Kinds = {
    [WITHOUT_N8N]: [NOTHING],
    [WARM]: traces,
    [NOT_FOUND]: [["trace_request", { requestId: "never-sent" }]],
  };
  const others: Kinds = {
    "`get_execution`": [["get_execution", { id }]],
    explanation: found.map(({ executionIds }) => ["explain_failure", { executionId: executionIds[0] ?? id }]),
    search: found.map(({ requestId }) => ["search_executions", { path: "requestId", value: requestId }]),
  };
  return { traces, compared, others };
}

/**
 * A Worker with a filled index and compiled code: its first user has traced each request.
 * @param settings may raise the default limits
 */
async function startWorker(server: RecordedServer, settings: Record<string, string>) {
  await using starting = new AsyncDisposableStack();
  const tokens = tokensOf("bench", USERS);
  const { mcpUrl, processId, stop } = await startTestWorker(server.n8n, tokens, { settings });
  starting.defer(stop);
  const clients = await Promise.all(Object.values(tokens).map(async (token) => await connect(mcpUrl, token)));
  const { traces } = kindsOf(server);
  for (const [first, trace] of inTurn(clients.slice(0, 1), traces, traces.length)) await first(trace);
  const started = starting.move();
  return { clients, processId, [Symbol.asyncDispose]: async () => await started.disposeAsync() };
}

/** Calls of one kind, and the process that answers them. */
interface Measured {
  readonly processId: number;
  readonly clients: readonly CallTool[];
  readonly calls: readonly ToolCall[];
}

/** Measures in turns, so that other load on the machine affects all alike. @param calls of each kind */
async function costsInTurns(all: ReadonlyMap<string, Measured>, calls: number): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  const measure = async ({ processId, clients, calls: of }: Measured, count: number): Promise<Cost> =>
    await costOf(processId, inTurn(clients, of, count));
  // The first calls compile the code and fill caches.
  for (const one of all.values()) await measure(one, Math.ceil(calls / 3));
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [name, one] of all) {
      const cost = await measure(one, Math.ceil(calls / TURNS));
      const before = costs.get(name);
      costs.set(name, before === undefined ? cost : together(before, cost));
    }
  return costs;
}

/** @returns milliseconds of a warm trace @throws Error when a call fails */
async function measureCosts(report: Report, server: RecordedServer, calls: number): Promise<number> {
  await using floor = await startFloor();
  const floorClients = [await connect(floor.mcpUrl, FLOOR_TOKEN)];
  await using worker = await startWorker(server, WITHOUT_LIMITS);
  const { compared, others } = kindsOf(server);
  const ofWorker = (kinds: Kinds): [string, Measured][] =>
    Object.entries(kinds).map(([name, of]) => [name, { ...worker, calls: of }]);
  const ofFloor: Measured = { processId: floor.processId, clients: floorClients, calls: [ECHO] };
  const ofN8n: Measured = { processId: process.pid, clients: [listsFrom(server.n8n)], calls: [NOTHING] };
  const all = new Map([[FLOOR, ofFloor], ...ofWorker(compared), [OF_N8N, ofN8n]]);
  const inTurns = await costsInTurns(all, calls);
  const further = await costsInTurns(new Map(ofWorker(others)), calls);
  return reportCosts(report, new Map([...inTurns, ...further]));
}

/** Uses two Workers that answer nothing else, so that both have compiled the same code. */
async function measureUnderRules(report: Report, server: RecordedServer, calls: number): Promise<void> {
  const { traces } = kindsOf(server);
  await using plain = await startWorker(server, WITHOUT_LIMITS);
  await using ruled = await startWorker(server, UNDER_RULES);
  const measured = Object.entries({ [WARM]: plain, [RULES]: ruled }).map(
    ([name, worker]): [string, Measured] => [name, { ...worker, calls: traces }],
  );
  const costs = await costsInTurns(new Map(measured), calls);
  const [without = 0, underRules = 0] = [WARM, RULES].map((name) =>
    median(costs.get(name)?.milliseconds ?? []),
  );
  report.tell(`${WARM}, by a Worker without rules that only traces`, asMilliseconds(without));
  report.tell(`${RULES}, by a Worker that only traces`, asMilliseconds(underRules));
  report.check("warm trace under access rules / without", underRules / without, { most: 1.1 }, asTimes);
}

/** @returns milliseconds of a warm trace */
function reportCosts(report: Report, costs: ReadonlyMap<string, Cost>): number {
  for (const [name, one] of costs) {
    // No Worker takes part in it.
    const ofWorker = name === OF_N8N ? "" : `, processor ${asMilliseconds(one.processor)}`;
    report.tell(name, `${asMilliseconds(median(one.milliseconds))}${ofWorker}`);
  }
  const cost = (name: string): Cost => {
    const known = costs.get(name);
    if (known === undefined) throw new Error(`${name} was not measured.`);
    return known;
  };
  const milliseconds = (name: string): number => median(cost(name).milliseconds);
  const ratio = (one: string, other: string): number => milliseconds(one) / milliseconds(other);
  const processor = cost(WITHOUT_N8N).processor / cost(FLOOR).processor;
  report.check("processor of a call without n8n requests / floor", processor, { most: 2 }, asTimes);
  report.check(
    "warm trace / call without n8n requests, alone",
    ratio(WARM, WITHOUT_N8N),
    { most: 3 },
    asTimes,
  );
  const own = milliseconds(WARM) - milliseconds(WITHOUT_N8N) - milliseconds(OF_N8N);
  report.tell("warm trace, beyond n8n's answers and a call without n8n requests", asMilliseconds(own));
  report.check("`not_found` / found, warm", ratio(NOT_FOUND, WARM), { most: 1.3 }, asTimes);
  return milliseconds(WARM);
}

async function measureAtOnce(report: Report, server: RecordedServer): Promise<void> {
  await using worker = await startWorker(server, {});
  const { traces } = kindsOf(server);
  const [nothing, traced]: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const own = await atOnce(worker.clients, NOTHING);
    const others = await atOnce(worker.clients, traces[round % traces.length] ?? NOTHING);
    // The first half compiles the code.
    if (round < ROUNDS) continue;
    nothing.push(...own);
    traced.push(...others);
  }
  const [usual, tracing] = [percentile(nothing, 95), percentile(traced, 95)];
  report.tell(`p95 of ${USERS} calls that ask nothing, at once`, asMilliseconds(usual));
  report.tell(`p95 of ${USERS} warm traces at once`, asMilliseconds(tracing));
  const what = `${USERS} warm traces at once / calls that ask nothing, p95`;
  report.check(what, tracing / usual, { most: 1.6 }, asTimes);
}

/** The first call after a rest is slower because the machine is: the floor shows it, too. */
async function measureAfterRest(report: Report, server: RecordedServer): Promise<void> {
  await using floor = await startFloor();
  const floorClient = await connect(floor.mcpUrl, FLOOR_TOKEN);
  await using worker = await startWorker(server, WITHOUT_LIMITS);
  const [client = floorClient] = worker.clients;
  const [trace = NOTHING] = kindsOf(server).traces;
  const [ofFloor, traced]: [number[], number[]] = [[], []];
  const afterRest = async (call: CallTool, what: ToolCall): Promise<number> => {
    collectGarbage();
    await sleep(UNTIL_ALONE_MS);
    return await timed(call, what);
  };
  for (let rest = 0; rest < RESTS; rest += 1) {
    ofFloor.push(await afterRest(floorClient, ECHO));
    traced.push(await afterRest(client, trace));
  }
  const rested = `after ${UNTIL_ALONE_MS / 1000} s of rest`;
  report.tell(`${FLOOR}, ${rested}`, asMilliseconds(median(ofFloor)));
  report.tell(`${WARM}, ${rested}`, asMilliseconds(median(traced)));
}

/**
 * Sequential traces of one user, and the same right after this user's first trace, which reads all executions. The
 * latter has no limits: the requests of the first traces leave too little of the burst for a hundred more.
 */
async function measureAlone(report: Report, server: RecordedServer, unhindered: number): Promise<void> {
  const what = `${ALONE} traces of one user alone, one after the other`;
  {
    await using worker = await startWorker(server, {});
    await sleep(UNTIL_ALONE_MS);
    await measureOne(report, what, server, worker.clients.slice(-1), unhindered);
  }
  await using worker = await startWorker(server, WITHOUT_LIMITS);
  const afterFirst = `${what}, right after their first`;
  await measureOne(report, afterFirst, server, worker.clients.slice(0, 1), unhindered);
}

/** @param unhindered milliseconds of a warm trace without limits */
async function measureOne(
  report: Report,
  what: string,
  server: RecordedServer,
  clients: readonly CallTool[],
  unhindered: number,
): Promise<void> {
  const own: number[] = [];
  // A collection of this process, which holds all clients, takes 40 ms: it would be the slowest call.
  collectGarbage();
  // The first call after a rest has a row of its own.
  for (const [call, trace] of inTurn(clients, kindsOf(server).traces, 1)) await call(trace);
  for (const [call, trace] of inTurn(clients, kindsOf(server).traces, ALONE))
    own.push(await timed(call, trace));
  const [usual, slowest] = [median(own), Math.max(...own)];
  report.tell(`${what}: median`, asMilliseconds(usual));
  report.tell(`${what}: slowest`, asMilliseconds(slowest));
  report.check(`${what}: slowest / median`, slowest / usual, { most: 2.5 }, asTimes);
  report.check(`${what}: median / warm trace without limits`, usual / unhindered, { most: 1.5 }, asTimes);
}

async function bench(report: Report, calls: number): Promise<void> {
  report.tell("calls of each kind", asCount(calls));
  await using server = await startRecordedServer(EXECUTIONS, { workflows: WORKFLOWS, milliseconds: N8N_MS });
  const unhindered = await measureCosts(report, server, calls);
  await measureUnderRules(report, server, calls);
  await measureAtOnce(report, server);
  await measureAlone(report, server, unhindered);
  await measureAfterRest(report, server);
}

await runBenchmark({
  part: "calls",
  usage: `What a call takes, beside the least that an MCP server in a Worker takes; many at once, and one after the other.

  --calls <n>  of each kind, instead of 300`,
  how: HOW,
  n8n: recordedN8n,
  size: ["calls", 300],
  measure: bench,
});
