/** Executions as n8n sends them, from the facts that are counted. */
import type { FakeExecution } from "../../support/fake-n8n.ts";

export interface Made {
  readonly id: number;
  readonly workflowId: string;
  /** The workflow's name at the time of the run. */
  readonly name: string;
  readonly mode: string;
  readonly status: string;
  /** Null while the execution waits in the queue. */
  readonly startedAt: number | null;
  readonly stoppedAt: number | null;
  /** Index into `FAULTS`; null without an error. */
  readonly fault: number | null;
  readonly isByHand: boolean;
  readonly retryOf: number | null;
  readonly parentId: number | null;
  /** The sub-workflow whose failure made this execution fail. */
  readonly childId: number | null;
  readonly items: number;
  readonly isCaught: boolean;
}

export interface Fault {
  readonly node: string;
  readonly name: string;
  /** The class as answers name it. */
  readonly shownClass: string;
  /** @param chance the part that differs from run to run, in quotes */
  readonly message: (chance: number) => string;
  readonly httpCode?: string;
}

/** Some differ only in their text, some only in the class, the HTTP status or the node. */
export const FAULTS: readonly Fault[] = [
  {
    ...{ node: "Call tax", name: "NodeApiError", shownClass: "NodeApiError", httpCode: "503" },
    message: (chance) => `The service refused "order-${chance}"`,
  },
  {
    ...{ node: "Call tax", name: "NodeApiError", shownClass: "NodeApiError", httpCode: "503" },
    message: (chance) => `Nobody is at home for "order-${chance}"`,
  },
  {
    ...{ node: "Call tax", name: "NodeApiError", shownClass: "NodeApiError", httpCode: "429" },
    message: (chance) => `The service refused "order-${chance}"`,
  },
  {
    ...{ node: "Store", name: "TypeError", shownClass: "TypeError" },
    message: (chance) => `The service refused "order-${chance}"`,
  },
  {
    ...{ node: "Store", name: "AnErrorOfTheirOwn", shownClass: "other" },
    message: () => "duplicate key",
  },
];

export const hasEnded = ({ status }: { readonly status: string }): boolean =>
  !["new", "running", "waiting"].includes(status);

const CALL = "Call sub-workflow";

const lastNodeOf = ({ isCaught }: Made): string => (isCaught ? "Careful" : "Work");

/** A crash leaves no error: the execution ended in the node that ran last. */
export function failingNodeOf(made: Made): string | null {
  if (made.fault === null) return made.status === "crashed" ? lastNodeOf(made) : null;
  return made.childId === null ? (FAULTS[made.fault]?.node ?? null) : CALL;
}

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

const run = (executionIndex: number, sends: object): object => ({
  ...{ startTime: 1, executionTime: 1, executionIndex, executionStatus: "success", source: [] },
  ...sends,
});

const itemsOf = (count: number, json: unknown = { n: 1 }): object => ({
  data: { main: [Array.from({ length: count }, () => ({ json }))] },
});

function errorOf(made: Made, workflowOfChild: string | undefined): object | null {
  if (made.status === "canceled")
    return {
      name: made.isByHand ? "ManualExecutionCancelledError" : "TimeoutExecutionCancelledError",
      message: "The execution was cancelled",
    };
  const fault = made.fault === null ? undefined : FAULTS[made.fault];
  if (fault === undefined) return null;
  const { name, message, httpCode } = fault;
  const child =
    made.childId === null ? {} : { executionId: String(made.childId), workflowId: workflowOfChild };
  return {
    ...{ name, message: message(made.id), node: { name: failingNodeOf(made) }, ...child },
    ...(httpCode === undefined ? {} : { httpCode }),
  };
}

/** @param workflowOf finds the workflow of another execution */
export function toN8n(made: Made, workflowOf: (id: number) => string | undefined): FakeExecution {
  const failing = failingNodeOf(made);
  const error = errorOf(made, made.childId === null ? undefined : workflowOf(made.childId));
  const last = failing ?? lastNodeOf(made);
  const runData = {
    Start: [run(0, itemsOf(1))],
    Work: [run(1, itemsOf(made.items))],
    ...(made.isCaught ? { Careful: [run(2, itemsOf(1, { error: "refused" }))] } : {}),
    ...(failing === null || made.fault === null
      ? {}
      : { [failing]: [run(3, { executionStatus: "error", error })] }),
  };
  const parent =
    made.parentId === null
      ? {}
      : {
          parentExecution: { executionId: String(made.parentId), workflowId: workflowOf(made.parentId) },
        };
  const resultData = {
    runData: made.status === "new" ? {} : runData,
    ...(error === null ? {} : { error }),
    lastNodeExecuted: last,
  };
  const nodes = Object.keys(runData).map((name) => ({
    name,
    type: name === CALL ? "n8n-nodes-base.executeWorkflow" : "n8n-nodes-base.code",
    ...(name === "Careful" ? { onError: "continueRegularOutput" } : {}),
  }));
  return {
    ...{ id: String(made.id), workflowId: made.workflowId, mode: made.mode, status: made.status },
    startedAt: iso(made.startedAt),
    stoppedAt: iso(made.stoppedAt),
    waitTill: made.status === "waiting" ? "3000-01-01T00:00:00.000Z" : null,
    retryOf: made.retryOf === null ? null : String(made.retryOf),
    isQueued: made.status === "new",
    workflowData: { id: made.workflowId, name: made.name, nodes },
    data: { ...parent, resultData },
    customData: {},
  };
}

/** The items of all node runs. */
export const itemsIn = (made: Made): number =>
  made.status === "new" ? 0 : 1 + made.items + (made.isCaught ? 1 : 0);
