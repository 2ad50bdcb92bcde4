/**
 * Selects the parts of an execution to compare it with another: which nodes ran and how, the fields, types and short
 * texts of each output's first items, and the nodes' settings. To explain it, also the nodes' connections, the
 * workflow's settings, n8n's hints, agents' calls, and the causes of errors.
 *
 * Promises: each part has its own bounds, however large the execution is, so that payload never takes the room of
 * names and parameters. A plan counts what it admits, so each read needs a new plan.
 */
import {
  type Ancestor,
  inside,
  levels,
  type PlanOrChoice,
  plansOf,
  type ReadBounds,
  type ReadPlan,
  throughout,
} from "../json/bounded-reader.ts";
import {
  CALLS,
  executionWith,
  jsonOfModel,
  jsonOfTool,
  MAX_VALUES,
  outputsOf,
  runsOf,
  runWith,
  WAITING,
} from "./read-plans.ts";

/** Items read of a node's first run; of later runs, only the first is read. */
const COMPARED_ITEMS = 3;
/** The failing item may be one in the middle. */
const EXPLAINED_ITEMS = 25;
/** In a loop, the hundredth run does nothing that earlier ones did not do. */
const RUNS_WITH_ITEMS = 20;
const MAX_RUNS_OF_NODE = 200;
const MAX_RUNS = 5_000;
/** A comparison counts all runs of an execution up to this many, because a loop often fails at its end. */
const MAX_COUNTED_RUNS = 10_000;
const MAX_VALUES_OF_COUNTED_RUN = 12;
const MAX_NODES = 2_000;
const MAX_OUTPUTS = 50;

/** Objects and lists: in one item, and in all items together. */
const MAX_CONTAINERS_OF_ITEM = 150;
const MAX_CONTAINERS = 5_000;
/** The first of them, up to this many, keep their texts, too. */
const MAX_CONTAINERS_WITH_TEXT = 1_000;
const MAX_MEMBERS = 100;
/** An item's `json` and the levels below it. */
const MAX_JSON_DEPTH = 9;
/** All kept texts together: the most that payload can take, plus the parameters. */
const MAX_KEPT_BYTES = 12 * 1024 * 1024;
/** Everything that the plan's own counts admit, plus the structure around it. */
const MAX_VALUES_OF_ONE =
  MAX_CONTAINERS * MAX_MEMBERS + MAX_COUNTED_RUNS * MAX_VALUES_OF_COUNTED_RUN + MAX_VALUES;

/** Enough for the code of a node. */
const SETTING = throughout({ to: 5_000, maxMembers: 5_000, maxStringBytes: 16_000 });
/** Bounds the nodes that have connections, and the targets of each. */
const CONNECTIONS = throughout({ to: 500, maxMembers: 5_000, maxStringBytes: 300 });
const HINTS = throughout({ to: 5, maxMembers: 10, maxStringBytes: 300 });
/** n8n keeps one for each try, and one for each level of the thrown error. */
const MESSAGES = throughout({ to: 5, maxStringBytes: 1_000 });
/** Of a request's body, only the lengths of its lists are needed. */
const REQUEST: ReadPlan = { members: plansOf({ body: { to: 0, maxMembers: 20, maxStringBytes: 0 } }) };
const ANSWER = levels(5, { to: 10, maxMembers: 20, maxStringBytes: 500 });
const ERROR: ReadPlan = {
  ...inside({}),
  members: plansOf({ messages: MESSAGES, context: { members: plansOf({ request: REQUEST, data: ANSWER }) } }),
};
/** Of outputs pinned in the editor, only the names of their nodes. */
const PINNED: ReadPlan = { maxMembers: MAX_NODES, maxStringBytes: 0 };
/** The first one is the node that is running or would have run next. */
const NEXT_NODES: ReadPlan = {
  members: plansOf({
    nodeExecutionStack: { to: 3, items: { members: plansOf({ node: {}, metadata: WAITING }) } },
  }),
};

/** Keeps a file's kind and size (`fileType`, `fileSize`), which are short, but neither its content nor its path. */
const FILE: ReadPlan = { maxMembers: 12, maxStringBytes: 7 };
/** `{ item, input }`, or a list of these. */
const PAIR: ReadPlan = { to: 2, maxMembers: 4, maxStringBytes: 0, items: { maxMembers: 4 } };

/** The execution that a node called for an item. */
const ITEM_CALLS = { metadata: { members: plansOf({ subExecution: {} }) } };

/** Plans for the containers in items. They admit none once too many have been read. */
interface Payload {
  readonly item: PlanOrChoice;
  /** Any container below an item's `json`. */
  readonly inItem: PlanOrChoice;
}

function payload(hasItemCalls = false): Payload {
  let containers = 0;
  let ofItem = 0;
  const countedIn = (below: PlanOrChoice): PlanOrChoice => {
    const plan: ReadPlan = { to: 5, maxMembers: MAX_MEMBERS, maxStringBytes: 400, ...inside(below) };
    const withoutText: ReadPlan = { ...plan, maxStringBytes: 0 };
    return () => {
      containers += 1;
      ofItem += 1;
      if (containers > MAX_CONTAINERS || ofItem > MAX_CONTAINERS_OF_ITEM) return null;
      return containers > MAX_CONTAINERS_WITH_TEXT ? withoutText : plan;
    };
  };
  let inItem: PlanOrChoice = null;
  for (let depth = 1; depth < MAX_JSON_DEPTH; depth += 1) inItem = countedIn(inItem);
  const pairedItem = (): ReadPlan | null => (containers > MAX_CONTAINERS ? null : PAIR);
  const item: ReadPlan = {
    members: plansOf({
      json: countedIn(inItem),
      binary: countedIn(FILE),
      pairedItem,
      ...(hasItemCalls && ITEM_CALLS),
    }),
  };
  const beginItem = (): ReadPlan => {
    ofItem = 0;
    return item;
  };
  return { item: beginItem, inItem };
}

/** Reads `itemsOfFirst` items of a node's first run, and one of each later run. */
const itemsOfRuns =
  (itemsOfFirst: number, item: PlanOrChoice, runsWithItems = RUNS_WITH_ITEMS) =>
  (ancestor: Ancestor): ReadPlan => {
    const run = Number(ancestor(3));
    const itemsOfLater = run < runsWithItems ? 1 : 0;
    return { to: run === 0 ? itemsOfFirst : itemsOfLater, items: item };
  };

const comparedRun = ({ item }: Payload): ReadPlan =>
  runWith({
    data: { otherMembers: { to: MAX_OUTPUTS, items: itemsOfRuns(COMPARED_ITEMS, item) } },
    inputOverride: null,
    error: inside({ to: 50 }),
  });

/** How a run ended, and how many items it sent. */
const COUNTED_RUN: ReadPlan = { members: plansOf({ data: outputsOf(null), error: { maxStringBytes: 0 } }) };

/** The outputs of models and tools show what an agent did, so they are read for every run. */
function explainedRun({ item, inItem }: Payload): ReadPlan {
  const callsWith = (json: PlanOrChoice): ReadPlan => ({
    items: itemsOfRuns(EXPLAINED_ITEMS, { members: plansOf({ json }) }, Number.POSITIVE_INFINITY),
  });
  const ofModels = callsWith(jsonOfModel(inItem));
  const ofOthers = { to: MAX_OUTPUTS, items: itemsOfRuns(EXPLAINED_ITEMS, item) };
  const data: ReadPlan = {
    isPayload: true,
    members: plansOf({ ai_tool: callsWith(jsonOfTool) }),
    otherMembers: (ancestor) => (String(ancestor(0)).startsWith("ai_") ? ofModels : ofOthers),
  };
  return runWith({ data, inputOverride: CALLS, error: ERROR, hints: HINTS });
}

interface Choice {
  /** The parts that explain it are read, too. */
  readonly isExplained: boolean;
  /** Every run is read, as `OUTLINE` does. */
  readonly hasEveryRun?: boolean;
  readonly hasItemCalls?: boolean;
}

function planOf({ isExplained, hasEveryRun = false, hasItemCalls }: Choice): ReadPlan {
  const run = isExplained ? explainedRun(payload(hasItemCalls)) : comparedRun(payload());
  const later = isExplained ? null : COUNTED_RUN;
  const runs = { read: 0, counted: 0 };
  const countedRun = (ancestor: Ancestor): ReadPlan | null => {
    const index = Number(ancestor(0));
    // Without its first run, a node would count as one that did not run, or that sent nothing.
    if (index === 0 || (index < MAX_RUNS_OF_NODE && runs.read < MAX_RUNS)) {
      runs.read += 1;
      return run;
    }
    runs.counted += 1;
    return runs.counted <= MAX_COUNTED_RUNS ? later : null;
  };
  const to = isExplained ? MAX_RUNS_OF_NODE : MAX_COUNTED_RUNS;
  const runData = { maxMembers: MAX_NODES, otherMembers: { to, items: countedRun } };
  const compared = {
    runData: hasEveryRun ? runsOf(run) : runData,
    executionData: null,
    node: { parameters: SETTING, credentials: SETTING },
  };
  if (!isExplained) return executionWith(compared);
  const workflow = { connections: CONNECTIONS, settings: CONNECTIONS, pinData: PINNED };
  return executionWith({ ...compared, error: ERROR, executionData: NEXT_NODES, workflow });
}

const boundsOf = (executions: number, plan: ReadPlan): ReadBounds => ({
  maxStringBytes: 2_000,
  maxKeptBytes: executions * MAX_KEPT_BYTES,
  maxArrayItems: 2_000,
  maxDepth: 64,
  maxValues: executions * MAX_VALUES_OF_ONE,
  plan,
});

/** Applies the bounds of one execution to each execution of the list. */
const listOf = (executions: number, choice: Choice): ReadBounds =>
  boundsOf(executions, { members: plansOf({ data: { to: executions, items: () => planOf(choice) } }) });

export const shapes = (): ReadBounds => boundsOf(1, planOf({ isExplained: false }));

export const shapesOfList = (executions: number): ReadBounds => listOf(executions, { isExplained: false });

export const explanation = (): ReadBounds => boundsOf(1, planOf({ isExplained: true }));

/**
 * To explain one execution with every run counted, for a summary that includes the cause.
 * @param hasItemCalls only for callers who may see every execution: what links at items lead to is not checked
 */
export const explainedOutline = (hasItemCalls: boolean): ReadBounds =>
  boundsOf(1, planOf({ isExplained: true, hasEveryRun: true, hasItemCalls }));

export const explanationOfList = (executions: number): ReadBounds =>
  listOf(executions, { isExplained: true });
