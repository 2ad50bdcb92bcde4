/**
 * What the safety checks share: the running n8n and Worker, callers with and without `n8n:data`, made-up
 * secrets, and the search for them in answers.
 * Secrets are generated at run time, the same in each run, so none is in the source. A caller makes no more
 * calls than one user may.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { readableTexts, showsSecret } from "../../redaction/corpus/material.ts";
import { createRandom, type Random } from "../../redaction/corpus/random.ts";
import type { AgentClient, Answer } from "../../support/agent-client.ts";
import type { TestWorker } from "../../support/test-worker.ts";
import type { RunningN8n } from "../boot.ts";
import { newestExecutionId } from "../n8n-database.ts";
import { type Expectation, sendWebhook, waitForExecutions } from "../scenarios.ts";
import type { Upstream } from "../upstream.ts";
import type { Watch } from "../watch.ts";
import { type SafetyWorkflows, safetyPaths } from "./seed.ts";

export interface SafetyLane {
  readonly n8n: RunningN8n;
  readonly watch: Watch;
  readonly upstream: Upstream;
  readonly worker: TestWorker;
  readonly workflows: SafetyWorkflows;
  /** A caller with `n8n:data`. */
  readonly data: AgentClient;
  /** A caller without `n8n:data`. */
  readonly read: AgentClient;
  /** Another user with `n8n:data`. */
  readonly other: AgentClient;
}

/** One seed per check, so that checks do not affect each other's values. */
export function createSecrets(seed: number): Random & { readonly word: (length: number) => string } {
  const random = createRandom(seed);
  return {
    ...random,
    // Letters only, so that nothing but the context shows that it is secret.
    word: (length) => random.text("abcdefghijklmnopqrstuvwxyz", length),
  };
}

interface PostOptions {
  /** The number of executions it causes. */
  readonly executions?: number;
  readonly outcome?: Expectation["outcome"];
  readonly headers?: Record<string, string>;
}

/** Sends one request. @returns the ids of its executions, ascending */
export async function post(
  { n8n }: SafetyLane,
  path: string,
  body: unknown,
  { executions = 1, outcome = "success", headers = {} }: PostOptions = {},
): Promise<[string, ...string[]]> {
  const before = newestExecutionId(n8n);
  await sendWebhook(n8n, path, body, headers);
  const [first, ...rest] = await waitForExecutions(n8n, before, executions, outcome);
  if (first === undefined) throw new Error(`n8n made no execution of ${path}`);
  return [first.id, ...rest.map(({ id }) => id)];
}

/** A user may make a hundred calls in ten seconds. */
const MILLISECONDS_A_CALL = 105;

/** The same caller, slowed down to the limit of one user. */
export function paced(client: AgentClient): AgentClient {
  let next = 0;
  const call = async (name: string, args?: Record<string, unknown>): Promise<Answer> => {
    const now = performance.now();
    next = Math.max(next + MILLISECONDS_A_CALL, now);
    await sleep(next - now);
    return await client.call(name, args);
  };
  return { ...client, call };
}

/** @throws Error with the answer when the call failed */
export async function ask(client: AgentClient, tool: string, args: Record<string, unknown>): Promise<Answer> {
  const answer = await client.call(tool, args);
  if (answer.isError) throw new Error(`${tool}: ${answer.text.slice(0, 500)}`);
  return answer;
}

export function demand(holds: boolean, rule: string, seen: unknown = ""): void {
  if (!holds) throw new Error(`${rule}. Seen: ${JSON.stringify(seen).slice(0, 2_000)}`);
}

/** All answers that show an execution with data: summary, details, each node, and a search. */
export async function showExecution(
  { data }: SafetyLane,
  id: string,
  { nodes, sought, startedAfter }: { nodes: readonly string[]; sought: string; startedAfter: string },
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  answers.set("get_execution", await ask(data, "get_execution", { id }));
  answers.set("get_execution_details", await ask(data, "get_execution_details", { executionId: id }));
  for (const nodeName of nodes)
    answers.set(
      `get_execution_by_node ${nodeName}`,
      await ask(data, "get_execution_by_node", { id, nodeName }),
    );
  answers.set(
    "search_executions",
    await ask(data, "search_executions", { text: sought, startedAfter, maxHits: 50 }),
  );
  return answers;
}

/** Posts a payload to a workflow that keeps it, and shows its execution, including a search for `near-`. */
export async function showPosted(
  lane: SafetyLane,
  body: unknown,
  startedAfter: string,
): Promise<ReadonlyMap<string, Answer>> {
  const [id] = await post(lane, safetyPaths.keep, body);
  return await showExecution(lane, id, { nodes: ["Webhook"], sought: "near-", startedAfter });
}

/** A planted secret with a name for the report. */
export interface Planted {
  readonly name: string;
  readonly secret: string;
}

/** @throws Error with the names of secrets that an answer shows, plain or encoded */
export function demandHidden(answers: ReadonlyMap<string, Answer>, planted: readonly Planted[]): void {
  for (const [tool, { envelope, progress }] of answers) {
    const texts = readableTexts([envelope, progress]);
    const shown = planted.filter(({ secret }) => showsSecret(texts, secret));
    demand(
      shown.length === 0,
      `${tool} shows ${shown.length} of ${planted.length} secrets`,
      shown.map(({ name }) => name),
    );
  }
}

/** @throws Error with the texts that the answer lacks */
export function demandShown(
  answers: ReadonlyMap<string, Answer>,
  tool: string,
  neighbours: readonly string[],
): void {
  const text = readableTexts(answers.get(tool)?.envelope).join("\n");
  const missing = neighbours.filter((neighbour) => !text.includes(neighbour));
  demand(missing.length === 0, `${tool} lacks ${missing.length} of ${neighbours.length} neighbours`, missing);
}
