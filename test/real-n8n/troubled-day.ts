/**
 * A day with eight problems on a real n8n: five kinds of failure, a schedule that stops, an execution that
 * hangs, a workflow that succeeds and finds nothing. n8n runs each once; copies with times of
 * their own fill nine days, and the originals are moved before them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import type { RunningN8n } from "./boot.ts";
import { copyExecutions, type ExecutionCopy, moveExecutions } from "./copy-executions.ts";
import { listExecutionsAfter, newestExecutionId } from "./n8n-database.ts";
import { chained, createWorkflow, waitForWebhook } from "./seed.ts";
import { same } from "./trace-checks.ts";
import { code, type WorkflowNode, webhook } from "./workflow-parts.ts";

/** The kind of check in the table of versions. */
export const DAY = "what broke, and what is silent";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KNOWN_DAYS = 9;
const FAILURES = 20;
const PATIENCE_MS = 30_000;

/** Each has another failing node; the first two belong to one workflow. */
const FAILING: readonly (readonly [workflow: string, node: string, jsCode: string])[] = [
  ["day payments", "Charge card", "throw new Error('the card was refused')"],
  ["day payments", "Read order", "return $json.nothing.id"],
  ["day stock", "Store", "throw new Error('duplicate key value')"],
  ["day stock", "Reserve", "return 'no items'"],
  ["day mail", "Notify", "throw new TypeError('timed out')"],
];

/** One workflow per name, in which each kind of body fails at a node of its own. */
function failingNodes(workflow: string): WorkflowNode[] {
  return FAILING.filter(([name]) => name === workflow).map(([, node, jsCode]) =>
    code(
      node,
      `if ($input.first().json.body?.fails === ${JSON.stringify(node)}) { ${jsCode} }\nreturn $input.all()`,
    ),
  );
}

/** Returns the requested number of items. */
const FINDS = code(
  "Find orders",
  "return Array.from({ length: $json.body.count }, (_, n) => ({ json: { n, body: $json.body } }))",
);

interface Played {
  readonly n8n: RunningN8n;
  readonly workflowIds: ReadonlyMap<string, string>;
}

const pathOf = (workflow: string): string => workflow.replaceAll(" ", "-");

async function addWorkflows(n8n: RunningN8n): Promise<Played> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const drafts: [string, WorkflowNode[]][] = [
    ...[...new Set(FAILING.map(([workflow]) => workflow))].map((workflow): [string, WorkflowNode[]] => [
      workflow,
      failingNodes(workflow),
    ]),
    ["day schedule", [code("Sync", "return $input.all()")]],
    ["day hung", [code("Wait for it", "return $input.all()")]],
    ["day orders", [FINDS, code("Ship", "return $input.all()")]],
  ];
  const workflowIds = new Map<string, string>();
  for (const [name, steps] of drafts) {
    const definition = chained(name, webhook(pathOf(name), "onReceived"), ...steps);
    workflowIds.set(name, await createWorkflow(n8n, access, definition));
  }
  for (const [name] of drafts) await waitForWebhook(n8n, pathOf(name));
  return { n8n, workflowIds };
}

/** @returns the id of its execution, once it has ended */
async function play({ n8n }: Played, workflow: string, body: object): Promise<string> {
  const before = newestExecutionId(n8n);
  const response = await fetch(`${n8n.baseUrl}/webhook/${pathOf(workflow)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(25)) {
    const [made] = listExecutionsAfter(n8n, before);
    if (made !== undefined && !["new", "running"].includes(made.status)) return made.id;
  }
  throw new Error(`The execution of ${workflow} did not end.`);
}

const every = (
  from: number,
  to: number,
  step: number,
  make: (at: number) => ExecutionCopy,
): ExecutionCopy[] =>
  Array.from({ length: Math.max(0, Math.floor((to - from) / step)) }, (_, index) =>
    make(from + index * step),
  );

/** The nine days, in order. @param now the end of the last day, epoch ms */
async function copiesOf(played: Played, now: number): Promise<ExecutionCopy[]> {
  const begin = now - KNOWN_DAYS * DAY_MS;
  const today = now - DAY_MS + 60_000;
  const copies: ExecutionCopy[] = [];
  for (const workflow of new Set(FAILING.map(([name]) => name))) {
    const well = await play(played, workflow, {});
    copies.push(
      ...every(begin, now - 60_000, HOUR_MS, (startedAt) => ({ of: well, startedAt, durationMs: 400 })),
    );
  }
  for (const [index, [workflow, node]] of FAILING.entries()) {
    const failed = await play(played, workflow, { fails: node });
    const at = today + index * 7_000;
    copies.push(
      ...every(at, at + FAILURES * HOUR_MS, HOUR_MS, (startedAt) => ({
        of: failed,
        startedAt,
        durationMs: 300,
      })),
    );
  }
  const synced = await play(played, "day schedule", {});
  copies.push(
    ...every(begin, now - 5 * HOUR_MS, HOUR_MS / 2, (startedAt) => ({
      ...{ of: synced, startedAt, durationMs: 900, mode: "trigger" },
    })),
  );
  const ended = await play(played, "day hung", {});
  copies.push(
    ...every(begin, now - 4 * HOUR_MS, 2 * HOUR_MS, (startedAt) => ({
      of: ended,
      startedAt,
      durationMs: 1_000,
    })),
    { of: ended, startedAt: now - 3 * HOUR_MS, isRunning: true },
  );
  const [many, none] = [
    await play(played, "day orders", { count: 40 }),
    await play(played, "day orders", { count: 0 }),
  ];
  copies.push(
    ...every(begin, now - 60_000, HOUR_MS, (startedAt) => ({
      ...{ of: startedAt < now - DAY_MS ? many : none, startedAt, durationMs: 200 },
    })),
  );
  return copies.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
}

const named = z.looseObject({ workflowName: z.string(), kind: z.string() });
const digest = z.looseObject({
  groups: z.array(z.looseObject({ nodeName: z.string(), count: z.number() })),
  silent: z.array(named),
  hanging: z.array(named),
  unusual: z.array(named),
});

/** Run early in its section, so that other checks' executions are in none of the days. */
export async function checkDay(client: AgentClient, n8n: RunningN8n): Promise<string> {
  const played = await addWorkflows(n8n);
  const now = Date.now();
  const copies = await copiesOf(played, now);
  const own = [...new Set(copies.map(({ of }) => of))].toSorted((a, b) => Number(a) - Number(b));
  moveExecutions(n8n, own, now - KNOWN_DAYS * DAY_MS - HOUR_MS);
  copyExecutions(n8n, copies);
  // The index is not kept up to date here, but has to know what is usual.
  await client.call("trace_request", { requestId: "of-nobody-at-all", timeBudgetMs: 55_000 });
  const { envelope } = await client.call("summarize_failures", { timeBudgetMs: 55_000 });
  const data = digest.parse(envelope.data);
  const what = (each: z.infer<typeof named>): string => `${each.workflowName}: ${each.kind}`;
  same(
    "failures",
    data.groups.map(({ nodeName, count }) => `${nodeName}: ${count}`).toSorted(),
    FAILING.map(([, node]) => `${node}: ${FAILURES}`).toSorted(),
  );
  same("silent", data.silent.map(what), ["day schedule: schedule"]);
  same("hanging", data.hanging.map(what), ["day hung: running"]);
  same("unusual", data.unusual.map(what), ["day orders: empty"]);
  return `${copies.length} executions; ${envelope.message ?? ""}`;
}
