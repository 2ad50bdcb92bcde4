/**
 * Executions and workflows as n8n 2.41 to 3.0 returns them. NOT RECORDED: written by hand from n8n's sources, as none
 * of them can be produced on the versions that the tests run. Each names its source. All data is made up.
 */
import { type FakeExecution, fakeExecution, webhookData } from "./fake-n8n.ts";

/** n8n 2.41.1, n8n-workflow `constants`: `WAIT_FOR_SUB_EXECUTION` and `WAIT_INDEFINITELY`. */
export const WAIT_FOR_SUB_EXECUTION = "2999-12-31T00:00:00.000Z";
export const WAIT_INDEFINITELY = "3000-01-01T00:00:00.000Z";

/** n8n 2.41.1, `executions/execution-id`: the ids of engine v2 are UUIDs of version 7. */
export const ENGINE_V2_ID = "0199c5a2-7f3e-7cc1-9d2b-5f6a7b8c9d0e";

const CALL = { name: "Call", type: "n8n-nodes-base.executeWorkflow", parameters: {} };

const calling = (name: string) => ({ name, nodes: [CALL], connections: {} });

/** n8n 2.41.1, n8n-core `base-execute-context`, `executeWorkflow`: the child waits, so its parent does. */
export const parentThatWaits = (id: number, childId: string, requestId: string): FakeExecution =>
  fakeExecution(id, requestId, {
    status: "waiting",
    waitTill: WAIT_FOR_SUB_EXECUTION,
    workflowData: calling("orders"),
    data: {
      version: 1,
      ...(webhookData({ body: { requestId } }) as object),
      executionData: {
        nodeExecutionStack: [
          {
            node: CALL,
            data: { main: [[{ json: { requestId } }]] },
            source: null,
            metadata: { waitingChildExecutionIds: [childId] },
          },
        ],
      },
    },
  });

/** The same up to n8n 2.40: until the year 3000, and without a link. */
export const parentThatWaitsBefore = (id: number, requestId: string): FakeExecution =>
  fakeExecution(id, requestId, {
    status: "waiting",
    waitTill: WAIT_INDEFINITELY,
    workflowData: calling("orders"),
    data: {
      version: 1,
      resultData: { runData: {}, lastNodeExecuted: "Call" },
      executionData: { nodeExecutionStack: [{ node: CALL, data: { main: [[{ json: { requestId } }]] } }] },
    },
  });

/** n8n 2.41.1, `errors/max-stalled-count.error` and `workflow-runner`, `processError`: no class, no data. */
export const STALLED_ERROR = {
  level: "warning",
  tags: {},
  message:
    "This execution failed to be processed too many times and will no longer retry. To allow this execution to complete, please break down your workflow or scale up your workers or adjust your worker settings.",
};

/** n8n 2.40.5, n8n-workflow `interfaces`: `RelatedAgentRun`. */
export const PARENT_AGENT_RUN = {
  agentId: "agent1",
  projectId: "project1",
  threadId: "telegram:planted-number",
  runId: "run1",
  toolCallId: "call_1",
};
