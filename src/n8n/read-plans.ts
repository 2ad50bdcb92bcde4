/**
 * The parts of an execution that are read for each purpose: trees in the shape of the public API's answers.
 * Anything that no plan names is only counted: it is bulky, secret, or both.
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
  WHOLE,
} from "../json/bounded-reader.ts";

/** More nodes, runs and outputs than in any workflow that a person could have drawn. */
export const MAX_VALUES = 200_000;
const MAX_RUNS = 2_000;
const MAX_SHORT_STRING_BYTES = 2_000;
/** No answer of ours needs more text than this from one execution. */
const MAX_KEPT_BYTES = 6 * 1024 * 1024;

/** `<connection type>[output]`, with the plan for its items. */
export const outputsOf = (items: PlanOrChoice): ReadPlan => ({ otherMembers: { items } });

/** The parts of an error that show its place and kind; only their direct members are read. */
const RUN_ERROR: ReadPlan = { members: plansOf({ node: {}, context: {}, failure: {} }) };

/** One run of a node: everything that shows what happened, without items. */
export const runWith = (parts: Record<string, PlanOrChoice>): ReadPlan => ({
  members: plansOf({
    data: outputsOf(null),
    inputOverride: outputsOf(null),
    source: WHOLE,
    metadata: WHOLE,
    error: RUN_ERROR,
    ...parts,
  }),
});

/** `runData.<node>[run]` */
export const runsOf = (run: PlanOrChoice): ReadPlan => ({ otherMembers: { items: run } });

/** What a pending node waits for. */
export const WAITING: ReadPlan = { members: plansOf({ waitingChildExecutionIds: { to: 100 } }) };

/**
 * The input of a running execution: unless n8n saves progress, its `runData` is empty until it ends, and its input
 * is only in `data.executionData.nodeExecutionStack[n].data`.
 */
const pendingWith = (items: PlanOrChoice): ReadPlan => ({
  members: plansOf({
    nodeExecutionStack: {
      items: { members: plansOf({ node: {}, data: outputsOf(items), metadata: WAITING }) },
    },
  }),
});

interface ExecutionParts {
  readonly runData?: PlanOrChoice;
  readonly error?: PlanOrChoice;
  readonly executionData?: PlanOrChoice;
  readonly customData?: PlanOrChoice;
  /** The members of a node of the workflow, besides its name and type. */
  readonly node?: Record<string, PlanOrChoice>;
  /** The members of the workflow, besides its nodes. */
  readonly workflow?: Record<string, PlanOrChoice>;
}

/** An execution: what happened in each node run and how many items there were, plus the given parts. */
export function executionWith({
  runData = runsOf(runWith({})),
  // The error of the whole execution carries the failing node with its parameters.
  error = levels(2),
  executionData = pendingWith(null),
  customData = WHOLE,
  node = {},
  workflow = {},
}: ExecutionParts): ReadPlan {
  const data = plansOf({
    resultData: { members: plansOf({ runData, error, redactedError: {} }) },
    parentExecution: WHOLE,
    parentAgentRun: {},
    redactionInfo: WHOLE,
    executionData,
  });
  const nodes = { items: { members: plansOf(node) } };
  return {
    members: plansOf({
      data: { members: data },
      workflowData: { members: plansOf({ nodes, ...workflow }) },
      customData,
    }),
    otherMembers: WHOLE,
  };
}

const boundsOf = (
  plan: ReadPlan,
  maxStringBytes = MAX_SHORT_STRING_BYTES,
  maxKeptBytes = MAX_KEPT_BYTES,
): ReadBounds => ({
  maxStringBytes,
  maxKeptBytes,
  maxArrayItems: MAX_RUNS,
  maxDepth: 64,
  maxValues: MAX_VALUES,
  plan,
});

/** What happened in each node run and how many items there were, without the items. */
export const OUTLINE: ReadBounds = boundsOf(executionWith({}));

/** The request that the failed node sent. */
export const FAILED_REQUEST: ReadBounds = boundsOf(executionWith({ error: levels(3), customData: null }));

export interface OutputPlace {
  readonly nodeName: string;
  readonly run: number;
  readonly output: number;
}

/** Items `from` up to, not including, `to`. */
export interface ItemRange {
  readonly from: number;
  readonly to: number;
}

/** Reads the items that `rangeOf` selects for each output, and the outline of everything else. */
export function itemsOfNodes(
  rangeOf: (place: OutputPlace) => ItemRange | undefined,
  maxStringBytes: number,
): ReadBounds {
  const outputs = outputsOf((ancestor) => {
    const [output, run] = [Number(ancestor(0)), Number(ancestor(3))];
    const range = rangeOf({ nodeName: String(ancestor(4)), run, output });
    return range === undefined ? null : { ...range, items: WHOLE };
  });
  const plan = executionWith({
    runData: runsOf(runWith({ data: outputs, inputOverride: outputs })),
    // The first item of a node that has yet to run is enough: it is the payload.
    executionData: pendingWith({ to: 1, items: WHOLE }),
    node: { parameters: WHOLE },
  });
  return boundsOf(plan, maxStringBytes);
}

/** Reads the `json` of each output's first item. */
const firstItem = (json: PlanOrChoice): ReadPlan => ({ to: 1, items: { members: plansOf({ json }) } });

/** Covers the levels at which a request id may occur in an item, and the start of each list. */
const FIRST_ITEM = firstItem(levels(10, { to: 5 }));

/** Reads the first item of each output, with the start of each list in it. */
export const FIRST_ITEMS: ReadBounds = boundsOf(
  executionWith({
    runData: runsOf(runWith({ data: outputsOf(FIRST_ITEM), inputOverride: outputsOf(FIRST_ITEM) })),
  }),
  500,
  512 * 1024,
);

/** Enough for an answer that is JSON inside a string. */
const MAX_ANSWER_STRING_BYTES = 8_000;
/** Levels below an item's `json` at which an answer's form shows. */
const MAX_ANSWER_DEPTH = 6;
/** Nobody needs more of a list to know its form. */
const FORM_OF_LIST = { to: 20 };

/** Parts of an answer, or of a tool call, in which its form, an error code or wrong fields are reported. */
const FORM_PARTS = "data meta error errors details issues fields missing path arguments".split(" ");

function formOf(depth: number): ReadPlan | null {
  if (depth === 0) return null;
  const below = formOf(depth - 1);
  const members = plansOf(Object.fromEntries(FORM_PARTS.map((part) => [part, below])));
  return { ...FORM_OF_LIST, members, items: below };
}

/** The form of each output's first item in each run, and the number of items. Includes a trigger's inputs. */
export const FORMS: ReadBounds = boundsOf(
  executionWith({
    runData: runsOf(
      runWith({ data: outputsOf(firstItem({ ...FORM_OF_LIST, ...inside(formOf(MAX_ANSWER_DEPTH)) })) }),
    ),
    node: { parameters: { members: plansOf({ workflowInputs: WHOLE }) } },
  }),
  MAX_ANSWER_STRING_BYTES,
);

/** Enough to see a tool's request and its answer. */
const MAX_CALL_STRING_BYTES = 2_000;
/** Levels below an item's `json` at which a tool's input or answer shows. */
const callWith = (to: number): ReadPlan => inside(levels(7, { to }));
const CALL = callWith(20);
/** Of later runs of a tool, only the first entry of each list is read, which leaves room for the nodes after them. */
const LATER_CALL = callWith(1);
const RUNS_WITH_LISTS = 50;

/** The input of a model or memory, and a model's settings: repeated whole prompts, and secrets. */
const PROMPTS = ["messages", "options", "values", "input", "output", "chatHistory"];

/** Plans for the `json` of an item that tools, or models and memories, received or returned. */
export const jsonOfTool = (ancestor: Ancestor): ReadPlan =>
  Number(ancestor(5)) < RUNS_WITH_LISTS ? CALL : LATER_CALL;
export const jsonOfModel = (prompt: PlanOrChoice): ReadPlan => ({
  ...CALL,
  members: plansOf(Object.fromEntries(PROMPTS.map((part) => [part, prompt]))),
});

/** An agent's answer is a direct member of the item's `json`, and the only one of an item that failed. */
const ANSWER: ReadPlan = { members: plansOf({ json: {} }) };
const LATER_ANSWER: ReadPlan = { members: plansOf({ json: { maxMembers: 1, maxStringBytes: 300 } }) };
const MAX_ANSWERS = 20;
/** Of later runs, only the first item is read, so that a loop's first nodes leave later items for other nodes. */
const MAX_RUNS_WITH_ANSWERS = 10;
/** The limit for one execution: every node sends items, and a plan cannot know which nodes are agents. */
const MAX_LATER_ANSWERS = 4_000;

function answers(): PlanOrChoice {
  let later = 0;
  const item = (ancestor: Ancestor): ReadPlan => {
    if (ancestor(0) === 0) return ANSWER;
    later += 1;
    return LATER_ANSWER;
  };
  return (ancestor) => {
    const hasMore = Number(ancestor(3)) < MAX_RUNS_WITH_ANSWERS && later < MAX_LATER_ANSWERS;
    return { to: hasMore ? MAX_ANSWERS : 1, items: item };
  };
}

const callsWith = (answersOfMain: PlanOrChoice): ReadPlan => ({
  isPayload: true,
  members: plansOf({
    main: { items: answersOfMain },
    ai_tool: { items: firstItem(jsonOfTool) },
  }),
  otherMembers: { items: firstItem(jsonOfModel(null)) },
});

/** Reads the first item of each output, without prompts. */
export const CALLS: ReadPlan = callsWith(firstItem({}));
const METADATA_OF_AGENTS: ReadPlan = {
  ...inside(levels(2)),
  // n8n's notes on an agent's rounds of tool calls, without the tools' input.
  members: plansOf({ subNodeExecutionData: { members: plansOf({ metadata: {} }) } }),
};

/** Of this, payload takes at most what is kept of other executions. */
const MAX_KEPT_BYTES_OF_AGENTS = 8 * 1024 * 1024;

/**
 * The calls of agents, and of anything else that uses models and tools, without prompts. Of an agent's later answers,
 * only the start is read. The plan counts what it admits, so each read needs a new plan.
 */
export const agentRunBounds = (): ReadBounds =>
  boundsOf(
    executionWith({
      runData: runsOf(
        runWith({
          data: callsWith(answers()),
          inputOverride: CALLS,
          metadata: METADATA_OF_AGENTS,
          error: { ...levels(2), isPayload: true },
        }),
      ),
      customData: null,
      // An agent's limits and the names of its tools' arguments, but no whole prompt.
      node: { parameters: throughout({ to: 50, maxMembers: 50 }) },
      // The nodes' connections, and the workflow's time limit.
      workflow: { settings: {}, connections: levels(5) },
    }),
    MAX_CALL_STRING_BYTES,
    MAX_KEPT_BYTES_OF_AGENTS,
  );

/** Which nodes ran in each execution of a list, when they began, and how long each run took. */
export const RUN_TIMES: ReadBounds = boundsOf({
  members: plansOf({ data: { items: executionWith({ runData: runsOf({}), executionData: null }) } }),
});
