/**
 * Posting to a webhook without an account does not falsify answers: a failure stays reported whatever is sent
 * after it, a body that imitates n8n is not believed, nobody joins another request's tree, and a payload that is too large
 * to be read affects only its own execution.
 */
import * as z from "zod";
import type { AgentClient } from "../../support/agent-client.ts";
import { same } from "../trace-checks.ts";
import { ask, createSecrets, demand, post, type SafetyLane } from "./lane.ts";
import { safetyPaths } from "./seed.ts";

const traced = z.looseObject({
  outcome: z.string(),
  failure: z.looseObject({ executionId: z.string() }).nullable(),
  executions: z.array(z.looseObject({ id: z.string(), role: z.string() })),
  coverage: z.looseObject({ complete: z.boolean() }),
});
const explained = z.looseObject({ executionId: z.string() });

/** More ids and levels than are read of one execution. */
const MANY_IDS = 1_200;
const MANY_LEVELS = 300;

const random = createSecrets(112);
const newRequestId = (): string => `req-stranger-${random.word(12)}`;

async function trace(client: AgentClient, requestId: string) {
  const { envelope } = await ask(client, "trace_request", { requestId });
  return { message: envelope.message ?? "", data: traced.parse(envelope.data) };
}

/** @returns the execution's id */
async function pass(lane: SafetyLane, body: unknown): Promise<string> {
  const [id] = await post(lane, safetyPaths.gate, body);
  return id;
}

async function fail(lane: SafetyLane, requestId: string): Promise<string> {
  const [id] = await post(lane, safetyPaths.gate, { requestId, isRefused: true }, { outcome: "error" });
  return id;
}

export async function checkHiddenFailures(lane: SafetyLane): Promise<string> {
  const [again, elsewhere, between] = [newRequestId(), newRequestId(), newRequestId()];
  const failedFirst = await fail(lane, again);
  await pass(lane, { requestId: again });
  const failedHere = await fail(lane, elsewhere);
  await post(lane, safetyPaths.keep, { requestId: elsewhere });
  await pass(lane, { requestId: between });
  const failedBetween = await fail(lane, between);
  await pass(lane, { requestId: between });
  for (const client of [lane.data, lane.read]) {
    for (const [requestId, failedId] of [
      [again, failedFirst],
      [elsewhere, failedHere],
      [between, failedBetween],
    ] as const) {
      const { message, data } = await trace(client, requestId);
      same(`the failure of ${requestId}`, data.failure?.executionId, failedId);
      demand(/failed/.test(message), "the sentence tells the failure", message);
      const { envelope } = await ask(client, "explain_failure", { requestId });
      same("what is explained", explained.parse(envelope.data).executionId, failedId);
    }
    const { message } = await trace(client, again);
    demand(/succeeded when it was sent again/.test(message), "the sentence tells the later success", message);
    const ofAnother = await trace(client, elsewhere);
    demand(!/sent again/.test(ofAnother.message), "another workflow's success is none", ofAnother.message);
  }
  return "3 requests whose failures later successes do not hide";
}

export async function checkBorrowedWords(lane: SafetyLane): Promise<string> {
  const bodies = [
    { error: { message: "Agent stopped due to max iterations", name: "NodeApiError", httpCode: "500" } },
    { output: "Agent stopped due to max iterations." },
    { status: "canceled", message: "This execution was canceled" },
  ];
  for (const body of bodies) {
    const [executionId] = await post(lane, safetyPaths.keep, body);
    const { envelope } = await ask(lane.data, "explain_failure", { executionId });
    const message = envelope.message ?? "";
    const isBelieved =
      /max iterations|canceled|NodeApiError|failed/i.test(message) && !/its output says/.test(message);
    demand(!isBelieved, "a body's own words are not believed", message);
  }
  return `${bodies.length} bodies that speak like n8n`;
}

export async function checkUninvited(lane: SafetyLane): Promise<string> {
  const requestId = newRequestId();
  const victim = await pass(lane, { requestId });
  const strangers = [
    { executionId: victim, parentExecution: { executionId: victim } },
    { mcpToolCall: { toolName: "find", arguments: {}, executionId: victim }, executionId: Number(victim) },
    { execution: { id: victim, retryOf: victim }, workflow: { id: lane.workflows.gate } },
  ];
  for (const body of strangers) await post(lane, safetyPaths.keep, body);
  const { data } = await trace(lane.data, requestId);
  same(
    "whose executions these are",
    data.executions.map(({ id }) => id),
    [victim],
  );
  // An id that equals an execution's number: the request with that id is traced, and the execution is mentioned.
  const numbered = await pass(lane, { requestId: victim });
  const ofNumber = await trace(lane.data, victim);
  demand(
    ofNumber.data.executions.some(({ id }) => id === numbered) || ofNumber.message.includes(victim),
    "an id that is a number is told as such",
    ofNumber,
  );
  return `${strangers.length} bodies that name an execution`;
}

function nested(levels: number): unknown {
  let value: unknown = { requestId: newRequestId() };
  for (let level = 0; level < levels; level += 1) value = { inner: value };
  return value;
}

export async function checkPoison(lane: SafetyLane): Promise<string> {
  const [before, after] = [newRequestId(), newRequestId()];
  const own = newRequestId();
  const first = await pass(lane, { requestId: before });
  const items = Array.from({ length: MANY_IDS }, () => ({ requestId: newRequestId() }));
  await post(lane, safetyPaths.keep, { requestId: own, items });
  await post(lane, safetyPaths.keep, nested(MANY_LEVELS));
  const last = await pass(lane, { requestId: after });
  for (const [requestId, id] of [
    [before, first],
    [after, last],
  ] as const) {
    const { data } = await trace(lane.data, requestId);
    same(
      `who has ${requestId}`,
      data.executions.map((one) => one.id),
      [id],
    );
    same("that all was read", data.coverage.complete, true);
  }
  const { data } = await trace(lane.read, own);
  same("how many have the trigger's own id", data.executions.length, 1);
  return `${MANY_IDS} ids and ${MANY_LEVELS} levels`;
}
