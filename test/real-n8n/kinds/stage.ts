/**
 * The definition of a kind of execution, and how it is played on a real n8n.
 * `play` returns when all executions of the kind have ended or wait. They are returned in the order in which
 * they began, with the one to be explained.
 */
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { RunningN8n } from "../boot.ts";
import { callApi } from "../n8n-api.ts";
import { type ExecutionItem, listExecutionsAfter, newestExecutionId } from "../n8n-database.ts";
import { createWorkflow, waitForWebhook } from "../seed.ts";
import { type Connections, chain, type WorkflowNode, webhook } from "../workflow-parts.ts";
import type { KindServices } from "./services.ts";

type KindFamily = "failed" | "silent" | "ordinary";

/** A workflow without its webhook, unless `nodes` begin with another trigger. */
export interface Draft {
  readonly nodes: readonly WorkflowNode[];
  /** A chain by default. */
  readonly connections?: Connections;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly n8n: RunningN8n;
  readonly services: KindServices;
  /** Creates a called workflow. @returns its id */
  readonly addCalled: (
    name: string,
    draft: Draft,
    options?: { readonly inactive?: boolean },
  ) => Promise<string>;
  /** Changes nodes in n8n's database to something that it would not publish, as if lost after publishing. */
  readonly tamper: (id: string, change: (nodes: string) => string) => void;
  /** @returns the id of a credential of that type */
  readonly addCredential: (type: string, data: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly api: (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown) => Promise<unknown>;
}

/** One kind: a workflow, the bodies to send, and changes in between. */
export interface PlannedKind {
  readonly name: string;
  readonly family: KindFamily;
  readonly draft: Draft | ((stage: Stage) => Draft | Promise<Draft>);
  /** The last one is judged; the earlier ones are runs to compare with. */
  readonly sent?: readonly unknown[];
  /** The number of executions that each body causes; 1 by default. */
  readonly executions?: number;
  /** The number of these that never end; 0 by default. */
  readonly hanging?: number;
  /** The edited workflow, saved before the last body is sent. */
  readonly edited?: (stage: Stage) => Draft | Promise<Draft>;
  /** Other changes before the last body is sent. */
  readonly change?: (stage: Stage) => Promise<void>;
  /** The webhook answers at once, and the execution continues by itself. */
  readonly goesOn?: boolean;
  /** An action after the last execution has begun, such as cancelling or retrying it. */
  readonly meanwhile?: (stage: Stage, running: ExecutionItem) => Promise<void>;
  /** If set, the judged execution is the last one of this workflow, as named in `addCalled`. */
  readonly judged?: string;
  /** The first execution is judged instead of the last. */
  readonly judgesFirst?: boolean;
}

export interface PlayedKind {
  readonly name: string;
  readonly family: KindFamily;
  readonly executionIds: readonly string[];
  /** For ordinary kinds, each execution is judged. */
  readonly judgedIds: readonly string[];
  /** The nodes of its workflows. */
  readonly nodeNames: readonly string[];
}

const PATIENCE_MS = 30_000;
const ON_THEIR_WAY = ["new", "running"];
const created = z.object({ id: z.string() });

/** The kind's workflow; its name is also the path of its webhook. */
export async function play(n8n: RunningN8n, services: KindServices, kind: PlannedKind): Promise<PlayedKind> {
  const called = new Map<string, Called>();
  const stage = createStage(n8n, services, kind.name, called);
  const first = newestExecutionId(n8n);
  const draft = typeof kind.draft === "function" ? await kind.draft(stage) : kind.draft;
  const definition = toDefinition(kind, draft);
  const id = await createWorkflow(n8n, { baseUrl: n8n.baseUrl, key: n8n.writeKey }, definition);
  await waitForWebhook(n8n, kind.name);
  const sent = kind.sent ?? [{ order: 4711 }];
  for (const [index, body] of sent.entries()) {
    const isLast = index === sent.length - 1;
    if (isLast) await kind.change?.(stage);
    if (isLast && kind.edited !== undefined) {
      await edit(stage, id, toDefinition(kind, await kind.edited(stage)));
    }
    const before = newestExecutionId(n8n);
    await send(n8n, kind.name, body);
    if (isLast && kind.meanwhile !== undefined) await kind.meanwhile(stage, await firstAfter(n8n, before));
    await settle(n8n, before, kind);
  }
  const judgedWorkflow = kind.judged === undefined ? id : called.get(kind.judged)?.id;
  const all = listExecutionsAfter(n8n, first);
  const own = all.filter(({ workflowId }) => workflowId === judgedWorkflow).map((each) => each.id);
  return {
    name: kind.name,
    family: kind.family,
    executionIds: all.map((each) => each.id),
    judgedIds: judgedOf(kind, own),
    nodeNames: [definition, ...called.values()].flatMap(({ nodes }) => nodes.map((each) => each.name)),
  };
}

/** A workflow that the kind's workflow calls. */
interface Called {
  readonly id: string;
  readonly nodes: readonly WorkflowNode[];
}

function judgedOf({ family, judgesFirst }: PlannedKind, own: string[]): string[] {
  if (family === "ordinary") return own;
  return judgesFirst === true ? own.slice(0, 1) : own.slice(-1);
}

function createStage(
  n8n: RunningN8n,
  services: KindServices,
  kindName: string,
  called: Map<string, Called>,
): Stage {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  return {
    n8n,
    services,
    addCalled: async (name, { nodes, connections, settings }, options = {}) => {
      const id = await createWorkflow(n8n, access, {
        name,
        nodes: [...nodes],
        connections: connections ?? chain(...nodes.map((each) => each.name)),
        ...(settings === undefined ? {} : { settings }),
        calledOnly: true,
        inactive: options.inactive === true,
      });
      called.set(name, { id, nodes });
      return id;
    },
    addCredential: async (type, data) => {
      const body = { name: `${kindName} ${type}`, type, data };
      return created.parse(await callApi(access, "POST", "/credentials", body)).id;
    },
    tamper: (id, change) => tamper(n8n, id, change),
    api: async (method, path, body) => await callApi(access, method, path, body),
  };
}

function toDefinition({ name, goesOn }: PlannedKind, { nodes, connections, settings }: Draft) {
  const trigger = webhook(name, goesOn === true ? "onReceived" : "lastNode");
  const hasTrigger = nodes.some(({ type }) => type === "n8n-nodes-base.webhook");
  const all = hasTrigger ? [...nodes] : [trigger, ...nodes];
  return {
    name,
    nodes: all,
    connections: connections ?? chain(...all.map((each) => each.name)),
    settings: { executionOrder: "v1", ...settings },
  };
}

/** Publishes an edited workflow again, and waits until the old webhook is gone and the new one answers. */
async function edit(
  { n8n, api }: Stage,
  id: string,
  { nodes, ...known }: ReturnType<typeof toDefinition>,
): Promise<void> {
  await api("POST", `/workflows/${id}/deactivate`);
  await waitForNoWebhook(n8n, known.name);
  await api("PUT", `/workflows/${id}`, { nodes: placed(nodes), ...known });
  await api("POST", `/workflows/${id}/activate`);
  await waitForWebhook(n8n, known.name);
}

async function waitForNoWebhook(n8n: RunningN8n, path: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    const response = await fetch(`${n8n.baseUrl}/webhook/${path}`);
    if (!(await response.text()).includes("not registered for GET requests")) return;
  }
  throw new Error(`The webhook ${path} is still there.`);
}

/** Rewrites a workflow in n8n's database, including its published version. */
function tamper({ databasePath }: RunningN8n, id: string, change: (nodes: string) => string): void {
  const database = new DatabaseSync(databasePath, { timeout: 5_000 });
  try {
    for (const [table, key] of [
      ["workflow_entity", "id"],
      ["workflow_history", "workflowId"],
    ]) {
      const rows = z
        .array(z.object({ nodes: z.string() }))
        .parse(database.prepare(`SELECT nodes FROM ${table} WHERE ${key} = ?`).all(id));
      for (const { nodes } of rows) {
        const changed = change(nodes);
        if (changed === nodes) throw new Error(`Nothing to change in ${nodes}`);
        database
          .prepare(`UPDATE ${table} SET nodes = ? WHERE ${key} = ? AND nodes = ?`)
          .run(changed, id, nodes);
      }
    }
  } finally {
    database.close();
  }
}

const placed = (nodes: readonly WorkflowNode[]): WorkflowNode[] =>
  nodes.map((each, index) => ({ ...each, position: [index * 200, 0] }));

/** Accepts any status except 404: a failed workflow answers 500, and so does one without an answer. */
async function send(n8n: RunningN8n, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${n8n.baseUrl}/webhook/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": path },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status === 404) throw new Error(`The webhook ${path} answered 404: ${text.slice(0, 200)}`);
}

async function firstAfter(n8n: RunningN8n, before: number): Promise<ExecutionItem> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    const [found] = listExecutionsAfter(n8n, before);
    if (found !== undefined) return found;
  }
  throw new Error("No execution began.");
}

async function settle(
  n8n: RunningN8n,
  before: number,
  { executions: count = 1, hanging = 0 }: PlannedKind,
): Promise<void> {
  let seen: ExecutionItem[] = [];
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    seen = listExecutionsAfter(n8n, before);
    const running = seen.filter(({ status }) => ON_THEIR_WAY.includes(status));
    if (seen.length === count && running.length === hanging) return;
    if (seen.length > count) break;
  }
  throw new Error(`Expected ${count} executions to end, but saw ${JSON.stringify(seen)}`);
}

/** Connections from lines such as `Check.1 > Reject` (its second output) and `A > Merge:1` (its second input). */
export function wire(...lines: readonly string[]): Connections {
  const connections: Connections = {};
  for (const line of lines) {
    const [, from = "", output = "0", to = "", input = "0"] =
      /^(.+?)(?:\.(\d))? > (.+?)(?::(\d))?$/.exec(line) ?? [];
    if (from === "") throw new Error(`Not a connection: ${line}`);
    const own = connections[from] ?? { main: [] };
    const outputs = own.main ?? [];
    while (outputs.length <= Number(output)) outputs.push([]);
    outputs[Number(output)]?.push({ node: to, type: "main", index: Number(input) });
    connections[from] = { ...own, main: outputs };
  }
  return connections;
}
