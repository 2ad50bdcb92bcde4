/**
 * Concurrent users, each with an MCP client, who call one tool after another. Greedy users call in many loops, without
 * pauses, and do not wait when they are told to; some make only the most expensive calls, and some have a wrong token.
 *
 * Promises: the user's number alone determines the calls; every call is reported with its time and its outcome.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type AgentClient, connectModern } from "../../test/support/agent-client.ts";
import { mcpPost, toolCall } from "../../test/support/mcp-post.ts";

export const loadTask = z.object({
  mcpUrl: z.string(),
  tokens: z.array(z.string()),
  /** A token for each greedy user. */
  greedyTokens: z.array(z.string()),
  greedyLoops: z.number(),
  /**
   * What greedy users call: the same as the others; the most expensive, which is searches that no filter answers, and
   * explanations; or traces with a wrong token.
   */
  greedyCalls: z.enum(["ordinary", "heavy", "wrong token"]),
  milliseconds: z.number(),
  /** Mean time between an answer and the next call of an ordinary user, in milliseconds. */
  pauseMs: z.number(),
  requestIds: z.array(z.string()),
  executionIds: z.array(z.string()),
});
export type LoadTask = z.infer<typeof loadTask>;

const loadCall = z.object({
  tool: z.string(),
  /**
   * `first`: of all users at the same time, on an empty index; greedy users call once, too.
   * `warm`: of all ordinary users at the same time, on the filled index.
   */
  kind: z.enum(["first", "warm", "ordinary", "greedy"]),
  /** Null for a success. */
  code: z.string().nullable(),
  milliseconds: z.number(),
});
export type LoadCall = z.infer<typeof loadCall>;
export const loadResult = z.array(loadCall);

type Random = () => number;

/** Numbers from 0 to 1 that follow from the seed (a linear congruence, which is random enough to mix calls). */
function randomFrom(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick<Value>(values: readonly Value[], random: Random): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("There is nothing to pick from.");
  return value;
}

type Call = readonly [tool: string, args: Record<string, unknown>];

/** Seven of ten are traces; one of these is for an id that was never sent. */
function nextCall({ requestIds, executionIds }: LoadTask, random: Random): Call {
  const place = random();
  if (place < 0.6) return ["trace_request", { requestId: pick(requestIds, random) }];
  if (place < 0.7) return ["trace_request", { requestId: "never-sent" }];
  const id = pick(executionIds, random);
  if (place < 0.8) return ["get_execution", { id }];
  if (place < 0.87) return ["get_execution_details", { executionId: id }];
  if (place < 0.95) return ["get_workflow_executions", { limit: 20 }];
  return ["list_workflows", {}];
}

function nextHeavyCall({ executionIds }: LoadTask, random: Random): Call {
  // A part of a word is in no filter, so every execution is read; a new text each time is never cached.
  if (random() < 0.5) return ["search_executions", { text: `q${Math.floor(random() * 1e9)}z` }];
  return ["explain_failure", { executionId: pick(executionIds, random) }];
}

const failed = z.looseObject({ code: z.string() });

async function timed(client: AgentClient, [tool, args]: Call, kind: LoadCall["kind"]): Promise<LoadCall> {
  const begun = performance.now();
  const { isError, envelope } = await client.call(tool, args);
  const milliseconds = performance.now() - begun;
  return { tool, kind, code: isError ? failed.parse(envelope.data).code : null, milliseconds };
}

/** @throws Error unless the call is refused with 401 */
async function callWithWrongToken({ mcpUrl }: LoadTask): Promise<LoadCall> {
  const begun = performance.now();
  const [tool, args] = ["trace_request", { requestId: "never-sent" }];
  const answer = await fetch(mcpUrl, mcpPost(`wrong-${crypto.randomUUID()}`, toolCall(tool, args)));
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`A wrong token was answered with ${answer.status}.`);
  return { tool, kind: "greedy", code: null, milliseconds: performance.now() - begun };
}

async function callUntil(
  end: number,
  client: AgentClient,
  task: LoadTask,
  random: Random,
  kind: "ordinary" | "greedy",
): Promise<LoadCall[]> {
  const calls: LoadCall[] = [];
  const isOrdinary = kind === "ordinary";
  const next = isOrdinary || task.greedyCalls !== "heavy" ? nextCall : nextHeavyCall;
  const hasWrongToken = !isOrdinary && task.greedyCalls === "wrong token";
  // Users do not call in step.
  if (isOrdinary) await sleep(task.pauseMs * random());
  while (performance.now() < end) {
    calls.push(await (hasWrongToken ? callWithWrongToken(task) : timed(client, next(task, random), kind)));
    if (isOrdinary) await sleep(task.pauseMs * (0.5 + random()));
  }
  return calls;
}

/** All users trace a request at the same time, ordinary ones then another; then each calls for the time of the task. */
export async function performLoad(task: LoadTask): Promise<LoadCall[]> {
  const connect = async (token: string): Promise<AgentClient> =>
    await connectModern(task.mcpUrl, token, "auto");
  const clients = await Promise.all(task.tokens.map(connect));
  const greedy = await Promise.all(task.greedyTokens.map(connect));
  const trace: Call = ["trace_request", { requestId: pick(task.requestIds, randomFrom(0)) }];
  const first = await Promise.all([...clients, ...greedy].map((client) => timed(client, trace, "first")));
  // After this, n8n is asked again for what is new.
  await sleep(1_000);
  const others = task.requestIds.filter((requestId) => requestId !== trace[1].requestId);
  const traceOther = (index: number): Call => [
    "trace_request",
    { requestId: others[index % others.length] ?? trace[1].requestId },
  ];
  const warm = await Promise.all(clients.map((client, index) => timed(client, traceOther(index), "warm")));
  const end = performance.now() + task.milliseconds;
  const loops = [
    ...clients.map((client, index) => callUntil(end, client, task, randomFrom(index + 1), "ordinary")),
    ...greedy.flatMap((client, user) =>
      Array.from({ length: task.greedyLoops }, (_, loop) =>
        callUntil(end, client, task, randomFrom(1_000 * (user + 1) + loop), "greedy"),
      ),
    ),
  ];
  const calls = [...first, ...warm, ...(await Promise.all(loops)).flat()];
  await Promise.all([...clients, ...greedy].map(async (client) => await client.close()));
  return calls;
}
