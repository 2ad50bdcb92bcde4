/** Executions as they stream: what is reported of them and in which order, and what never is. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { linksOf } from "../../src/executions/links.ts";
import { JsonReadError } from "../../src/json/errors.ts";
import {
  type ExecutionReader,
  ExecutionWalk,
  type PayloadPlace,
  type WalkedExecution,
} from "../../src/n8n/execution-walk.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";
import { type ChunkSizes, chunkSizes, chunksOf, encode, SINGLE_BYTES, WHOLE } from "../json/chunks.ts";
import { createExecutionStore } from "../recorded-n8n/executions.ts";
import { readRecording } from "../recorded-n8n/recording.ts";
import { inBothLanes, runs } from "../support/lane.ts";

const TEXT = "needle";

interface ReportedValue {
  readonly value: string | number;
  readonly place: PayloadPlace;
}

interface ReportedContainer {
  /** Null if there was no room. */
  readonly json: string | null;
  readonly place: PayloadPlace;
}

interface ReportedExecution {
  readonly walked: WalkedExecution;
  readonly values: readonly ReportedValue[];
  readonly containers: readonly ReportedContainer[];
}

/** Records what is reported. Values belong to the execution that ends next, as the reader promises. */
class Notes implements ExecutionReader {
  readonly executions: ReportedExecution[] = [];
  readonly unreadables: { readonly id: string | null; readonly reason: string }[] = [];
  /** How each execution ended, in turn. */
  readonly endings: string[] = [];
  unlookedParts = 0;
  #values: ReportedValue[] = [];
  #containers: ReportedContainer[] = [];
  readonly #wanted: (key: string) => boolean;
  readonly #room: number;

  constructor(wanted: (key: string) => boolean, room = 0) {
    this.#wanted = wanted;
    this.#room = room;
  }

  wantsKey(key: string): boolean {
    return this.#wanted(key);
  }

  value(value: string | number, place: PayloadPlace): void {
    this.#values.push({ value, place });
  }

  roomForContainer(): number {
    return this.#room;
  }

  container(bytes: Uint8Array | null, placeOf: () => PayloadPlace): void {
    this.#containers.push({
      json: bytes === null ? null : new TextDecoder().decode(bytes),
      place: placeOf(),
    });
  }

  onSkipped(): void {
    this.unlookedParts += 1;
  }

  execution(walked: WalkedExecution): void {
    this.executions.push({ walked, values: this.#values, containers: this.#containers });
    this.endings.push(walked.item.id);
    this.#values = [];
    this.#containers = [];
  }

  unreadable(id: string | null, reason: string): void {
    this.unreadables.push({ id, reason });
    this.endings.push(`unreadable ${id}`);
    this.#values = [];
    this.#containers = [];
  }
}

const wantsRequestId = (key: string): boolean => key === "requestId";

interface WalkOptions {
  readonly form?: "list" | "one";
  readonly sizes?: ChunkSizes;
  readonly wanted?: (key: string) => boolean;
  /** Room for each item, in bytes. */
  readonly room?: number;
}

function walkText(json: string, options: WalkOptions = {}): Notes {
  const notes = new Notes(options.wanted ?? wantsRequestId, options.room);
  const walk = new ExecutionWalk(options.form ?? "list", notes);
  for (const chunk of chunksOf(encode(json), options.sizes ?? WHOLE)) walk.write(chunk);
  walk.end();
  return notes;
}

const listOf = (...executions: readonly unknown[]): string =>
  JSON.stringify({ data: executions, nextCursor: null });

const walkList = (...executions: readonly unknown[]): Notes => walkText(listOf(...executions));

const FACTS = {
  id: "7",
  workflowId: "w",
  status: "success",
  mode: "webhook",
  startedAt: "2026-01-01T00:00:00.000Z",
  stoppedAt: "2026-01-01T00:00:01.000Z",
};

type Members = Readonly<Record<string, unknown>>;

const withRuns = (runData: Members, more: Members = {}): Members => ({
  ...FACTS,
  data: { resultData: { runData } },
  ...more,
});

const GOES_ON = { onError: "continueRegularOutput" };

const withData = (data: Members): Members => ({ ...FACTS, data });

/** What else is reported of an execution without links and data. */
const WITHOUT_LINKS = {
  parentId: null,
  unknownParentWorkflowId: null,
  subExecutions: [],
  isWithheld: false,
  isTooLarge: false,
  savesProgress: null,
  outcome: expect.anything(),
};

/** `DEFAULT`, which stands for n8n's own setting, counts as unknown. */
const savesProgress = z.object({
  workflowData: z
    .object({ settings: z.object({ saveExecutionProgress: z.boolean().nullable().catch(null) }).nullish() })
    .nullish(),
});

/** The only execution that was reported. */
function only(notes: Notes): ReportedExecution {
  const [execution] = notes.executions;
  expect(notes.endings).toHaveLength(1);
  if (execution === undefined) throw new Error("No execution was reported.");
  return execution;
}

const valuesOf = (notes: Notes): (string | number)[] => only(notes).values.map(({ value }) => value);

describe("the facts of an execution", () => {
  test("are those of n8n's list, and the workflow's name", () => {
    const waiting = {
      ...FACTS,
      status: "waiting",
      waitTill: "2026-02-01T00:00:00.000Z",
      retryOf: "3",
      retrySuccessId: "9",
      workflowData: { id: "w", name: "Order intake" },
    };
    const { walked } = only(walkList(waiting));
    const { workflowData, ...item } = waiting;
    expect(walked).toEqual({ item, workflowName: workflowData.name, ...WITHOUT_LINKS });
  });

  test("are null where absent, and ids may be numbers", () => {
    const { id, workflowId, status, mode } = { ...FACTS, id: 7 };
    expect(only(walkList({ mode, status, workflowId, id })).walked).toEqual({
      item: {
        id: "7",
        workflowId,
        status,
        mode,
        startedAt: null,
        stoppedAt: null,
        retryOf: null,
        retrySuccessId: null,
        waitTill: null,
      },
      workflowName: null,
      ...WITHOUT_LINKS,
    });
  });

  test("include an unknown status for one that n8n may invent", () => {
    expect(only(walkList({ ...FACTS, status: "paused" })).walked.item.status).toBe("unknown");
  });

  test.each([
    [true, { isRedacted: true, reason: "workflow_redaction_policy", canReveal: false }],
    [true, { isRedacted: "in part" }],
    [false, { isRedacted: false }],
    [false, {}],
    [false, null],
  ])("say that n8n withholds its data: %s for %j", (isWithheld, redactionInfo) => {
    const walked = only(walkList(withData({ redactionInfo, resultData: { runData: {} } }))).walked;
    expect(walked.isWithheld).toBe(isWithheld);
  });

  test("are not affected by a payload that claims to be withheld", () => {
    const json = { redactionInfo: { isRedacted: true } };
    expect(only(walkList(withRuns({ Webhook: [{ data: { main: [[{ json }]] } }] }))).walked.isWithheld).toBe(
      false,
    );
  });

  test("are not taken from the payload or the workflow", () => {
    const json = { id: "99", status: "error", name: "not this", parentExecution: { executionId: "98" } };
    const execution = withRuns(
      { Webhook: [{ data: { main: [[{ json }]] } }] },
      { workflowData: { nodes: [{ name: "not this" }], name: "orders", settings: { name: "nor this" } } },
    );
    expect(only(walkList(execution)).walked).toMatchObject({
      item: { id: "7", status: "success" },
      workflowName: "orders",
      parentId: null,
      unknownParentWorkflowId: null,
    });
  });

  test("are the same for a single execution as in a page", () => {
    const execution = withRuns({ Webhook: [{ data: { main: [[{ json: { requestId: "r" } }]] } }] });
    const alone = walkText(JSON.stringify(execution), { form: "one" });
    expect(alone.executions).toEqual(walkList(execution).executions);
    expect(valuesOf(alone)).toEqual(["r"]);
  });

  test("include the number of bytes", () => {
    const json = listOf(FACTS, "漢字");
    const walk = new ExecutionWalk("list", new Notes(wantsRequestId));
    for (const chunk of chunksOf(encode(json), [5])) walk.write(chunk);
    expect(walk.byteLength).toBe(encode(json).length);
  });
});

describe("the links of an execution", () => {
  const called = (executionId: string, facts: Members = {}): Members => ({
    ...facts,
    metadata: { subExecution: { executionId, workflowId: "sub" }, subExecutionsCount: 1 },
  });

  test("include its parent", () => {
    const parentExecution = { executionId: "5", workflowId: "p" };
    expect(only(walkList(withData({ parentExecution }))).walked.parentId).toBe("5");
  });

  test.each([
    ["its placeholder for an unknown parent", { executionId: "__UNKNOWN__", workflowId: "p" }],
    ["no id", { workflowId: "p" }],
    ["a text", "5"],
    ["a list", ["5"]],
    ["an object as id", { executionId: { executionId: "5" } }],
    ["null", null],
  ])("have no parent if n8n gives %s", (_name, parentExecution) => {
    expect(only(walkList(withData({ parentExecution }))).walked.parentId).toBeNull();
  });

  test("include the parent that n8n 1.x names only on the first run", () => {
    const metadata = { parentExecution: { executionId: "5", workflowId: "p" } };
    expect(only(walkList(withRuns({ Start: [{ metadata }] }))).walked.parentId).toBe("5");
  });

  test("an execution too large for n8n to display counts as not read", () => {
    const { walked } = only(
      walkList({ ...FACTS, dataTooLargeToDisplay: true, data: { resultData: { runData: {} } } }),
    );
    expect(walked.isTooLarge).toBe(true);
  });

  test("list sub-executions in execution order, whatever the order of nodes", () => {
    const runData = {
      Last: [called("30", { executionIndex: 4 })],
      Loop: [called("12", { executionIndex: 1 }), called("11", { executionIndex: 3 })],
      First: [called("20", { executionIndex: 0 })],
    };
    expect(only(walkList(withRuns(runData))).walked.subExecutions).toEqual([
      { executionId: "20", nodeName: "First" },
      { executionId: "12", nodeName: "Loop" },
      { executionId: "11", nodeName: "Loop" },
      { executionId: "30", nodeName: "Last" },
    ]);
  });

  test("list each sub-execution once, at its first place", () => {
    const runData = {
      Again: [called("9", { executionIndex: 2 })],
      Other: [called("8", { executionIndex: 1 })],
      Loop: [called("9", { executionIndex: 0 })],
    };
    const { subExecutions } = only(walkList(withRuns(runData))).walked;
    expect(subExecutions.map(({ executionId }) => executionId)).toEqual(["9", "8"]);
  });

  test("omit sub-executions that are unknown to n8n or have an unknown shape", () => {
    const runData = {
      Unknown: [called("__UNKNOWN__")],
      Text: [{ metadata: { subExecution: "4" } }],
      List: [{ metadata: [{ subExecution: { executionId: "4" } }] }],
      Known: [called("4")],
    };
    expect(only(walkList(withRuns(runData))).walked.subExecutions).toEqual([
      { executionId: "4", nodeName: "Known" },
    ]);
  });

  describe("a node that calls once per item names its calls at the items", () => {
    const at = (executionId: string, more: Members = {}, json: object = {}) => ({
      json,
      metadata: { subExecution: { executionId, workflowId: "sub" }, ...more },
    });
    const run = (metadata: Members, items: readonly object[]) => ({ metadata, data: { main: [items] } });
    const EACH = { subExecutionsCount: 2 };
    const CAUGHT = { subExecutionsCount: 1 };
    const idsOf = (runData: Members, more: Members = {}): string[] =>
      only(walkList(withRuns(runData, more))).walked.subExecutions.map(({ executionId }) => executionId);

    test("in the form that n8n 2.40.5 records", () => {
      const items = [at("80"), at("81"), at("82", CAUGHT, { error: "refused" }), { json: {} }];
      expect(idsOf({ "Price each": [run(EACH, items)] })).toEqual(["80", "81", "82"]);
    });

    test("items that another node passes on, or that a sub-workflow returned, are no calls", () => {
      const items = [at("80"), at("81", CAUGHT)];
      const returned = run({ subExecution: { executionId: "79", workflowId: "sub" }, ...CAUGHT }, items);
      expect(idsOf({ Call: [returned], Next: [run({}, items)], If: [{ data: { main: [items] } }] })).toEqual([
        "79",
      ]);
    });

    test("a caught failure is named at its item alone, if the node calls workflows", () => {
      const runData = { Call: [{ data: { main: [[at("82", CAUGHT, { error: "refused" })]] } }] };
      const ofType = (type: string) => ({ workflowData: { nodes: [{ name: "Call", type, ...GOES_ON }] } });
      expect(idsOf(runData, ofType("n8n-nodes-base.executeWorkflow"))).toEqual(["82"]);
      expect(idsOf(runData, ofType("n8n-nodes-base.code"))).toEqual([]);
    });
  });

  test("of one run are not reported for the next", () => {
    const runData = { Call: [called("4"), {}], Then: [{ metadata: {} }] };
    expect(only(walkList(withRuns(runData))).walked.subExecutions).toEqual([
      { executionId: "4", nodeName: "Call" },
    ]);
  });

  test("of one execution are not reported for the next", () => {
    const first = { ...withData({ parentExecution: { executionId: "5" } }), workflowData: { name: "first" } };
    const [, second] = walkList(first, { ...FACTS, id: "6" }).executions;
    expect(second?.walked).toMatchObject({ item: { id: "6" }, parentId: null, workflowName: null });
  });
});

describe("values are reported with their place", () => {
  const json = { requestId: "r-1" };

  function placesOf(execution: Members): PayloadPlace[] {
    return only(walkList(execution)).values.map(({ place }) => place);
  }

  test("in a node's output: run, connection, output, item and path", () => {
    const empty = { data: { main: [[], [{ json: {} }]] } };
    const sent = {
      executionIndex: 6,
      data: { main: [[], null, [{ json: {} }, { json: { order: { lines: [{}, json] } } }]] },
    };
    expect(placesOf(withRuns({ Loop: [empty, sent] }))).toEqual([
      {
        run: { nodeName: "Loop", index: 1, order: 6 },
        item: { connectionType: "main", output: 2, index: 1, direction: "output" },
        path: ["order", "lines", 1, "requestId"],
      },
    ]);
  });

  test("in the input that an agent gave a tool", () => {
    const run = { executionIndex: 2, inputOverride: { ai_tool: [[{ json: { query: json } }]] } };
    expect(placesOf(withRuns({ Tool: [run] }))).toEqual([
      {
        run: { nodeName: "Tool", index: 0, order: 2 },
        item: { connectionType: "ai_tool", output: 0, index: 0, direction: "input" },
        path: ["query", "requestId"],
      },
    ]);
  });

  test("in the input of the next node, before an execution has runs", () => {
    const nodeExecutionStack = [
      { node: { name: "Webhook", parameters: { requestId: "not this" } }, data: { main: [[{ json: {} }]] } },
      { data: { main: [[], [{ json: {} }, { json }]] }, node: { name: "Wait", id: "n" } },
    ];
    const [place, ...others] = placesOf(withData({ executionData: { nodeExecutionStack } }));
    expect(place).toEqual({
      run: { nodeName: "Wait", index: 1, order: Number.POSITIVE_INFINITY },
      item: { connectionType: "main", output: 1, index: 1, direction: "input" },
      path: ["requestId"],
    });
    expect(others).toEqual([]);
  });

  test("in custom data", () => {
    expect(placesOf({ ...FACTS, customData: { requestId: "r-1", note: "other" } })).toEqual([
      { run: null, item: null, path: ["customData", "requestId"] },
      // Under any key.
      { run: null, item: null, path: ["customData", "note"] },
    ]);
  });

  test("in the execution's data if n8n has not stored its custom data yet", () => {
    const data = { resultData: { runData: {}, metadata: { requestId: "r-1", note: TEXT } } };
    const { values, containers } = only(walkList({ ...FACTS, data, customData: {} }));
    const paths = [
      ["customData", "requestId"],
      ["customData", "note"],
    ];
    expect(values.map(({ place }) => place)).toEqual(paths.map((path) => ({ run: null, item: null, path })));
    expect(containers.map(({ place }) => place.path)).toEqual([["customData"], ["customData"]]);
  });

  test("in the message of an error and in what the service answered, and in nothing else of it", () => {
    const error = { description: TEXT, message: `no ${TEXT} there`, stack: TEXT, context: { data: TEXT } };
    const { values } = only(walkList(withRuns({ Http: [{ executionIndex: 1, error }] })));
    const run = { nodeName: "Http", index: 0, order: 1 };
    expect(values).toEqual(
      (["description", "message"] as const).map((key) => ({
        value: error[key],
        place: { run, item: null, path: ["error", key] },
      })),
    );
  });

  test("under wanted keys and as JSON in strings, numbers included", () => {
    const payload = {
      requestId: 42,
      about: `the ${TEXT}`,
      body: ' \n{"a":1}',
      list: ["[]", "plain", TEXT],
      flag: true,
      nothing: null,
      plain: "plain",
      number: 1,
    };
    const { values } = only(walkList(withRuns({ Set: [{ data: { main: [[{ json: payload }]] } }] })));
    expect(values.map(({ value, place }) => [place.path.join("/"), value])).toEqual([
      ["requestId", 42],
      ["body", payload.body],
      ["list/0", "[]"],
    ]);
  });

  test("with each item, input and the custom data as a whole if there is room, but no binaries", () => {
    const item = (json: unknown): unknown => ({ json, binary: { file: { data: TEXT } } });
    const ran = {
      executionIndex: 3,
      data: { main: [[item({ a: 1 }), item({})], [item({ list: [{}] })]] },
      inputOverride: { ai_tool: [[item({ query: TEXT })]] },
    };
    const waiting = { node: { name: "Next" }, data: { main: [[item({ given: 1 })]] } };
    const execution = {
      ...FACTS,
      data: { resultData: { runData: { Set: [ran] } }, executionData: { nodeExecutionStack: [waiting] } },
      customData: { note: TEXT },
    };
    const reported = (room: number, sizes: ChunkSizes): unknown[] =>
      only(walkText(listOf(execution), { room, sizes })).containers.map(({ json, place }) => [
        json,
        place.run?.nodeName ?? null,
        place.item === null ? null : Object.values(place.item).join(" "),
        place.path.join("/"),
      ]);
    const places = [
      ['{"a":1}', "Set", "main 0 0 output", ""],
      ["{}", "Set", "main 0 1 output", ""],
      ['{"list":[{}]}', "Set", "main 1 0 output", ""],
      [`{"query":"${TEXT}"}`, "Set", "ai_tool 0 0 input", ""],
      ['{"given":1}', "Next", "main 0 0 input", ""],
      [`{"note":"${TEXT}"}`, null, null, "customData"],
    ];
    for (const sizes of [WHOLE, SINGLE_BYTES]) {
      expect(reported(1_000, sizes)).toEqual(places);
      expect(reported(0, sizes)).toEqual(places.map(([, ...place]) => [null, ...place]));
      expect(reported(7, sizes)).toEqual(
        places.map(([json = "", ...place]) => [(json ?? "").length <= 7 ? json : null, ...place]),
      );
    }
  });

  test("a part that is too deep is reported as skipped", () => {
    const deep = `${'{"a":'.repeat(400)}"${TEXT}"${"}".repeat(400)}`;
    const list = listOf(
      withRuns({ Set: [{ data: { main: [[{ json: "DEEP" }, { json: { requestId: "r" } }]] } }] }),
    );
    const notes = walkText(list.replace('"DEEP"', deep));
    expect(notes.unlookedParts).toBe(1);
    expect(valuesOf(notes)).toEqual(["r"]);
  });
});

describe("the order of runs", () => {
  const data = { main: [[{ json: { requestId: "r" } }]] };

  /** The nodes sorted by `run.order`. */
  function sorted(runData: Members): string[] {
    const { values } = only(walkList(withRuns(runData)));
    const runs = values.flatMap(({ place }) => (place.run === null ? [] : [place.run]));
    return runs
      .toSorted((a, b) => a.order - b.order)
      .map(({ nodeName, index }) => (index === 0 ? nodeName : `${nodeName} ${index}`));
  }

  test("is n8n's own in one millisecond, whether it comes before or after the data", () => {
    const startTime = 1_767_225_600_500;
    const runData = {
      Third: [{ data, startTime, executionIndex: 2 }],
      First: [{ executionIndex: 0, startTime, data }],
      Loop: [
        { startTime, executionIndex: 1, data },
        { executionIndex: 3, data, startTime },
      ],
    };
    expect(sorted(runData)).toEqual(["First", "Loop", "Third", "Loop 1"]);
  });

  test("is that of start times where n8n counted from 0 again after a wait", () => {
    const runData = {
      Webhook: [{ data, startTime: 1_767_225_600_100, executionIndex: 0 }],
      Ask: [{ data, startTime: 1_767_225_600_105, executionIndex: 1 }],
      Wait: [{ data, startTime: 1_767_225_900_000, executionIndex: 0 }],
      Book: [{ data, startTime: 1_767_225_900_001, executionIndex: 1 }],
    };
    expect(sorted(runData)).toEqual(["Webhook", "Ask", "Wait", "Book"]);
  });

  test("is that of start times if n8n does not report its own", () => {
    const runData = {
      Second: [{ data, startTime: 1_767_225_600_500 }],
      First: [{ startTime: 1_767_225_600_100, data }],
    };
    expect(sorted(runData)).toEqual(["First", "Second"]);
  });

  test("is not taken from values that are no numbers", () => {
    const runData = { Odd: [{ executionIndex: "7", startTime: null, data }], Set: [{ startTime: 1, data }] };
    expect(sorted(runData)).toEqual(["Odd", "Set"]);
  });
});

describe("never reported", () => {
  const secret = { requestId: TEXT, text: TEXT, json: `{"requestId":"${TEXT}"}`, list: [TEXT] };
  const SECRETIVE: Members = {
    ...FACTS,
    [TEXT]: secret,
    workflowData: {
      name: "orders",
      requestId: TEXT,
      nodes: [{ name: TEXT, type: "a type", parameters: secret, credentials: secret }],
      pinData: { Webhook: [{ json: secret }] },
      staticData: secret,
      connections: secret,
      settings: secret,
      meta: secret,
    },
    data: {
      requestId: TEXT,
      startData: secret,
      resumeToken: TEXT,
      pushRef: TEXT,
      parentExecution: { executionId: "1", workflowId: TEXT, requestId: TEXT, shouldResume: secret },
      executionData: {
        runtimeData: secret,
        contextData: { "node:Loop": secret },
        metadata: { Loop: [secret] },
        waitingExecution: { Merge: { 0: { main: [[{ json: secret }]] } } },
        nodeExecutionStack: [
          {
            node: { name: "Next", parameters: secret, notes: TEXT },
            source: secret,
            metadata: secret,
            data: { main: [[{ json: {}, binary: secret, pairedItem: secret }]] },
          },
        ],
      },
      resultData: {
        error: { ...secret, message: "plain", stack: TEXT, context: secret, node: { parameters: secret } },
        pinData: { Webhook: [{ json: secret }] },
        lastNodeExecuted: "Webhook",
        runData: {
          Webhook: [
            {
              hints: [secret],
              source: [secret],
              metadata: { ...secret, resumeUrl: TEXT, subExecution: { executionId: "2", requestId: TEXT } },
              error: { ...secret, message: "plain", stack: TEXT, context: secret },
              data: { main: [[{ json: {}, binary: secret, pairedItem: secret, metadata: secret }]] },
            },
          ],
        },
      },
    },
  };

  test("are the workflow, pinned, static and runtime data, stacks, binaries and node parameters", () => {
    const notes = walkText(listOf(SECRETIVE), { wanted: (key) => key !== "message", room: 1_000 });
    const reported = only(notes);
    expect(reported.values.map(({ value }) => value)).toEqual(["plain"]);
    expect(JSON.stringify(reported)).not.toContain(TEXT);
    expect(reported.walked).toMatchObject({ workflowName: "orders", parentId: "1" });
    expect(reported.walked.subExecutions).toEqual([{ executionId: "2", nodeName: "Webhook" }]);
    expect(reported.walked.outcome.error).toEqual({ message: "plain" });
    expect([...reported.walked.outcome.nodeTypes]).toEqual([[TEXT, "a type"]]);
  });

  test("are the same of a single execution", () => {
    const notes = walkText(JSON.stringify(SECRETIVE), { form: "one", wanted: () => true });
    expect(valuesOf(notes)).toEqual(["plain"]);
  });
});

describe("an unknown shape affects only itself:", () => {
  const data = { main: [[{ json: { requestId: "r" } }]] };

  test.each<[string, unknown]>([
    ["runs that are no list", { Odd: { data }, Text: "runs", None: null }],
    ["runs that are no objects", { Odd: [null, "run", 4, [{ data }]] }],
    ["data that is no object", { Odd: [{ data: [data] }, { data: "text" }] }],
    ["outputs that are no lists", { Odd: [{ data: { main: { 0: data.main[0] } } }] }],
    [
      "items that are no objects",
      { Odd: [{ data: { main: [[null, "item", 4, ["item"]], "items", null] } }] },
    ],
    ["a payload that is no container", { Odd: [{ data: { main: [[{ json: TEXT }, { json: null }]] } }] }],
  ])("%s", (_name, odd) => {
    const runData = { ...Object(odd), Good: [{ data }] };
    expect(valuesOf(walkList(withRuns(runData)))).toEqual(["r"]);
  });

  test.each<[string, unknown]>([
    ["no data", null],
    ["an execution that has not begun", {}],
    ["runs as a list", { resultData: { runData: [[{ data }]] } }],
    ["a stack that is no list", { executionData: { nodeExecutionStack: { 0: { data } } } }],
  ])("%s", (_name, odd) => {
    expect(valuesOf(walkList({ ...FACTS, data: odd, customData: { requestId: "c" } }))).toEqual(["c"]);
  });

  test.each<[string, unknown, string | null]>([
    ["no id", { ...FACTS, id: undefined }, null],
    ["an id that is no number", { ...FACTS, id: "seven" }, null],
    ["an object as id", { ...FACTS, id: {} }, null],
    ["no workflow", { ...FACTS, workflowId: undefined }, "7"],
    ["a start that is no date", { ...FACTS, startedAt: "soon" }, "7"],
    ["a text", "execution", null],
    ["a number", 7, null],
    ["null", null, null],
    ["a list", [FACTS], null],
  ])("an execution with %s is unreadable, and the others are not", (_name, odd, id) => {
    const leak = typeof odd === "object" ? { customData: { requestId: "of the odd one" } } : {};
    const element = Array.isArray(odd) || odd === null || typeof odd !== "object" ? odd : { ...leak, ...odd };
    const notes = walkList({ ...FACTS, id: "8" }, element, withRuns({ Good: [{ data }] }, { id: "6" }));
    expect(notes.endings).toEqual(["8", `unreadable ${id}`, "6"]);
    expect(notes.executions.map(({ values }) => values.map(({ value }) => value))).toEqual([[], ["r"]]);
    expect(notes.unreadables[0]?.reason).toBe("its shape is unknown");
  });

  test.each(["null", "7", '"text"', "{}", "[]", '{"hello":"world"}', '{"data":null}', '{"data":"x"}'])(
    "%s is no page, not even an empty one",
    (json) => {
      expect(() => walkText(json)).toThrow(JsonReadError);
    },
  );

  test.each(["null", "7", '"text"'])("%s is no execution", (json) => {
    expect(() => walkText(json, { form: "one" })).toThrow(JsonReadError);
  });

  test("a page may be empty", () => {
    expect(walkList().endings).toEqual([]);
  });
});

describe("a malformed execution affects only itself:", () => {
  const around = (middle: string): string =>
    `{"data":[${JSON.stringify({ ...FACTS, id: "8" })},${middle},${JSON.stringify({ ...FACTS, id: "6" })}],"nextCursor":null}`;
  const GOOD = JSON.stringify(
    withRuns(
      {
        Webhook: [{ startTime: 1, data: { main: [[{ json: { requestId: "r", list: [1, { a: null }] } }]] } }],
      },
      { customData: { note: "x" } },
    ),
  );

  test.each([
    ["a missing colon", '{"id":"7","data" {}}', "7"],
    ["a missing comma", '{"id":"7" "mode":"webhook"}', "7"],
    ["a missing value", '{"id":"7","mode":}', "7"],
    ["a bare word", '{"id":"7","mode":webhook}', "7"],
    ["an extra comma", '{"id":"7",}', "7"],
    ["mismatched brackets", '{"id":"7","data":{"resultData":{"runData":{"A":[1}}}}}', "7"],
    ["a fault before its id is known", '{?,"id":"7"}', null],
  ])("%s", (_name, middle, id) => {
    const notes = walkText(around(middle));
    expect(notes.endings).toEqual(["8", `unreadable ${id}`, "6"]);
    expect(notes.unreadables[0]?.reason).toBe("it is broken JSON");
  });

  test("an extra character anywhere, in any chunks", inBothLanes, () => {
    const inside = fc.integer({ min: 1, max: GOOD.length - 1 });
    fc.assert(
      fc.property(inside, fc.constantFrom("?", ",", ":", "1", " "), chunkSizes, (at, character, sizes) => {
        const notes = walkText(around(GOOD.slice(0, at) + character + GOOD.slice(at)), { sizes });
        expect(notes.endings).toHaveLength(3);
        expect([notes.endings[0], notes.endings[2]]).toEqual(["8", "6"]);
        expect(notes.executions.at(-1)?.values).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  test("a truncated answer is an error, after everything reported before", inBothLanes, () => {
    const whole = around(GOOD);
    const cuts = fc.integer({ min: 0, max: whole.length - 1 });
    fc.assert(
      fc.property(cuts, chunkSizes, (cut, sizes) => {
        const notes = new Notes(wantsRequestId);
        const walk = new ExecutionWalk("list", notes);
        for (const chunk of chunksOf(encode(whole.slice(0, cut)), sizes)) walk.write(chunk);
        expect(() => walk.end()).toThrow(JsonReadError);
        expect(["8", "7", "6"].slice(0, notes.endings.length)).toEqual(notes.endings);
      }),
      { numRuns: runs(200) },
    );
  });
});

/** Where custom data can be; it is reported in the first place. */
const CUSTOM_DATA = ["/customData/", "/data/resultData/metadata/"];

/** The values that must be reported, read from the parsed execution. */
function expectedValues(execution: Members): [string, string | number][] {
  const reported: [string, string | number][] = [];
  const visit = (value: unknown, key: string, path: string): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, key, `${path}/${index}`);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) visit(member, name, `${path}/${name}`);
    } else if (typeof value === "string" || typeof value === "number") {
      const looksLikeJson = typeof value === "string" && /^[ \n\r\t]*[[{]/.test(value);
      const isCustom = CUSTOM_DATA.some((at) => path === `${at}${key}`);
      if (looksLikeJson || isCustom || wantsRequestId(key)) reported.push([path, value]);
    }
  };
  visit(execution, "", "");
  // Only values in an item's payload or in custom data.
  const payload = /^\/data\/resultData\/runData\/[^/]*\/\d+\/(data|inputOverride)\/[^/]*\/\d+\/\d+\/json\//;
  return reported.flatMap(([path, value]) => {
    const customAt = CUSTOM_DATA.find((at) => path.startsWith(at));
    if (customAt !== undefined) return [[`/customData/${path.slice(customAt.length)}`, value]];
    return payload.test(path) ? [[path, value]] : [];
  });
}

function reportedValues({ values }: ReportedExecution): [string, string | number][] {
  return values.map(({ value, place }) => {
    if (place.run === null || place.item === null) return [`/${place.path.join("/")}`, value];
    const { connectionType, output, index, direction } = place.item;
    const part = direction === "output" ? "data" : "inputOverride";
    const run = `/data/resultData/runData/${place.run.nodeName}/${place.run.index}`;
    const path = `${run}/${part}/${connectionType}/${output}/${index}/json/${place.path.join("/")}`;
    return [path, value];
  });
}

const key = fc.oneof(
  fc.constantFrom("requestId", "data", "json", "error", "id", TEXT, "a", "0"),
  fc.string().map((text) => text.replaceAll("/", "|")),
);
const leaf = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom<unknown>(TEXT, `a ${TEXT}\n`, ` {"requestId":"${TEXT}"}`, "\t[", "漢字", true, null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value: payloadValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));
const items = fc.array(fc.record({ json: payloadValue, binary: payloadValue }, { requiredKeys: [] }), {
  maxLength: 3,
});
const connectionData = fc.dictionary(
  fc.constantFrom("main", "ai_tool"),
  fc.array(fc.option(items), { maxLength: 3 }),
);
const run = fc.record(
  {
    hints: payloadValue,
    executionIndex: fc.nat(),
    data: connectionData,
    inputOverride: connectionData,
    metadata: fc.record({ other: payloadValue }),
    startTime: fc.nat(),
  },
  { requiredKeys: [] },
);
const someExecution = fc.record({
  workflowData: payloadValue,
  customData: fc.dictionary(key, payloadValue, { maxKeys: 3 }),
  data: fc.record({
    startData: payloadValue,
    resultData: fc.record({
      pinData: payloadValue,
      metadata: fc.dictionary(key, payloadValue, { maxKeys: 3 }),
      runData: fc.dictionary(key, fc.array(run, { maxLength: 3 }), { maxKeys: 3 }),
    }),
  }),
});

describe("for any payload and chunks", () => {
  test("the reported values are those of the parsed JSON, in its order", inBothLanes, () => {
    fc.assert(
      fc.property(fc.array(someExecution, { maxLength: 3 }), chunkSizes, (parts, sizes) => {
        const json = listOf(...parts.map((part) => ({ ...FACTS, ...part })));
        const parsed: { data: Members[] } = JSON.parse(json);
        const notes = walkText(json, { sizes });
        expect(notes.unreadables).toEqual([]);
        expect(notes.executions.map(reportedValues)).toEqual(parsed.data.map(expectedValues));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("recorded executions", () => {
  let recorded: readonly { readonly inList: string; readonly alone: string }[];

  beforeAll(async () => {
    const store = createExecutionStore(await readRecording());
    recorded = store.all.map(({ write }) => ({
      inList: write("itemWithData"),
      alone: write("detailWithData"),
    }));
  });

  const byId = <T extends { readonly executionId: string }>(links: readonly T[]): T[] =>
    links.toSorted((a, b) => Number(a.executionId) - Number(b.executionId));

  /** What the walk must report, read from the parsed execution. */
  function expected(json: string): unknown {
    const execution = executionWithData.parse(JSON.parse(json));
    const links = linksOf(execution);
    const { id, workflowId, status, mode, createdAt, startedAt, stoppedAt } = execution;
    const { waitTill, retryOf, retrySuccessId } = execution;
    const times = { createdAt, startedAt, stoppedAt, waitTill };
    return {
      item: { id, workflowId, status, mode, ...times, retryOf, retrySuccessId },
      workflowName: execution.workflowData?.name ?? null,
      parentId: links.parent?.executionId ?? null,
      unknownParentWorkflowId: /"executionId":"__UNKNOWN__","workflowId":"(\w+)"/.exec(json)?.[1] ?? null,
      subExecutions: byId(
        links.subExecutions.map(({ executionId, nodeName }) => ({ executionId, nodeName })),
      ),
      isWithheld: false,
      isTooLarge: false,
      savesProgress:
        savesProgress.parse(JSON.parse(json)).workflowData?.settings?.saveExecutionProgress ?? null,
      outcome: expect.anything(),
    };
  }

  const toComparable = ({ walked }: ReportedExecution): unknown => ({
    ...walked,
    subExecutions: byId(walked.subExecutions),
  });

  test("have the same facts and links as when parsed", () => {
    const page = `{"data":[${recorded.map(({ inList }) => inList).join(",")}],"nextCursor":null}`;
    const notes = walkText(page, { sizes: [1_000, 7, 64 * 1024] });
    expect(notes.unreadables).toEqual([]);
    expect(notes.executions.map(toComparable)).toEqual(recorded.map(({ inList }) => expected(inList)));
    const links = notes.executions.flatMap(({ walked }) => walked.subExecutions);
    // Otherwise nothing would have been compared.
    expect(links.length).toBeGreaterThan(5);
  });

  test("have the same facts and links when walked alone, byte by byte", () => {
    const withLinks = recorded.find(({ alone }) => alone.includes('"subExecution":'));
    if (withLinks === undefined) throw new Error("No recorded execution has called another.");
    const notes = walkText(withLinks.alone, { form: "one", sizes: SINGLE_BYTES });
    expect(toComparable(only(notes))).toEqual(expected(withLinks.alone));
    expect(only(notes).walked.subExecutions).not.toEqual([]);
  });
});

describe("links and statuses of n8n 1.x", () => {
  const { status: _status, ...bare } = { ...FACTS, finished: false };
  const walked = (facts: Record<string, unknown>) => only(walkList({ ...bare, ...facts })).walked;
  const resultData = (error?: unknown) => ({
    data: { resultData: { runData: {}, ...(error ? { error } : {}) } },
  });

  test("an error run names the failed execution in its Error Trigger's item", () => {
    const items = [[{ json: { execution: { id: "5", url: "http://n8n", error: { message: "x" } } } }]];
    const data = { resultData: { runData: { "Error Trigger": [{ data: { main: items } }] } } };
    expect(walked({ mode: "error", data }).parentId).toBe("5");
    // Elsewhere the same item is ordinary payload.
    expect(walked({ mode: "webhook", data }).parentId).toBeNull();
  });

  test("a wanted key inside such an item is still reported as a value", () => {
    const items = [[{ json: { execution: { id: "5", requestId: "req-1", deep: { requestId: "req-2" } } } }]];
    const data = { resultData: { runData: { Start: [{ data: { main: items } }] } } };
    const { values } = only(walkList({ ...bare, data }));
    expect(values.map(({ value, place }) => [value, place.path.join(".")])).toEqual([
      ["req-1", "execution.requestId"],
      ["req-2", "execution.deep.requestId"],
    ]);
  });

  const failedWith = (type: string) => ({
    data: {
      resultData: { runData: { Call: [{ error: { message: "x", executionId: "9", workflowId: "w2" } }] } },
    },
    workflowData: { name: "w", nodes: [{ name: "Call", type }] },
  });
  const CALLER = "n8n-nodes-base.executeWorkflow";

  test("a failed call names its sub-execution on the error only", () => {
    expect(walked(failedWith(CALLER)).subExecutions).toEqual([{ executionId: "9", nodeName: "Call" }]);
    // An execution does not call itself.
    expect(walked({ id: "9", ...failedWith(CALLER) }).subExecutions).toEqual([]);
  });

  test.each(["n8n-nodes-base.code", "n8n-nodes-base.stopAndError", "n8n-nodes-base.httpRequest"])(
    "an execution id on the error of a %s is no call, since its author wrote it",
    (type) => {
      expect(walked(failedWith(type)).subExecutions).toEqual([]);
    },
  );

  test("an execution id on the error of an unknown or other node is no call", () => {
    const { data } = failedWith(CALLER);
    expect(walked({ data }).subExecutions).toEqual([]);
    const { workflowData } = failedWith("n8n-nodes-base.code");
    expect(walked({ workflowData, data }).subExecutions).toEqual([]);
    expect(walked({ workflowData: failedWith(CALLER).workflowData, data }).subExecutions).toHaveLength(1);
  });

  test("a parent unknown to n8n is identified by its workflow", () => {
    const parentExecution = { executionId: "__UNKNOWN__", workflowId: "server" };
    expect(walked({ data: { parentExecution } })).toMatchObject({
      parentId: null,
      unknownParentWorkflowId: "server",
    });
    const known = { executionId: "3", workflowId: "caller" };
    expect(walked({ data: { parentExecution: known } }).unknownParentWorkflowId).toBeNull();
  });

  test.each([
    ["finished", { finished: true }, "success"],
    ["neither finished nor stopped", { stoppedAt: null }, "running"],
    ["to be woken", { waitTill: "3000-01-01T00:00:00.000Z" }, "waiting"],
    ["failed", resultData({ message: "x", name: "NodeOperationError" }), "error"],
    ["stopped without an error", resultData(), "canceled"],
    ["stopped by hand", resultData({ message: "x", name: "ManualExecutionCancelledError" }), "canceled"],
  ])("without a status, the status of one that is %s is inferred", (_name, facts, status) => {
    expect(walked(facts).item).toMatchObject({ status, isStatusInferred: true });
    expect(walked({ ...facts, status: "crashed" }).item).not.toHaveProperty("isStatusInferred");
  });
});
