/**
 * Which parts of an execution are read, for each purpose: trees in the shape of what n8n's public API answers.
 * What no plan names is counted only: it is bulky, secret, or both.
 */
import {
  inside,
  levels,
  type PlanOrChoice,
  plansOf,
  type ReadBounds,
  type ReadPlan,
  throughout,
  WHOLE,
} from "../json/bounded-reader.ts";

/** More nodes, runs and outputs than any workflow that a person could have drawn. */
export const MAX_VALUES = 200_000;
const MAX_RUNS = 2_000;
const MAX_SHORT_STRING_BYTES = 2_000;
/** No answer of ours needs more text than this from one execution. */
const MAX_KEPT_BYTES = 6 * 1024 * 1024;

/** `<connection type>[output]`, and how its items are read. */
export const outputsOf = (items: PlanOrChoice): ReadPlan => ({ otherMembers: { items } });

/** What hangs on an error and says where and of what kind it is; of each only what stands in it at once. */
const RUN_ERROR: ReadPlan = { members: plansOf({ node: {}, context: {}, failure: {} }) };

/** One run of a node: everything that says what happened, without items. */
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

/**
 * What a running execution was given: unless n8n saves progress, its `runData` is empty until it ends, and its input
 * stands only in `data.executionData.nodeExecutionStack[n].data`.
 */
const pendingWith = (items: PlanOrChoice): ReadPlan => ({
  members: plansOf({
    nodeExecutionStack: { items: { members: plansOf({ node: {}, data: outputsOf(items) }) } },
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

/** An execution: what happened in each node run and how many items there were, and of the named parts what they say. */
export function executionWith(parts: ExecutionParts): ReadPlan {
  const resultData = plansOf({
    runData: parts.runData ?? runsOf(runWith({})),
    // The error of the whole execution carries the failing node with its parameters.
    error: parts.error ?? levels(2),
    redactedError: {},
  });
  const data = plansOf({
    resultData: { members: resultData },
    parentExecution: WHOLE,
    redactionInfo: WHOLE,
    executionData: parts.executionData === undefined ? pendingWith(null) : parts.executionData,
  });
  const nodes = { items: { members: plansOf(parts.node ?? {}) } };
  return {
    members: plansOf({
      data: { members: data },
      workflowData: { members: plansOf({ nodes, ...parts.workflow }) },
      customData: parts.customData === undefined ? WHOLE : parts.customData,
    }),
    otherMembers: WHOLE,
  };
}

const boundsOf = (plan: ReadPlan, maxStringBytes: number): ReadBounds => ({
  maxStringBytes,
  maxKeptBytes: MAX_KEPT_BYTES,
  maxArrayItems: MAX_RUNS,
  maxDepth: 64,
  maxValues: MAX_VALUES,
  plan,
});

/** What happened in each node run and how many items there were, without the items. */
export const OUTLINE: ReadBounds = boundsOf(executionWith({}), MAX_SHORT_STRING_BYTES);

/** One output of one run of a node. */
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

/** The items that `rangeOf` names for each output; the outline of all others. */
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

/** Levels at which a request id may stand in an item, and how much of each list. */
const FIRST_ITEM = firstItem(levels(10, { to: 5 }));

/** Reads the first item of each output, with the start of each list in it. */
export const FIRST_ITEMS: ReadBounds = {
  ...boundsOf(
    executionWith({
      runData: runsOf(runWith({ data: outputsOf(FIRST_ITEM), inputOverride: outputsOf(FIRST_ITEM) })),
    }),
    500,
  ),
  maxKeptBytes: 512 * 1024,
};

/** Enough for an answer that is JSON in a text. */
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

/** What each output of each run looks like: the form of its first item, and how many there were. With a trigger's inputs. */
export const FORMS: ReadBounds = boundsOf(
  executionWith({
    runData: runsOf(
      runWith({ data: outputsOf(firstItem({ ...FORM_OF_LIST, ...inside(formOf(MAX_ANSWER_DEPTH)) })) }),
    ),
    node: { parameters: { members: plansOf({ workflowInputs: WHOLE }) } },
  }),
  MAX_ANSWER_STRING_BYTES,
);

/** Enough to see what a tool was asked for and what it answered. */
const MAX_CALL_STRING_BYTES = 2_000;
/** Levels below an item's `json` at which what a tool was given or answered shows. */
const CALL = inside(levels(7, { to: 20 }));

/** What a model or a memory was given, and a model's settings: prompts whole, again and again, and secrets. */
const PROMPTS = ["messages", "options", "values", "input", "output", "chatHistory"];

/** How the `json` of an item is read that tools, or else models and memories, were given or gave. */
export const jsonOfTool = CALL;
export const jsonOfModel = (prompt: PlanOrChoice): ReadPlan => ({
  ...CALL,
  members: plansOf(Object.fromEntries(PROMPTS.map((part) => [part, prompt]))),
});

/** Reads the first item of each output, without prompts. */
export const CALLS: ReadPlan = {
  members: plansOf({
    // Only what an agent answered, and that stands in the item at once.
    main: { items: firstItem({}) },
    ai_tool: { items: firstItem(jsonOfTool) },
  }),
  otherMembers: { items: firstItem(jsonOfModel(null)) },
};
const METADATA_OF_AGENTS: ReadPlan = {
  ...inside(levels(2)),
  // What n8n noted of an agent's passes over its tools, without what they were given.
  members: plansOf({ subNodeExecutionData: { members: plansOf({ metadata: {} }) } }),
};

/** How agents, and whatever else asks models and tools, got on: their calls, without a prompt. */
export const AGENT_RUN: ReadBounds = boundsOf(
  executionWith({
    runData: runsOf(
      runWith({ data: CALLS, inputOverride: CALLS, metadata: METADATA_OF_AGENTS, error: levels(2) }),
    ),
    customData: null,
    // What bounds an agent, and the names of what its tools take: no prompt whole.
    node: { parameters: throughout({ to: 50, maxMembers: 50 }) },
    // How the nodes hang together, and the workflow's time limit.
    workflow: { settings: {}, connections: levels(5) },
  }),
  MAX_CALL_STRING_BYTES,
);
