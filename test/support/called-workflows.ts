/** Executions that call others, and the answers of `trace_request` about them. */
import * as z from "zod";
import { createCaller } from "./call-recorded.ts";
import { dataOf } from "./envelopes.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, fakeExecution } from "./fake-n8n.ts";

const traceAnswer = z.looseObject({
  outcome: z.string(),
  startedAt: z.string().nullable(),
  failure: z.looseObject({ executionId: z.string(), message: z.string() }).nullable(),
  executions: z.array(z.looseObject({ id: z.string(), status: z.string(), role: z.string() })),
  coverage: z.looseObject({ complete: z.boolean() }),
  _guidance: z.object({ message: z.string(), example: z.string() }),
});

export const NODES = [
  { name: "Webhook", type: "n8n-nodes-base.webhook", parameters: {} },
  { name: "Call", type: "n8n-nodes-base.executeWorkflow", parameters: {} },
  { name: "Send", type: "n8n-nodes-base.httpRequest", parameters: {} },
];
export const CONNECTIONS = {
  Webhook: { main: [[{ node: "Call", type: "main", index: 0 }]] },
  Call: { main: [[{ node: "Send", type: "main", index: 0 }]] },
};
const run = (index: number, more: object, json: unknown) => ({
  startTime: 1,
  executionTime: 1,
  executionIndex: index,
  executionStatus: "success",
  source: index === 0 ? [] : [{ previousNode: NODES[index - 1]?.name }],
  data: { main: [[{ json }]] },
  ...more,
});

/** A webhook that calls sub-workflow executions and then sends something. */
export function entry(
  id: number,
  requestId: string,
  childId: number | null,
  facts: Record<string, unknown> = {},
  callMore: object = {},
  rest: Record<string, unknown> = {},
): FakeExecution {
  const body = { body: { requestId } };
  const metadata =
    childId === null
      ? {}
      : { metadata: { subExecution: { executionId: String(childId), workflowId: "w2" } } };
  return fakeExecution(id, requestId, {
    workflowData: { id: "w1", name: "orders", nodes: NODES, connections: CONNECTIONS },
    data: {
      resultData: {
        runData: {
          Webhook: [run(0, {}, body)],
          Call: [run(1, { ...metadata, ...callMore }, {})],
          ...((rest.runData as object) ?? { Send: [run(2, {}, {})] }),
        },
        lastNodeExecuted: "Send",
        ...((rest.resultData as object) ?? {}),
      },
    },
    ...facts,
  });
}

export function sub(
  id: number,
  parentId: number,
  json: unknown,
  facts: Record<string, unknown> = {},
  resultMore: object = {},
): FakeExecution {
  return fakeExecution(id, "-", {
    mode: "integrated",
    workflowId: "w2",
    workflowData: {
      id: "w2",
      name: "child",
      nodes: [
        { name: "Start", type: "n8n-nodes-base.executeWorkflowTrigger", parameters: {} },
        { name: "Work", type: "n8n-nodes-base.httpRequest", parameters: {} },
      ],
      connections: { Start: { main: [[{ node: "Work", type: "main", index: 0 }]] } },
    },
    data: {
      parentExecution: { executionId: String(parentId), workflowId: "w1" },
      resultData: {
        runData: { Start: [run(0, {}, json)] },
        lastNodeExecuted: "Start",
        ...resultMore,
      },
    },
    ...facts,
  });
}
export const runOf = run;

/**
 * Traces the request `ID`, or what the arguments say.
 * @throws Error for an error answer, which would prove nothing by what it does not say
 */
export async function traced(n8n: FakeN8n | readonly FakeExecution[], args: object = ID, more: object = {}) {
  const fake = "fetch" in n8n ? n8n : createFakeN8n(n8n);
  const caller = createCaller({ fetch: fake.fetch, ...more });
  const result = await caller.call("trace_request", args);
  if (result.status !== "success") throw new Error(`The trace failed: ${JSON.stringify(result)}`);
  return { message: result.message ?? "", ...dataOf(result, traceAnswer), caller, fake };
}

export const ERR = { status: "error" };
export const ID = { requestId: "req-1" };
const nodeError = (message: string) => ({ message, name: "NodeApiError" });
export const failedAt = (node: string, message: string) => ({
  lastNodeExecuted: node,
  error: { ...nodeError(message), node: { name: node, type: "n8n-nodes-base.httpRequest" } },
});
export const failedRun = (index: number, message: string) =>
  runOf(index, { executionStatus: "error", error: nodeError(message), data: undefined }, {});
export const goesOn = (node: string, name = "orders") => ({
  id: name,
  name,
  nodes: NODES.map((n) => (n.name === node ? { ...n, onError: "continueRegularOutput" } : n)),
  connections: {},
});
/** A successful execution whose "Send" swallowed an error. */
export const swallows = (
  id: number,
  requestId: string,
  name: string,
  error: string,
  childId: number | null = null,
) =>
  entry(
    id,
    requestId,
    childId,
    { workflowId: name, workflowData: goesOn("Send", name) },
    {},
    {
      runData: { Send: [runOf(2, { data: { main: [[{ json: { error } }]] } }, {})] },
    },
  );
export const failedChild = (id: number, parentId: number, message = "optional lookup failed") =>
  sub(id, parentId, ID, ERR, {
    runData: { Start: [runOf(0, {}, ID)], Work: [failedRun(1, message)] },
    ...failedAt("Work", message),
  });

export const failedEntry = (
  id: number,
  requestId: string,
  childId: number | null = null,
  node = "Send",
  facts: Record<string, unknown> = {},
): FakeExecution =>
  entry(
    id,
    requestId,
    childId,
    { ...ERR, ...facts },
    {},
    { runData: { [node]: [failedRun(2, "refused")] }, resultData: failedAt(node, "refused") },
  );

/** The same execution without its request id at a known path. */
export const withoutId = (one: FakeExecution): FakeExecution => ({
  ...one,
  data: JSON.parse(JSON.stringify(one.data).replaceAll("requestId", "order")),
});

/** An execution of an error workflow, which may call a sub-workflow in turn. */
export const errorRun = (
  id: number,
  failedId: number,
  json: unknown,
  facts: Record<string, unknown> = {},
  childId: number | null = null,
): FakeExecution => {
  const call = { metadata: { subExecution: { executionId: String(childId), workflowId: "w2" } } };
  return fakeExecution(id, "-", {
    mode: "error",
    workflowId: "w9",
    workflowData: {
      id: "w9",
      name: "On error",
      nodes: [{ name: "Trigger", type: "n8n-nodes-base.errorTrigger" }, NODES[1]],
    },
    data: {
      parentExecution: { executionId: String(failedId), workflowId: "w1" },
      resultData: {
        runData: {
          Trigger: [runOf(0, {}, json)],
          ...(childId === null ? {} : { Call: [runOf(1, call, {})] }),
        },
        lastNodeExecuted: "Trigger",
      },
    },
    ...facts,
  });
};
