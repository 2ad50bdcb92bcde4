/**
 * The layout of an execution as n8n sends it: which containers a walk enters, and what it reports there. Everything
 * else is skipped.
 */
import { type Guide, guideThroughout } from "../json/walk-guide.ts";

const membersOf = (members: Record<string, Guide>): ReadonlyMap<string, Guide> =>
  new Map(Object.entries(members));

const named = (place: string, ...keys: readonly string[]): Guide => ({
  place,
  scalars: "named",
  named: new Set(keys),
});

/** Everything that identifies an error, without its stack. */
function errorGuide(place: string, ...more: readonly string[]): Guide {
  return {
    ...named(place, "message", "name", "description", "code", "httpCode", "lineNumber", ...more),
    isReported: true,
    members: membersOf({
      context: {
        ...named(`${place} context`, "type"),
        members: membersOf({ request: named(`${place} request`, "uri") }),
      },
      failure: named(`${place} failure`, "cause"),
      node: named(`${place} node`, "name"),
    }),
  };
}

/** A failed sub-workflow call names the called execution in its error. */
const RUN_ERROR = errorGuide("error", "executionId");
const RESULT_ERROR = errorGuide("resultError", "executionId");
const REDACTED_ERROR: Guide = named("redactedError", "type", "httpCode");

/** The workflow's nodes at the time of the run. Read only if their types or settings are needed. */
const NODES: Guide = {
  place: "nodes",
  isOptional: true,
  items: { ...named("node", "name", "type", "onError", "continueOnFail"), isReported: true },
};

const facts = (place: string): Guide => ({ place, scalars: "all" });

/** A value of any shape: its wanted scalars are reported, and its bytes if there is room. */
const payload = (place: string): Guide => ({
  ...guideThroughout({ place, scalars: "wanted" }),
  isGathered: true,
});

/** A part of an item's `json` in which these keys are facts, too. */
const factsInPayload = (place: string, ...keys: readonly string[]): Guide => ({
  ...payload("payload"),
  ...named(place, ...keys),
  scalars: "wanted",
  isGathered: false,
});

/**
 * An item's `json` as a run sent it, with the facts in it: the Error Trigger's `execution.id`, a caught error, and
 * facts of the connection type.
 */
const outputJson = (more: Record<string, Guide> = {}): Guide => ({
  ...payload("payload"),
  ...named("sent json", "error"),
  scalars: "wanted",
  members: membersOf({
    execution: factsInPayload("execution in payload", "id"),
    error: { ...factsInPayload("caught"), isReported: true },
    mcpToolCall: { ...factsInPayload("mcp call"), isReported: true },
    ...more,
  }),
});

/** A tool reports its failure to its agent in words. */
const TOOL_JSON: Guide = { ...outputJson(), named: new Set(["error", "response"]) };

/** The options given to the provider's library. A failed call has them in its output. */
const MODEL_OPTIONS = factsInPayload("model options", "model", "modelName");

const MODEL_JSON = outputJson({
  options: MODEL_OPTIONS,
  tokenUsage: factsInPayload("tokens", "promptTokens", "completionTokens"),
  tokenUsageEstimate: factsInPayload("estimatedTokens", "promptTokens", "completionTokens"),
});

/** A node that calls a workflow once for each item names each call only here; a caught call also counts it here. */
const ITEM_METADATA: Guide = {
  ...named("item metadata", "subExecutionsCount"),
  isReported: true,
  members: membersOf({ subExecution: facts("item call") }),
};

function outputs(json: Guide, more: { readonly place?: string; readonly areCounted?: boolean } = {}): Guide {
  const { place, areCounted = false } = more;
  const item: Guide = {
    place: "item",
    members: membersOf(areCounted ? { json, metadata: ITEM_METADATA } : { json }),
  };
  const items: Guide = { place: "items", items: item, isReported: areCounted };
  return { place: place ?? "outputs", isReported: place !== undefined, items };
}

/** A run's output, by connection type. */
const OUTPUT: Guide = {
  place: "connections",
  members: membersOf({
    ai_languageModel: outputs(MODEL_JSON, { place: "model outputs", areCounted: true }),
    ai_tool: outputs(TOOL_JSON, { place: "tool outputs", areCounted: true }),
  }),
  otherMembers: outputs(outputJson(), { areCounted: true }),
};

/** A run's input, if no earlier run sent it. */
const INPUT: Guide = {
  place: "connections",
  members: membersOf({
    ai_languageModel: outputs(
      { ...payload("payload"), members: membersOf({ options: MODEL_OPTIONS }) },
      { place: "model outputs" },
    ),
    ai_tool: outputs(payload("payload"), { place: "tool outputs" }),
  }),
  otherMembers: outputs(payload("payload")),
};

const RUN: Guide = {
  ...named("run", "executionIndex", "startTime", "executionStatus"),
  isReported: true,
  members: membersOf({
    data: OUTPUT,
    inputOverride: INPUT,
    metadata: {
      ...named("run metadata", "subExecutionsCount"),
      members: membersOf({
        subExecution: facts("subExecution"),
        // n8n 1.x has it only here, on the first run.
        parentExecution: facts("runParent"),
      }),
    },
    error: RUN_ERROR,
  }),
};

/** A running execution often has no runs yet; its input is here. */
const PENDING_NODE: Guide = {
  place: "pending",
  isReported: true,
  members: membersOf({
    node: named("pendingNode", "name"),
    data: { place: "connections", otherMembers: outputs(payload("pendingPayload")) },
    // Since n8n 2.41: the executions that a waiting node has called.
    metadata: {
      place: "metadata",
      members: membersOf({ waitingChildExecutionIds: facts("waitingChild") }),
    },
  }),
};

/** n8n keeps its values short, and any of them may be the id searched for, so all are reported. */
const CUSTOM_DATA: Guide = { ...payload("customData"), scalars: "all" };

/** Custom data inside the execution's data, which has it earlier: n8n stores custom data only after the end. */
const METADATA: Guide = { ...payload("metadata"), scalars: "all" };

const DATA: Guide = {
  ...named("data", "version"),
  isReported: true,
  members: membersOf({
    parentExecution: facts("parentExecution"),
    redactionInfo: facts("redactionInfo"),
    resultData: {
      ...named("resultData", "lastNodeExecuted"),
      members: membersOf({
        error: RESULT_ERROR,
        redactedError: REDACTED_ERROR,
        metadata: METADATA,
        runData: { place: "runData", otherMembers: { place: "runs", items: RUN } },
      }),
    },
    executionData: {
      place: "executionData",
      members: membersOf({ nodeExecutionStack: { place: "stack", items: PENDING_NODE } }),
    },
  }),
};

/** `data` is an object in every known version of n8n; a text means that its format is unknown. */
const FACTS_OF_EXECUTION =
  "id workflowId status finished mode createdAt startedAt stoppedAt retryOf retrySuccessId waitTill dataTooLargeToDisplay workflowVersionId data";

const WORKFLOW: Guide = {
  ...named("workflowData", "name", "versionId", "active"),
  members: membersOf({
    nodes: NODES,
    settings: named("workflowSettings", "saveExecutionProgress", "executionTimeout"),
  }),
};

/** One execution, as `GET /executions/{id}` returns it. */
export const EXECUTION: Guide = {
  ...named("execution", ...FACTS_OF_EXECUTION.split(" ")),
  isReported: true,
  isIsolated: true,
  members: membersOf({ data: DATA, workflowData: WORKFLOW, customData: CUSTOM_DATA }),
};

export const LIST: Guide = {
  place: "list",
  members: membersOf({
    data: { place: "elements", isReported: true, scalars: "all", items: EXECUTION },
  }),
};

/** Depths below the execution, whose own members have depth 0. */
export const DEPTH = {
  metadata: 3,
  node: 3,
  run: 4,
  part: 5,
  connectionType: 6,
  output: 7,
  item: 8,
  payload: 10,
};
export const PENDING_DEPTH = { entry: 3, connectionType: 5, output: 6, item: 7, payload: 9 };

/** Scalars at these places are payload; at all others, they are facts. */
export const PAYLOAD_PLACES: ReadonlySet<string> = new Set([
  "payload",
  "sent json",
  "execution in payload",
  "caught",
  "mcp call",
  "tokens",
  "estimatedTokens",
  "model options",
  "pendingPayload",
  "customData",
  "metadata",
]);
