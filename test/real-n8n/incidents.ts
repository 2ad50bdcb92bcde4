/**
 * Incidents on a real n8n: each is produced and then found by one call; before that, none is found.
 * It adds workflows and executions of its own, and considers only executions since its start.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { AgentClient } from "../support/agent-client.ts";
import type { RunningN8n } from "./boot.ts";
import { callApi } from "./n8n-api.ts";
import { listExecutionsAfter, newestExecutionId } from "./n8n-database.ts";
import type { LaneReport } from "./report.ts";
import { chained, createWorkflow, waitForWebhook } from "./seed.ts";
import { same } from "./trace-checks.ts";
import { chain, code, node, type WorkflowNode, webhook } from "./workflow-parts.ts";

/** The kind of check in the table of versions. */
export const INCIDENTS = "incidents";

const CALLERS = ["incident-mail", "incident-tax", "incident-stock", "incident-crm", "incident-maps"];
const TIMES = 4;
/** Nothing listens there. */
const DEAD_URL = "http://127.0.0.1:1/";
const PATIENCE_MS = 30_000;

const fetches = node("Fetch", "n8n-nodes-base.httpRequest", 4.2, {
  url: "={{ $json.body.url }}",
  options: { timeout: 2_000 },
});
const failsIfAsked = code(
  "Store",
  "if ($json.body.fails) throw new Error('the table is locked'); return $input.all()",
);
/** A wait within the process, as n8n does for less than a minute. */
const waits = node("Wait", "n8n-nodes-base.wait", 1.1, { amount: 50, unit: "seconds" });

const incident = z.looseObject({ kind: z.string(), says: z.string(), state: z.string() });
type Incident = z.infer<typeof incident>;
const digest = z.looseObject({ incidents: z.array(incident) });

/**
 * @returns a check for later, when the minute for which published workflows are cached has passed. It kills
 * n8n.
 */
export async function checkIncidents(
  client: AgentClient,
  n8n: RunningN8n,
  report: LaneReport,
): Promise<() => Promise<void>> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  let startedAfter = new Date().toISOString();
  const findIncidents = async (): Promise<readonly Incident[]> => {
    const { envelope } = await client.call("summarize_failures", { startedAfter, timeBudgetMs: 55_000 });
    return digest.parse(envelope.data).incidents;
  };
  /** @returns the incident's description */
  const found = async (kind: string, expected: Readonly<Record<string, unknown>>): Promise<string> => {
    const all = await findIncidents();
    const one = all.find((each) => each.kind === kind);
    if (one === undefined) throw new Error(`It is not among ${JSON.stringify(all)}.`);
    for (const [name, value] of Object.entries(expected)) same(name, one[name], value);
    return one.says;
  };
  const add = async (name: string, steps: readonly WorkflowNode[], more: object = {}): Promise<string> => {
    const nodes = [webhook(name, name === "incident-slow" ? "onReceived" : "lastNode"), ...steps];
    const connections = chain(...nodes.map((each) => each.name));
    const id = await createWorkflow(n8n, access, { name, nodes, connections, ...more });
    await waitForWebhook(n8n, name);
    return id;
  };
  /** Waits until all of them have ended. */
  const send = async (name: string, body: object, times = TIMES): Promise<void> => {
    for (let time = 0; time < times; time += 1) await post(n8n, name, body);
  };

  for (const name of CALLERS) await add(name, [fetches]);
  const handler = [
    node("Error Trigger", "n8n-nodes-base.errorTrigger", 1),
    code("Tell", "return $json.gone.id"),
  ];
  const errorWorkflow = await createWorkflow(n8n, access, {
    ...chained("incident-handler", ...handler),
    calledOnly: true,
  });
  await add("incident-orders", [failsIfAsked], { settings: { errorWorkflow } });
  const retired = await add("incident-retired", [code("Sync", "return $input.all()")]);
  await add("incident-slow", [waits]);

  const url = `${n8n.baseUrl}/healthz`;
  await Promise.all(CALLERS.map(async (name) => await send(name, { url })));
  await send("incident-orders", {});
  await send("incident-retired", {});
  await report.check(
    "nothing is an incident while all is well",
    async () => {
      same("incidents", await findIncidents(), []);
      return undefined;
    },
    INCIDENTS,
  );

  await Promise.all(CALLERS.map(async (name) => await send(name, { url: DEAD_URL })));
  await report.check(
    "a service that is down for five workflows is one incident",
    async () => {
      const expected = { workflows: CALLERS.length, executions: CALLERS.length * TIMES, state: "goes_on" };
      return await found("shared_cause", expected);
    },
    INCIDENTS,
  );
  await send("incident-orders", { fails: true });
  await ended(n8n);
  await report.check(
    "an error workflow that fails itself",
    async () => await found("error_workflow", { workflowNames: ["incident-handler"], executions: TIMES }),
    INCIDENTS,
  );
  await callApi(access, "POST", `/workflows/${retired}/deactivate`);
  return async () => {
    await report.check(
      "an unpublished workflow",
      async () =>
        await untilFound(async () => await found("unpublished", { workflowNames: ["incident-retired"] })),
      INCIDENTS,
    );
    startedAfter = new Date().toISOString();
    await send("incident-slow", {}, 3);
    await n8n.crash();
    await report.check(
      "a killed n8n",
      async () => await untilFound(async () => await found("crash", { workflows: 1, executions: 3 })),
      INCIDENTS,
    );
  };
}

async function post(n8n: RunningN8n, path: string, body: object): Promise<void> {
  const response = await fetch(`${n8n.baseUrl}/webhook/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
}

/** Waits for error workflows, which run after an answer. */
async function ended(n8n: RunningN8n): Promise<void> {
  const newest = newestExecutionId(n8n);
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(100)) {
    const last = listExecutionsAfter(n8n, newest - 2 * TIMES);
    const handled = last.filter(({ mode, status }) => mode === "error" && status === "error");
    if (handled.length >= TIMES) return;
  }
  throw new Error("The error workflow did not run each time.");
}

/** Waits until n8n has recovered executions after its restart, and the list of workflows is read again. */
async function untilFound(find: () => Promise<string>): Promise<string> {
  const deadline = Date.now() + 2 * PATIENCE_MS;
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(2_000);
    }
  }
}
