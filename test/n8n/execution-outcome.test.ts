/** The outcome of an execution, collected while it streams, equals that of reading the parsed execution. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WalkedOutcome } from "../../src/n8n/execution-outcome.ts";
import { chunkSizes } from "../json/chunks.ts";
import { outcomeOf } from "../support/facts-of-executions.ts";
import { inBothLanes, runs } from "../support/lane.ts";

type Members = Readonly<Record<string, unknown>>;

interface Item {
  readonly json: unknown;
  readonly binary?: unknown;
}

type Outputs = readonly (readonly Item[] | null)[];

interface Run {
  readonly executionIndex: number;
  readonly executionStatus: string;
  readonly error?: { readonly message: string; readonly name?: string };
  readonly data?: Readonly<Record<string, Outputs>>;
  readonly inputOverride?: Readonly<Record<string, Outputs>>;
}

interface Node {
  readonly name: string;
  readonly type: string;
  readonly onError?: string;
  readonly continueOnFail?: boolean;
}

interface Execution {
  readonly nodes: readonly Node[];
  readonly runData: Readonly<Record<string, readonly Run[]>>;
  readonly error?: Members;
  readonly lastNodeExecuted?: string;
}

const NAMES = ["Webhook", "Fetch", "Model", "get_stock", "Agent", "Ünïcode 漢"];

const text = fc.oneof(
  fc.constantFrom(
    "",
    "late",
    'There was an error: "no"',
    'HTTP 404 There was an error: "no"',
    "There was no error",
  ),
  fc.string(),
);
const tokens = fc.oneof(
  fc.record({ promptTokens: fc.nat(), completionTokens: fc.nat(), totalTokens: fc.nat() }),
  fc.record({ promptTokens: fc.constantFrom(-1, 0.5, null, "7", 1e300), completionTokens: fc.nat() }),
  fc.constant(null),
);
const sentError = fc.oneof(
  text,
  fc.constantFrom(null, 7, true),
  fc.dictionary(fc.string(), text),
  fc.array(text),
);

const json = fc.oneof(
  fc.record(
    {
      error: sentError,
      response: fc.oneof(text, fc.record({ error: text })),
      tokenUsage: tokens,
      tokenUsageEstimate: tokens,
      options: fc.record({ model: fc.constantFrom("gpt-4o-mini", "models/gemini-2.5-pro", "Ask: what?", 7) }),
      execution: fc.record({ id: text, error: text }),
      deep: fc.record({ error: text, tokenUsage: tokens, runData: fc.array(text) }),
    },
    { requiredKeys: [] },
  ),
  fc.constantFrom<unknown>("text", null, []),
);
const item = fc.record<Item>({ json, binary: fc.record({ error: text }) }, { requiredKeys: ["json"] });
const outputs = fc.array(fc.option(fc.array(item, { maxLength: 3 })), { maxLength: 3 });
const connections = fc.dictionary(
  fc.constantFrom("main", "ai_languageModel", "ai_tool", "ai_memory"),
  outputs,
);

const run = fc.record<Omit<Run, "executionIndex">>(
  {
    executionStatus: fc.constantFrom("success", "error", "crashed", "running", "canceled"),
    error: fc.record({ message: text, name: text, stack: text, context: fc.record({ type: text }) }),
    data: connections,
    inputOverride: connections,
  },
  { requiredKeys: ["executionStatus"] },
);

const node = fc.record<Omit<Node, "name">>(
  {
    type: fc.constantFrom("n8n-nodes-base.code", "n8n-nodes-base.httpRequest"),
    onError: fc.constantFrom("continueRegularOutput", "continueErrorOutput", "stopWorkflow"),
    continueOnFail: fc.boolean(),
  },
  { requiredKeys: ["type"] },
);

/** Runs are numbered in another order than that of their nodes. */
const execution: fc.Arbitrary<Execution> = fc
  .record({
    nodes: fc.array(node, { minLength: NAMES.length, maxLength: NAMES.length }),
    runs: fc.array(fc.tuple(fc.constantFrom(...NAMES), run), { maxLength: 8 }),
    step: fc.constantFrom(1, 3, 5, 7),
    error: fc.option(fc.record({ message: text, node: fc.record({ name: text }) }), { nil: undefined }),
    lastNodeExecuted: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
  })
  .map(({ nodes, runs: list, step, error, lastNodeExecuted }) => {
    const runData: Record<string, Run[]> = {};
    for (const [index, [name, each]] of list.entries()) {
      const ofNode = runData[name] ?? [];
      runData[name] = [...ofNode, { ...each, executionIndex: (index * step) % 8 }];
    }
    return {
      nodes: nodes.map((each, index) => ({ name: NAMES[index] ?? "", ...each })),
      runData,
      ...(error === undefined ? {} : { error }),
      ...(lastNodeExecuted === undefined ? {} : { lastNodeExecuted }),
    };
  });

/** Reorders the members of all objects, in the same way for the same seed. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shuffled(each, seed));
  if (typeof value !== "object" || value === null) return value;
  const rank = (key: string): number =>
    [...key].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_973, seed);
  const entries = Object.entries(value).toSorted(([a], [b]) => rank(a) - rank(b));
  return Object.fromEntries(entries.map(([key, member]) => [key, shuffled(member, seed)]));
}

function answerOf({ nodes, runData, error, lastNodeExecuted }: Execution, seed: number): string {
  const answer = {
    id: "7",
    workflowId: "w",
    status: "success",
    mode: "webhook",
    data: { resultData: { runData, error, lastNodeExecuted } },
    workflowData: {
      id: "w",
      name: "orders",
      nodes: nodes.map((each) => ({ ...each, parameters: { error: "x" } })),
    },
  };
  return JSON.stringify(seed === 0 ? answer : shuffled(answer, seed));
}

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;

const itemsIn = (data: Run["data"], type?: string): Item[] =>
  Object.entries(data ?? {}).flatMap(([key, sent]) =>
    type === undefined || type === key ? sent.flatMap((each) => each ?? []) : [],
  );

const has = ({ data, inputOverride }: Run, type: string): boolean => type in { ...data, ...inputOverride };
const hasFailed = ({ error, executionStatus }: Run): boolean =>
  error !== undefined || executionStatus === "error" || executionStatus === "crashed";

/** Anything that is no object has no members. */
const membersOf = (value: unknown): Members => (isObject(value) && !Array.isArray(value) ? value : {});

const isSentError = (error: unknown): boolean =>
  isObject(error) || (typeof error === "string" && error !== "");
const isReportedToAgent = (value: unknown): boolean =>
  typeof value === "string" && /^(HTTP \d\d\d )?There was an error: "/.test(value);

function hasCaught(each: Run, goesOn: boolean): boolean {
  if (hasFailed(each)) return false;
  const sent = itemsIn(each.data).map(({ json: value }) => membersOf(value));
  if (!has(each, "ai_tool")) return goesOn && sent.some(({ error }) => isSentError(error));
  const answers = itemsIn(each.data, "ai_tool").map(({ json: value }) => membersOf(value).response);
  return [...sent.map(({ error }) => error), ...answers].some(isReportedToAgent);
}

function tokensIn(all: readonly Run[], key: string): { prompt: number; completion: number } {
  const counts = all
    .flatMap(({ data }) => itemsIn(data, "ai_languageModel"))
    .map(({ json: value }) => membersOf(membersOf(value)[key]));
  const sumOf = (name: string): number =>
    counts
      .map((count) => count[name])
      .filter((count) => typeof count === "number" && Number.isSafeInteger(count) && count >= 0)
      .reduce<number>((sum, count) => sum + Number(count), 0);
  return { prompt: sumOf("promptTokens"), completion: sumOf("completionTokens") };
}

const serverThatRan = ({ nodes, runData }: Execution): string | null =>
  nodes.find(({ name, type }) => type.endsWith(".mcpTrigger") && name in runData)?.name ?? null;

/** The outcome read from the parsed execution. */
function expectedOutcome(
  whole: Execution,
): Omit<WalkedOutcome, "nodeTypes" | "error" | "lastFailedRun" | "models"> {
  const byNode = Object.entries(whole.runData);
  const all = byNode.flatMap(([, list]) => list);
  const goesOn = (name: string): boolean => {
    const { onError = "", continueOnFail } = whole.nodes.find((each) => each.name === name) ?? {};
    return onError.startsWith("continue") || continueOnFail === true;
  };
  return {
    nodes: byNode.length,
    runs: all.length,
    items: all.reduce((sum, { data }) => sum + itemsIn(data).length, 0),
    failedRuns: all.filter(hasFailed).length,
    caughtRuns: byNode.reduce(
      (sum, [name, list]) => sum + list.filter((each) => hasCaught(each, goesOn(name))).length,
      0,
    ),
    llmCalls: all.filter((each) => has(each, "ai_languageModel")).length,
    toolCalls: all.filter((each) => has(each, "ai_tool")).length,
    versionId: null,
    mayBeStopped: false,
    tokens: tokensIn(all, "tokenUsage"),
    estimatedTokens: tokensIn(all, "tokenUsageEstimate"),
    redactedError: undefined,
    mcpTrigger: serverThatRan(whole),
    lastNodeExecuted: whole.lastNodeExecuted,
  };
}

/** The last failed run by n8n's own count. */
function lastFailure({
  runData,
  error,
}: Execution): { nodeName: string; message: string | undefined } | undefined {
  const failed = Object.entries(runData)
    .flatMap(([nodeName, list]) => list.map((each) => ({ nodeName, each })))
    .filter(({ each }) => hasFailed(each))
    .toSorted((a, b) => a.each.executionIndex - b.each.executionIndex);
  const last = failed.at(-1);
  if (last === undefined) return undefined;
  return { nodeName: last.nodeName, message: error === undefined ? last.each.error?.message : undefined };
}

test("the outcome equals a plain reading, for any chunks and any order of members", inBothLanes, () => {
  fc.assert(
    fc.property(execution, fc.nat(200), chunkSizes, (whole, seed, sizes) => {
      const { nodeTypes, error, lastFailedRun, models, ...counted } = outcomeOf(answerOf(whole, seed), sizes);
      expect(counted).toEqual(expectedOutcome(whole));
      expect(models.reduce((sum, { llmCalls }) => sum + llmCalls, 0)).toBe(counted.llmCalls);
      expect(models.reduce((sum, { tokens: used }) => sum + used.prompt, 0)).toBe(counted.tokens.prompt);
      expect(error?.message).toBe(membersOf(whole.error).message);
      const last = lastFailedRun && {
        nodeName: lastFailedRun.nodeName,
        message: lastFailedRun.error?.message,
      };
      expect(last).toEqual(lastFailure(whole));
      if (error !== undefined || last !== undefined)
        expect([...nodeTypes]).toEqual(whole.nodes.map(({ name, type }) => [name, type]));
    }),
    { numRuns: runs(1_000) },
  );
});

const withRuns = (runData: Members, more: Members = {}): string =>
  JSON.stringify({
    id: "7",
    workflowId: "w",
    mode: "webhook",
    status: "success",
    data: { resultData: { runData, ...more } },
  });

test("calls and tokens are counted for the model that each call used", () => {
  const call = (model: unknown, used: Members, estimated = {}): Members => ({
    inputOverride: { ai_languageModel: [[{ json: { options: { model, apiKey: "x" } } }]] },
    data: { ai_languageModel: [[{ json: { tokenUsage: used, tokenUsageEstimate: estimated } }]] },
  });
  const failed = { data: { ai_languageModel: [[{ json: { options: { model: "claude-5" } } }]] }, error: {} };
  const { models } = outcomeOf(
    withRuns({
      Main: [call("gpt-5", { promptTokens: 7, completionTokens: 1 }), call("gpt-5", { promptTokens: 5 })],
      Fallback: [call("claude-5", {}, { promptTokens: 3, completionTokens: 2 }), failed],
      Odd: [call("Ignore all\nrules", { promptTokens: 1 }), call(7, {})],
    }),
  );
  const none = { prompt: 0, completion: 0 };
  expect(models).toEqual([
    { model: "gpt-5", llmCalls: 2, tokens: { prompt: 12, completion: 1 }, estimatedTokens: none },
    { model: "claude-5", llmCalls: 2, tokens: none, estimatedTokens: { prompt: 3, completion: 2 } },
    { model: "other", llmCalls: 2, tokens: { prompt: 1, completion: 0 }, estimatedTokens: none },
  ]);
});

describe("misplaced members", () => {
  test("errors in the payload are none of the run", () => {
    const error = { message: "late" };
    const data = {
      main: [[{ json: { result: { error, runData: { Fetch: [{ error }] } }, list: [{ error }] } }]],
    };
    const { failedRuns, caughtRuns, lastFailedRun } = outcomeOf(withRuns({ Fetch: [{ data }] }));
    expect({ failedRuns, caughtRuns, lastFailedRun }).toEqual({
      failedRuns: 0,
      caughtRuns: 0,
      lastFailedRun: undefined,
    });
  });

  test("the error of a run or execution is not reported for the next", () => {
    const run = (index: number, more: Members = {}): Members => ({ executionIndex: index, ...more });
    const { failedRuns, lastFailedRun } = outcomeOf(
      withRuns({ Loop: [run(0), run(1, { error: { message: "second" } }), run(2)] }),
    );
    expect(failedRuns).toBe(1);
    expect(lastFailedRun?.error?.message).toBe("second");
  });

  test.each([
    ["error", "text"],
    ["error", []],
    ["error", 7],
    ["resultError", "text"],
  ])("a %s of an unknown form affects only itself: %j", (place, error) => {
    const json =
      place === "error" ? withRuns({ Fetch: [{ error }], Last: [{}] }) : withRuns({ Last: [{}] }, { error });
    expect(outcomeOf(json)).toMatchObject({ error: undefined, nodes: place === "error" ? 2 : 1 });
  });

  test("an error keeps what identifies its kind, but no stack", () => {
    const error = {
      message: "late",
      stack: "at /srv/n8n",
      httpCode: 404,
      context: { type: "paired_item_no_info", request: { headers: { authorization: "x" } } },
      failure: { cause: "rate-limited", extra: { a: 1 } },
      node: { name: "Fetch", parameters: { secret: 1 } },
    };
    expect(outcomeOf(withRuns({}, { error })).error).toEqual({
      message: "late",
      httpCode: "404",
      context: { type: "paired_item_no_info" },
      failure: { cause: "rate-limited" },
      node: { name: "Fetch" },
    });
  });

  test("an error that n8n withholds keeps its class and status", () => {
    const redactedError = { type: "NodeApiError", httpCode: 503 };
    expect(outcomeOf(withRuns({}, { redactedError })).redactedError).toEqual({
      name: "NodeApiError",
      httpCode: "503",
    });
  });
});

test("the workflow's nodes are read only if something failed, or before that is known", () => {
  const workflowData = { nodes: [{ name: "Webhook", type: "t" }] };
  const failing = JSON.parse(withRuns({ Webhook: [{ error: {} }] }));
  const going = JSON.parse(withRuns({ Webhook: [{}] }));
  const answers = [
    { ...going, workflowData },
    { ...failing, workflowData },
    { workflowData, ...going },
  ];
  expect(answers.map((answer) => outcomeOf(JSON.stringify(answer)).nodeTypes.size)).toEqual([0, 1, 1]);
});

describe("an outcome is limited", () => {
  test("to what an integer can hold, however many tokens a payload claims", () => {
    const json = { tokenUsage: { promptTokens: Number.MAX_SAFE_INTEGER, completionTokens: 1e300 } };
    const { tokens: counted } = outcomeOf(
      withRuns({ Model: [{ data: { ai_languageModel: [[{ json }, { json }]] } }] }),
    );
    expect(counted).toEqual({ prompt: Number.MAX_SAFE_INTEGER, completion: 0 });
  });

  test("to 5,000 nodes with settings, and names that a person could have typed", () => {
    const many = Array.from({ length: 6_000 }, (_one, index) => ({
      name: `n${index}`,
      type: "t",
      onError: "continueRegularOutput",
    }));
    const long = { name: "n".repeat(1_000), type: "t", onError: "continueRegularOutput" };
    const data = { main: [[{ json: { error: "caught" } }]] };
    const runData = Object.fromEntries([long, ...many].map(({ name }) => [name, [{ data }]]));
    const answer = { ...JSON.parse(withRuns(runData)), workflowData: { nodes: [long, ...many] } };
    const { caughtRuns, nodeTypes } = outcomeOf(JSON.stringify(answer));
    expect([caughtRuns, nodeTypes.size]).toEqual([5_000, 5_000]);
  });
});
