/**
 * The real lane (`npm run test:n8n [-- --version <n8n version> --write]`): a real n8n, a real Worker, and real MCP clients
 * over HTTP. `--url` uses a running n8n (`given-n8n/`). `--install` only installs n8n. `--write` writes the table into
 * docs/versions.md. Checks that are not possible on an older version are printed with the reason (`abilities.ts`).
 * `-- --only` runs one section:
 * - `requests`: traces of requests of every kind;
 * - `missing`: requests with missing data (too large, not saved, deleted, beyond one call);
 * - `safety`: posted and guessed secrets, and what must stay visible; n8n 2.40.5 only;
 * - `kinds`: every kind of failure, and counts; it kills n8n and needs `openssl`;
 * - `incidents`: failures at one moment or for one cause, and counts; it takes minutes, and runs only on request;
 * - `agents`: every kind of agent run;
 * - `keys`: users with n8n keys of their own; n8n 2 only, and only on request, on an n8n of its own;
 * - `rules`: access rules by n8n's tags; only on request, on an n8n of its own;
 * - `clients`: n8n's own MCP nodes as clients of this server, over http and https; it needs `openssl`.
 *
 * It installs and boots n8n, seeds it, sends requests of every kind, traces each with the Worker, and
 * compares the answers with n8n's database. All requests from the Worker to n8n pass a watch, which
 * must have seen nothing but GET. It prints one line per check, a table of the kinds of request,
 * and `N passed, N failed`.
 */
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../scripts/command-line/command.ts";
import { type AgentClient, connectFirst, connectModern } from "../support/agent-client.ts";
import { closeAtEnd } from "../support/close-at-end.ts";
import { signIn } from "../support/oauth-client.ts";
import { PASSPHRASE, SERVICE_TOKEN } from "../support/test-worker.ts";
import { omissionsOf } from "./abilities.ts";
import { checkAccessRules } from "./access-rules.ts";
import { AGENTS, checkAgents } from "./agent-checks.ts";
import { bootN8n, type RunningN8n } from "./boot.ts";
import { checkBook, checkMatrix, checkVariants, matrixOf } from "./by-the-book/audit-checks.ts";
import { seedByTheBook } from "./by-the-book/seed.ts";
import { canaryPattern } from "./canaries.ts";
import { CLIENT_NODES, checkClientNodes } from "./client-nodes/checks.ts";
import { checkBookContract, checkBrokenContract, seedBrokenServer } from "./contract-checks.ts";
import { fill } from "./fill.ts";
import { checkFindBy } from "./find-by.ts";
import { readOwner } from "./given-n8n/arguments.ts";
import { runOnGivenN8n } from "./given-n8n/lane.ts";
import { installN8n } from "./install.ts";
import { checkKinds, KINDS } from "./kinds/checks.ts";
import { checkAgainstN8nCode, checkMap } from "./mcp-map-checks.ts";
import { checkNeverFalse } from "./never-false.ts";
import { checkOwnKeys, OWN_KEYS } from "./own-keys.ts";
import { checkQueue } from "./queue/checks.ts";
import { LaneReport } from "./report.ts";
import { checkRequests } from "./request-checks.ts";
import { checkCredential, checkHistory, checkRoundTrip, createOddWorkflow } from "./round-trip.ts";
import { checkSafety, safetyTokens } from "./safety/checks.ts";
import { sendScenarios } from "./scenarios.ts";
import { seedWorkflows } from "./seed.ts";
import { checkSetup } from "./setup-check.ts";
import { checkBigExecution, checkMainJob, checkOnlyGet, same, sizeOfBigExecution } from "./trace-checks.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { LANE_USAGE, type LaneArguments, type N8nVersion, readLaneArguments } from "./versions.ts";
import { KINDS_TABLE, QUEUE_TABLE, writeColumn } from "./versions-table.ts";
import { startWatchedWorker } from "./watched-worker.ts";

const versionsDocument = join(dirname(fileURLToPath(import.meta.url)), "../../docs/versions.md");
/** Together with the scenarios' executions, more than n8n lists on one page. */
const FILLERS = 100;
const FILLERS_OF_SHORT_LANE = 20;
/** The items of the big payload, whose answer is then above 20 MB. */
const BIG_EXECUTION_BYTES = 20_000_000;
/** The audits of all variants and the guesses make more requests per minute than people do. */
const MANY_REQUESTS = { N8N_REQUESTS_PER_MINUTE: "20000" };

async function run({ version, only }: LaneArguments, report: LaneReport): Promise<void> {
  const isShort = only === "requests";
  const started = performance.now();
  const log = (line: string): void =>
    console.log(`${line} (at ${Math.round((performance.now() - started) / 1_000)} s)`);
  await using resources = new AsyncDisposableStack();
  const installation = await installN8n(version, log);
  const n8n = closeAtEnd(resources, await bootN8n(installation, { log }));
  // Closed last, as the requests held there keep executions running.
  const upstream = closeAtEnd(resources, await startUpstream());
  log("seeding");
  const seeded = await seedWorkflows(n8n, upstream.url);
  log("sending requests");
  const scenarios = await sendScenarios(n8n, seeded, upstream);
  const fillers = isShort ? FILLERS_OF_SHORT_LANE : FILLERS;
  log(`sending ${fillers} ordinary requests`);
  await fill(n8n, fillers);
  const all = await n8n.executions.readAll();
  const { watch, worker } = await startWatchedWorker(resources, n8n, MANY_REQUESTS, safetyTokens);
  log(`asking the Worker about ${scenarios.length} requests among ${all.length} executions`);

  const client = closeAtEnd(resources, await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"));
  await checkRequests(client, { scenarios, all, fillers }, report, !isShort);

  if (isShort) return await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
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
  await report.check("npm run setup leads to the first true answer", async () =>
    checkSetup({ baseUrl: watch.baseUrl, key: n8n.readKey }, all),
  );
  for (const [name, ids] of Object.entries(seeded.workflowIds)) {
    await report.check(
      `the export of ${name}, imported and exported again, is the same bytes`,
      async () => {
        for (const id of ids) await checkRoundTrip(client, n8n, id);
        return undefined;
      },
      "export, import and export again",
    );
  }
  await report.check("every kind of id of a request leads to the same tree", async () =>
    checkFindBy(client, n8n, watch.baseUrl),
  );
  const odd = await createOddWorkflow(n8n);
  await report.check(
    "export and import of a workflow with everything that an export could lose",
    async () => {
      await checkCredential(n8n, await checkRoundTrip(client, n8n, odd.id), odd);
    },
  );
  report.canDo("pinned data left out of an export");
  const history = "what was changed in a workflow";
  if (report.canDo(history)) await report.check(history, async () => checkHistory(client, n8n, odd));
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
  await checkSafety({ n8n, watch, upstream, worker }, report);
  if (report.canDo("an MCP server by the book")) await checkByTheBook(client, n8n, upstream, report);
  await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
}

/** Runs the safety section alone, without seeding the rest of the lane. */
async function runSafetyAlone(version: N8nVersion, report: LaneReport): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(
    resources,
    await bootN8n(await installN8n(version, console.log), { log: console.log }),
  );
  const upstream = closeAtEnd(resources, await startUpstream());
  const { watch, worker } = await startWatchedWorker(resources, n8n, MANY_REQUESTS, safetyTokens);
  await checkSafety({ n8n, watch, upstream, worker }, report);
  await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
}

/** Agent runs, on an n8n of their own. */
async function runAgentsAlone(version: N8nVersion, report: LaneReport): Promise<void> {
  if (!report.canDo(AGENTS)) return;
  await using resources = new AsyncDisposableStack();
  const n8n = closeAtEnd(
    resources,
    await bootN8n(await installN8n(version, console.log), { log: console.log }),
  );
  const { watch, worker } = await startWatchedWorker(resources, n8n, MANY_REQUESTS, safetyTokens);
  const client = closeAtEnd(resources, await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto"));
  await checkAgents(client, n8n, report);
  await report.check("nothing but GET reached n8n", () => checkOnlyGet(watch));
}

/** On an n8n of its own. */
async function runNeverFalse(version: N8nVersion, report: LaneReport): Promise<void> {
  if (!report.canDo("executions that cannot be read")) return;
  console.log("asking about requests of which something is missing");
  await checkNeverFalse(await installN8n(version), report, (line) => console.log(line));
}

/** Run last, as it adds workflows and executions that other checks do not expect. */
async function checkByTheBook(
  client: AgentClient,
  n8n: RunningN8n,
  upstream: Upstream,
  report: LaneReport,
): Promise<void> {
  const book = await seedByTheBook(n8n, upstream.url);
  await report.check("the map of an MCP server equals its tools/list", async () =>
    checkMap(client, n8n, book),
  );
  await report.check("an audit of an MCP server by the book has no findings", async () =>
    checkBook(client, book),
  );
  const outcomes = await checkVariants(client, n8n, book);
  console.log(matrixOf(outcomes));
  await report.check("each variant of it yields only the finding of its rule", () => checkMatrix(outcomes));
  await report.check("names and arguments of tools equal those from n8n's own code", () =>
    checkAgainstN8nCode(n8n.installation),
  );
  await report.check("the tools by the book keep their contract, and every error is reported", async () =>
    checkBookContract(client, n8n, book, upstream),
  );
  const broken = await seedBrokenServer(n8n);
  await report.check("a tool that breaks its contract is reported with its faults", async () =>
    checkBrokenContract(client, n8n, broken),
  );
}

/** Runs in parallel with the rest, on n8n instances of its own. */
async function runOthers(version: N8nVersion, report: LaneReport): Promise<void> {
  await runNeverFalse(version, report);
  if (report.canDo(CLIENT_NODES)) await checkClientNodes(version, report, console.log);
  if (report.canDo(KINDS)) await checkKinds(version, report, ["kinds"]);
  await runAgentsAlone(version, report);
}

async function runLane(lane: LaneArguments): Promise<number> {
  const { version, write, only } = lane;
  const report = new LaneReport(omissionsOf(version));
  if (lane.queue === true) {
    await checkQueue(await installN8n(version, console.log), report, console.log);
  } else if (only === "safety") {
    await runSafetyAlone(version, report);
  } else if (only === "missing") {
    await runNeverFalse(version, report);
  } else if (only === "kinds" || only === "incidents") {
    await checkKinds(version, report, [only]);
  } else if (only === "agents") {
    await runAgentsAlone(version, report);
  } else if (only === "keys") {
    if (report.canDo(OWN_KEYS)) await checkOwnKeys(await installN8n(version, console.log), report);
  } else if (only === "rules") {
    await checkAccessRules(await installN8n(version, console.log), report);
  } else if (only === "clients") {
    if (report.canDo(CLIENT_NODES)) await checkClientNodes(version, report, console.log);
  } else if (only === "requests") {
    await run(lane, report);
  } else {
    // Installs once, before both start.
    await installN8n(version, console.log);
    await Promise.all([run(lane, report), runOthers(version, report)]);
  }
  console.log(`\n${report.toTable(version)}\n`);
  if (write) {
    const document = await readFile(versionsDocument, "utf8");
    const table = lane.queue === true ? QUEUE_TABLE : KINDS_TABLE;
    await writeFile(versionsDocument, writeColumn(document, version, report.kinds, table));
    console.log("Wrote docs/versions.md.");
  }
  console.log(`${report.passed} passed, ${report.failed} failed`);
  return report.failed === 0 ? 0 : 1;
}

async function main(lane: LaneArguments): Promise<number> {
  if (lane.given !== undefined) return await runOnGivenN8n(lane.given, readOwner(process.env));
  if (!lane.install) return await runLane(lane);
  await installN8n(lane.version, console.log);
  return 0;
}

process.exitCode = await runCommand({ usage: LANE_USAGE, read: readLaneArguments, run: main });
