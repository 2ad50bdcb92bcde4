/**
 * What a kind of execution is made of, and how it is brought about on a real n8n.
 * Promises: `play` returns when all executions of the kind have ended, or wait; they are told in the order in which
 * they began, and the one to be explained is named.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { RunningN8n } from "../boot.ts";
import { callApi } from "../n8n-api.ts";
import { type ExecutionItem, listExecutionsAfter, newestExecutionId } from "../n8n-database.ts";
import { createWorkflow, waitForWebhook } from "../seed.ts";
import { type Connections, chain, type WorkflowNode, webhook } from "../workflow-parts.ts";
import type { KindServices } from "./services.ts";

export type KindFamily = "failed" | "silent" | "ordinary";

/** A workflow without its first node, which is a webhook unless `nodes` begin with another trigger. */
export interface Draft {
  readonly nodes: readonly WorkflowNode[];
  /** One after the other by default. */
  readonly connections?: Connections;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly n8n: RunningN8n;
  readonly services: KindServices;
  /** Creates a workflow that others call. @returns its id */
  readonly addCalled: (
    name: string,
    draft: Draft,
    options?: { readonly inactive?: boolean },
  ) => Promise<string>;
  /** @returns the id of a credential of that type */
  readonly addCredential: (type: string, data: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly api: (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown) => Promise<unknown>;
}

/** One kind: a workflow, what is sent to it, and what is changed on the way. */
export interface PlannedKind {
  readonly name: string;
  readonly family: KindFamily;
  readonly draft: Draft | ((stage: Stage) => Draft | Promise<Draft>);
  /** The last one is judged; what ran before are runs to compare with. */
  readonly sent?: readonly unknown[];
  /** How many executions each of them makes in all; 1 by default. */
  readonly executions?: number;
  /** Before the last one is sent: the workflow as it was edited. */
  readonly edited?: (stage: Stage) => Draft | Promise<Draft>;
  /** Before the last one is sent: what else has changed. */
  readonly change?: (stage: Stage) => Promise<void>;
  /** It is not waited for: it answers at once, and goes on by itself. */
  readonly goesOn?: boolean;
  /** What is done to the last execution: cancel it, retry it. */
  readonly then?: (stage: Stage, running: ExecutionItem) => Promise<void>;
  /** The judged execution is the last of another workflow, by the name it was given in `addCalled`. */
  readonly judged?: string;
}

export interface PlayedKind {
  readonly name: string;
  readonly family: KindFamily;
  readonly executionIds: readonly string[];
  /** For ordinary ones, each of them is judged. */
  readonly judgedIds: readonly string[];
}

const PATIENCE_MS = 30_000;
const ON_THEIR_WAY = ["new", "running"];
const created = z.object({ id: z.string() });

/** A workflow of its own for each kind, of its name, which is also the path of its webhook. */
export async function play(n8n: RunningN8n, services: KindServices, kind: PlannedKind): Promise<PlayedKind> {
  const calledIds = new Map<string, string>();
  const stage = createStage(n8n, services, kind.name, calledIds);
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
      const { nodes, connections, ...known } = toDefinition(kind, await kind.edited(stage));
      await stage.api("PUT", `/workflows/${id}`, { nodes: placed(nodes), connections, ...known });
      await stage.api("POST", `/workflows/${id}/activate`);
    }
    const before = newestExecutionId(n8n);
    await send(n8n, kind.name, body);
    if (isLast && kind.then !== undefined) await kind.then(stage, await firstAfter(n8n, before));
    await settle(n8n, before, kind.executions ?? 1);
  }
  const judgedWorkflow = kind.judged === undefined ? id : calledIds.get(kind.judged);
  const all = listExecutionsAfter(n8n, first);
  const own = all.filter(({ workflowId }) => workflowId === judgedWorkflow).map((each) => each.id);
  return {
    name: kind.name,
    family: kind.family,
    executionIds: all.map((each) => each.id),
    judgedIds: kind.family === "ordinary" ? own : own.slice(-1),
  };
}

function createStage(
  n8n: RunningN8n,
  services: KindServices,
  kindName: string,
  calledIds: Map<string, string>,
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
      calledIds.set(name, id);
      return id;
    },
    addCredential: async (type, data) => {
      const body = { name: `${kindName} ${type}`, type, data };
      return created.parse(await callApi(access, "POST", "/credentials", body)).id;
    },
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

const placed = (nodes: readonly WorkflowNode[]): WorkflowNode[] =>
  nodes.map((each, index) => ({ ...each, position: [index * 200, 0] }));

/** Whatever it answers: a failed workflow answers 500, one that has nothing to answer too. */
async function send(n8n: RunningN8n, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${n8n.baseUrl}/webhook/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
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

async function settle(n8n: RunningN8n, before: number, count: number): Promise<void> {
  let seen: ExecutionItem[] = [];
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    seen = listExecutionsAfter(n8n, before);
    const running = seen.some(({ status }) => ON_THEIR_WAY.includes(status));
    if (seen.length === count && !running) return;
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
