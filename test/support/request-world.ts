/**
 * A simulated n8n for models of requests: what is sent, called and retried, how it ends, and what n8n 2.40.5
 * records of all that at any moment (as its own `workflow-execute-additional-data.js`, `ExecuteWorkflow.node.js`,
 * `execute-error-workflow.js` and `execution.service.js` do). It shares no code with this server's reading.
 */
import type { FakeExecution } from "./fake-n8n.ts";

export type End = "success" | "error" | "canceled" | "crashed" | "waiting";
/** `caught`: `onError` continues. `tried`: `retryOnFail` with two tries. */
export type CallKind = "awaited" | "caught" | "unawaited" | "tried";

export interface CallPlan {
  readonly kind: CallKind;
  /** False for a node that runs once for each item: n8n names what it calls only at items, and nowhere if it fails. */
  readonly isNamed: boolean;
  readonly flow: FlowPlan;
  /** Another request's id that it passes on. */
  readonly as?: string | undefined;
}
export interface FlowPlan {
  readonly holdsId: boolean;
  readonly isKept: boolean;
  readonly end: End;
  readonly calls: readonly CallPlan[];
  readonly handler: FlowPlan | null;
  readonly retries: readonly RetryPlan[];
}
export interface RetryPlan {
  /** Whether it retries the last retry instead of the first try. */
  readonly isOfLast: boolean;
  readonly isKept: boolean;
  readonly end: End;
  /** The flow of the failed call in this retry. */
  readonly redone: FlowPlan;
}
export interface PostPlan {
  readonly requestId: string;
  readonly workflow: string;
  /** Whether an author of the workflow runs it in n8n's editor, with the data of the request. */
  readonly isInEditor?: boolean;
  readonly flow: FlowPlan;
}
export interface BatchPlan {
  /** Whether its payload lists all ids in one place. */
  readonly listsIds: boolean;
  /** Whether another workflow calls it. */
  readonly isCalled: boolean;
  /** Whether the called workflows return their id. */
  readonly isAnswered?: boolean;
  readonly kind: CallKind;
  readonly isNamed: boolean;
  readonly isKept: boolean;
  readonly end: End;
  readonly items: readonly { readonly requestId: string; readonly flow: FlowPlan }[];
  readonly handler: FlowPlan | null;
  readonly retries: readonly RetryPlan[];
}
export type SendingPlan = PostPlan | BatchPlan;

interface Call {
  readonly node: string;
  readonly called: Made;
  readonly isNamed: boolean;
  /** The call failed, and its node continued. */
  readonly isCaught: boolean;
}

/** One execution. */
export interface Made {
  id: string;
  readonly role: "entry" | "sub_workflow" | "error_handler" | "retry";
  /** Null for a batch, and for executions that it alone caused. */
  readonly requestId: string | null;
  readonly holds: readonly string[];
  readonly workflow: string;
  /** The caller or failed execution; for a retry, that of the retried one. */
  readonly parent: Made | null;
  readonly retryOf: Made | null;
  /** Itself, or the first execution that it retries. */
  readonly firstTry: Made;
  readonly isBatch: boolean;
  readonly isInEditor: boolean;
  readonly isAnswered: boolean;
  readonly isKept: boolean;
  readonly startedAt: number;
  stoppedAt: number;
  status: End;
  /** Its own calls and those taken over from the retried execution, in order. */
  readonly calls: Call[];
  /** The failed node, and the call that failed. */
  failed: { readonly node: string; readonly called: Made | null; readonly isNamed: boolean } | null;
  /** The index of the planned call at which it stopped. */
  step: number;
  mended: Made | null;
  readonly plan: readonly Step[];
}

interface Step extends CallPlan {
  readonly node: string;
  readonly requestId: string | null;
  readonly batch?: BatchPlan;
}

interface Redone {
  readonly step: number;
  readonly flow: FlowPlan;
}

export class RequestWorld {
  readonly all: Made[] = [];
  /** The executions to retry, with their plans. */
  readonly #retried: { made: Made; handler: FlowPlan | null; retries: readonly RetryPlan[] }[] = [];

  constructor(plans: readonly SendingPlan[]) {
    let time = 0;
    for (const plan of plans) {
      const sent = "requestId" in plan ? this.#post(plan, time) : this.#batch(plan, time);
      time = Math.max(sent.startedAt + 700, time + 1);
    }
    let later = this.#end + 1_000;
    for (const { made, handler, retries } of this.#retried) {
      let last = made;
      for (const plan of retries) {
        if (last.status !== "error" && last.status !== "canceled") break;
        last = this.#retry(plan.isOfLast ? last : made, plan, handler, later);
        later = this.#end + 1_000;
      }
    }
    this.all.sort((a, b) => a.startedAt - b.startedAt);
    for (const [index, one] of this.all.entries()) one.id = String(10 + 2 * index);
  }

  get #end(): number {
    return Math.max(0, ...this.all.map(({ stoppedAt }) => stoppedAt));
  }

  /** Each moment at which an execution begins or ends, the last included. */
  get moments(): number[] {
    return [
      ...new Set([...this.all.flatMap(({ startedAt, stoppedAt }) => [startedAt, stoppedAt]), this.#end]),
    ].sort((a, b) => a - b);
  }

  #post({ requestId, workflow, flow, isInEditor = false }: PostPlan, time: number): Made {
    const facts = { role: "entry", workflow, requestId, parent: null } as const;
    return this.#run(flow, stepsOf(flow, requestId), time, facts, { isInEditor });
  }

  #batch(plan: BatchPlan, time: number): Made {
    if (!plan.isCalled)
      return this.#runBatch(plan, time, { role: "entry", workflow: "nightly", parent: null });
    const flow: FlowPlan = { ...plan, end: "success", calls: [], holdsId: false, handler: null, retries: [] };
    const call = {
      kind: "awaited",
      isNamed: true,
      node: "Call",
      requestId: null,
      flow,
      batch: plan,
    } as const;
    return this.#run(flow, [call], time, { role: "entry", workflow: "clock", requestId: null, parent: null });
  }

  #runBatch(
    { items, kind, isNamed, listsIds, isAnswered = false, ...plan }: BatchPlan,
    time: number,
    facts: Pick<Made, "role" | "workflow" | "parent">,
  ): Made {
    const steps = items.map(({ requestId, flow }) => ({ kind, isNamed, flow, requestId, node: "Call" }));
    const holds = listsIds ? items.map(({ requestId }) => requestId) : [];
    const flow = { ...plan, calls: [], holdsId: false };
    return this.#run(flow, steps, time, { ...facts, requestId: null }, { isBatch: true, isAnswered, holds });
  }

  #called(flow: FlowPlan, time: number, parent: Made, requestId: string | null): Made {
    const workflow = `${parent.workflow} > sub`;
    return this.#run(flow, stepsOf(flow, requestId), time, {
      role: "sub_workflow",
      workflow,
      requestId,
      parent,
    });
  }

  #run(
    flow: FlowPlan,
    plan: readonly Step[],
    time: number,
    facts: Pick<Made, "role" | "workflow" | "requestId" | "parent">,
    more: Partial<Made> = {},
  ): Made {
    const { requestId } = facts;
    const made = this.#make({
      ...facts,
      plan,
      holds: flow.holdsId && requestId !== null ? [requestId] : [],
      isKept: flow.isKept,
      startedAt: this.#free(time),
      ...more,
    });
    this.#goOn(made, 0, flow.end, flow.handler);
    if (flow.retries.length > 0) this.#retried.push({ made, handler: flow.handler, retries: flow.retries });
    return made;
  }

  /** No two begin in one millisecond, so ids follow start times. */
  #free(time: number): number {
    let free = time;
    while (this.all.some(({ startedAt }) => startedAt === free)) free += 1;
    return free;
  }

  #make(
    facts: Pick<
      Made,
      "role" | "workflow" | "requestId" | "parent" | "plan" | "holds" | "isKept" | "startedAt"
    > &
      Partial<Made>,
  ): Made {
    const made: Made = {
      id: "",
      retryOf: null,
      isBatch: false,
      isInEditor: false,
      isAnswered: false,
      stoppedAt: facts.startedAt,
      status: "success",
      calls: [],
      failed: null,
      step: 0,
      mended: null,
      ...facts,
      get firstTry(): Made {
        return this.retryOf === null ? this : this.retryOf.firstTry;
      },
    };
    this.all.push(made);
    return made;
  }

  /** @param redone the flow that replaces the failed call */
  #goOn(made: Made, from: number, end: End, handler: FlowPlan | null, redone?: Redone): void {
    let time = made.startedAt + 10;
    for (let step = from; step < made.plan.length; step += 1) {
      const planned = made.plan[step];
      if (planned === undefined) break;
      made.step = step;
      const { holdsId } = planned.flow;
      const flow = step === redone?.step ? { ...redone.flow, holdsId } : planned.flow;
      const after = this.#call(made, { ...planned, flow }, time + 10);
      if (after === null) {
        this.#handle(made, handler);
        return;
      }
      time = after;
    }
    made.step = made.plan.length;
    made.stoppedAt = time + 20;
    made.status = end;
    if (end === "error") made.failed = { node: "Send", called: null, isNamed: true };
    this.#handle(made, handler);
  }

  /** @returns when it continued; null if it did not */
  #call(made: Made, { node, kind, isNamed, flow, requestId, batch }: Step, time: number): number | null {
    let called =
      batch === undefined
        ? this.#called(flow, time, made, requestId)
        : this.#runBatch(batch, time, { role: "sub_workflow", workflow: "nightly", parent: made });
    if (kind === "unawaited") {
      made.calls.push({ node, called, isNamed, isCaught: false });
      return time + 10;
    }
    // n8n waits between tries; the call of the first try is in no run.
    if (kind === "tried" && (called.status === "error" || called.status === "canceled"))
      called = this.#called(
        { ...flow, end: "success", calls: [] },
        called.stoppedAt + 1_000,
        made,
        requestId,
      );
    const { status, stoppedAt } = called;
    if (status === "crashed") {
      made.failed = { node, called, isNamed: false };
      made.status = "crashed";
      made.stoppedAt = stoppedAt;
      return null;
    }
    if (status === "success" || status === "waiting") {
      made.calls.push({ node, called, isNamed, isCaught: false });
      if (status === "success") return stoppedAt + 15;
      made.status = "waiting";
      made.stoppedAt = stoppedAt + 5;
      return null;
    }
    if (kind === "caught") {
      made.calls.push({ node, called, isNamed: false, isCaught: true });
      // KNOWN: `request-causes.ts` distinguishes a caught failure from the cause by time.
      return stoppedAt + 400;
    }
    // A canceled execution leaves no error, and so no id in it.
    made.failed = { node, called, isNamed: isNamed && status === "error" };
    made.status = "error";
    made.stoppedAt = stoppedAt + 15;
    return null;
  }

  #handle(made: Made, handler: FlowPlan | null): void {
    if (made.status !== "error" || handler === null || made.firstTry.role === "error_handler") return;
    const { requestId } = made;
    const steps = stepsOf(handler, requestId);
    const facts = { role: "error_handler", workflow: "on error", requestId, parent: made } as const;
    this.#run(handler, steps, made.stoppedAt + 10, facts);
  }

  #retry(retried: Made, { end, redone, isKept }: RetryPlan, handler: FlowPlan | null, time: number): Made {
    const { workflow, requestId, parent, holds, isBatch, isAnswered, plan, step, calls, failed } = retried;
    const facts = { workflow, requestId, parent, holds, isBatch, isAnswered, plan, isKept };
    // One node run calls for all items, and is repeated as a whole.
    const isOncePerItem = isBatch && plan.some(({ isNamed }) => !isNamed);
    const made = this.#make({
      ...facts,
      role: "retry",
      retryOf: retried,
      startedAt: this.#free(time),
      calls: isOncePerItem ? [] : [...calls],
    });
    const isCall = failed !== null && failed.called !== null;
    this.#goOn(made, isOncePerItem ? 0 : step, end, handler, isCall ? { step, flow: redone } : undefined);
    if (made.status === "success") retried.mended = made;
    return made;
  }
}

const stepsOf = ({ calls }: FlowPlan, requestId: string | null): Step[] =>
  calls.map((call, index) => ({ ...call, node: `Call ${index}`, requestId: call.as ?? requestId }));

const BEGIN = Date.UTC(2026, 0, 1);
export const timeOf = (moment: number): number => BEGIN + moment;
const iso = (moment: number): string => new Date(timeOf(moment)).toISOString();

/** The executions that n8n has at a moment. */
export const recorded = (world: RequestWorld, moment: number): FakeExecution[] =>
  world.all.filter((one) => one.isKept && one.startedAt <= moment).map((one) => recordOf(one, moment));

const nodeOf = (name: string, type: string, more: object = {}) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  parameters: {},
  ...more,
});

function nodesOf({ plan, role, parent, retryOf }: Made): object[] {
  const first = firstNodeOf({ role, parent, retryOf });
  const types = { Webhook: "webhook", Start: "executeWorkflowTrigger", Trigger: "errorTrigger" };
  const calls = new Map(
    plan.map(({ node, kind }) => [
      node,
      nodeOf(node, "executeWorkflow", {
        ...(kind === "caught" ? { onError: "continueRegularOutput" } : {}),
        ...(kind === "tried" ? { retryOnFail: true, maxTries: 2 } : {}),
      }),
    ]),
  );
  return [
    nodeOf(first, types[first]),
    ...(first === "Trigger" ? [nodeOf("Look up", "code")] : []),
    ...calls.values(),
    nodeOf("Send", "httpRequest"),
  ];
}

function firstNodeOf({ role, parent, retryOf }: Pick<Made, "role" | "parent" | "retryOf">) {
  const first = retryOf?.firstTry.role ?? role;
  if (first === "error_handler") return "Trigger" as const;
  return parent === null ? ("Webhook" as const) : ("Start" as const);
}

function inputOf(made: Made): unknown {
  const { holds, parent } = made;
  const first = firstNodeOf(made);
  if (first === "Trigger")
    return {
      execution: { id: parent?.id, mode: "webhook", lastNodeExecuted: parent?.failed?.node },
      workflow: { id: parent?.workflow, name: parent?.workflow },
    };
  if (made.isBatch)
    return {
      body: holds.length === 0 ? { job: "nightly" } : { orders: holds.map((id) => ({ requestId: id })) },
    };
  const [id] = holds;
  const json = id === undefined ? { item: 1 } : { requestId: id };
  return first === "Webhook" ? { body: json } : json;
}

const link = ({ id, workflow }: Made) => ({ executionId: id, workflowId: workflow });

function runOf(index: number, previous: string | undefined, more: object) {
  return {
    startTime: BEGIN + index,
    executionTime: 1,
    executionIndex: index,
    executionStatus: "success",
    source: previous === undefined ? [] : [{ previousNode: previous }],
    ...more,
  };
}
const sends = (json: unknown, metadata?: object) => ({ data: { main: [[{ json, metadata }]] } });

function runsOf(made: Made): Record<string, object[]> {
  const runData: Record<string, object[]> = {};
  let index = 0;
  let previous: string | undefined;
  const add = (node: string, more: object): void => {
    runData[node] = [...(runData[node] ?? []), runOf(index, previous, more)];
    index += 1;
    previous = node;
  };
  const { parent, failed, status } = made;
  const first = firstNodeOf(made);
  const metadata = parent === null ? {} : { metadata: { parentExecution: link(parent) } };
  if (status === "crashed") {
    add(first, { ...metadata, data: { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] } });
    return runData;
  }
  add(first, { ...metadata, ...sends(inputOf(made)) });
  if (first === "Trigger") add("Look up", sends(made.holds.length === 0 ? {} : { requestId: made.holds[0] }));
  for (const { node, called, isNamed, isCaught } of made.calls) {
    // A batch calls all in one run.
    if (made.isBatch && !isNamed && failed?.node === node) continue;
    const answer = made.isAnswered && called.status === "success" ? { requestId: called.requestId } : {};
    const json = isCaught ? { error: "It failed" } : answer;
    const count = { subExecutionsCount: 1 };
    const subExecution = link(called);
    if (isCaught) add(node, sends(json, called.status === "error" ? { subExecution, ...count } : undefined));
    else if (isNamed) add(node, { metadata: { subExecution, ...count }, ...sends(json) });
    else add(node, { metadata: count, ...sends(json, { subExecution }) });
  }
  if (failed !== null) add(failed.node, { executionStatus: "error", error: errorOf(made) });
  else if (status === "success") add("Send", sends({ ok: true }));
  return runData;
}

function errorOf({ failed }: Made): object | undefined {
  if (failed === null) return undefined;
  const { node, called, isNamed } = failed;
  if (called === null)
    return { message: "Refused", name: "NodeApiError", httpCode: "402", node: nodeOf(node, "httpRequest") };
  if (!isNamed)
    return called.status === "error"
      ? {
          message: "Error executing workflow with item at index 0",
          name: "NodeOperationError",
          node: nodeOf(node, "executeWorkflow"),
        }
      : { message: "An error occurred", name: "Error" };
  // The caller's error repeats the node that failed below.
  return {
    message: "Refused",
    name: "NodeApiError",
    httpCode: "402",
    node: nodeOf("Send", "httpRequest"),
    ...link(called),
  };
}

function recordOf(made: Made, moment: number): FakeExecution {
  const { id, workflow, startedAt, stoppedAt, retryOf, mended, parent, role } = made;
  const isRunning = stoppedAt > moment;
  const status = isRunning ? "running" : made.status;
  const modes = { entry: "webhook", sub_workflow: "integrated", error_handler: "error", retry: "retry" };
  const hasPending = isRunning || status === "crashed";
  const first = firstNodeOf(made);
  const pending = { node: nodeOf(first, "webhook"), data: { main: [[{ json: inputOf(made) }]] } };
  const error = status === "crashed" ? { name: "WorkflowCrashedError", message: "Crashed" } : errorOf(made);
  // A running execution has its input, and a retry also the runs it took over.
  const isStarted = !isRunning || retryOf !== null;
  const before: Made = {
    ...made,
    calls: made.calls.filter(({ called }) => called.startedAt < startedAt),
    failed: null,
    status: "waiting",
  };
  const runData = !isStarted ? {} : runsOf(isRunning ? before : made);
  return {
    id,
    workflowId: workflow,
    status,
    mode: made.isInEditor ? "manual" : modes[role],
    startedAt: iso(startedAt),
    stoppedAt: isRunning ? null : iso(stoppedAt),
    ...(status === "waiting" ? { waitTill: "3000-01-01T00:00:00.000Z" } : {}),
    retryOf: retryOf?.id ?? null,
    retrySuccessId: mended !== null && mended.stoppedAt <= moment ? mended.id : null,
    workflowData: { id: workflow, name: workflow, nodes: nodesOf(made), connections: {} },
    data: {
      ...(parent === null ? {} : { parentExecution: link(parent) }),
      resultData: {
        runData,
        ...(isRunning ? {} : { lastNodeExecuted: made.failed?.node ?? Object.keys(runData).at(-1) }),
        ...(isRunning || error === undefined ? {} : { error }),
      },
      ...(hasPending ? { executionData: { nodeExecutionStack: [pending] } } : {}),
    },
    customData: {},
  };
}
