/** `explain_failure` as a tool: its requests to n8n, and what it says of executions of which little is known. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { compared, linked, type Sent } from "../../support/compared-executions.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, failure } from "../../support/fake-n8n.ts";

const finding = z.looseObject({ cause: z.string(), node: z.string().nullable(), confidence: z.string() });
const explained = z.looseObject({
  explanation: finding,
  evidence: z.array(finding),
  comparedWith: z.looseObject({ executionId: z.string() }).nullable(),
  incomplete: z.array(z.string()).optional(),
});

interface Asked {
  readonly envelope: Envelope;
  readonly requests: readonly string[];
  readonly data: z.infer<typeof explained>;
}

async function ask(
  executions: readonly FakeExecution[],
  id: string,
  {
    scopes = ["n8n:read", "n8n:data"],
    intercept,
  }: { readonly scopes?: readonly string[]; readonly intercept?: FakeN8n["intercept"] } = {},
): Promise<Asked> {
  const n8n = createFakeN8n(executions);
  if (intercept !== undefined) n8n.intercept = intercept;
  const caller = createCaller({ fetch: n8n.fetch, scopes });
  const envelope = await caller.call("explain_failure", { executionId: id });
  expect(envelope.status, JSON.stringify(envelope)).toBe("success");
  return { envelope, requests: n8n.requests, data: explained.parse(envelope.data) };
}

const webhook = (body: unknown): Sent => ({ node: "Webhook", items: [[{ body }]] });
const sends = (node: string, ...items: unknown[]): Sent => ({ node, items: [items] });
const THROWN = { name: "WrappedExecutionError", description: "Error", message: "no" };
const READ = { Read: { type: "n8n-nodes-base.code", parameters: { jsCode: "return $json.body.plan" } } };
const ASK = { Read: { type: "n8n-nodes-base.httpRequest", parameters: { method: "POST" } } };
const usual = (id: number, facts = {}): FakeExecution =>
  compared(id, [webhook({ plan: "free" }), sends("Read", { a: 1 })], { nodes: READ, ...facts });
const failed = (id: number, error: object = THROWN, facts = {}): FakeExecution =>
  compared(id, [webhook({ plan: "pro" }), { node: "Read", error }], { nodes: READ, ...facts });

describe("a complete answer", () => {
  test("has its times, and suggests no other call", async () => {
    const answer = z.looseObject({
      startedAt: z.string(),
      durationMs: z.number(),
      _guidance: z.object({ message: z.string(), example: z.string() }),
    });
    const facts = { startedAt: "2026-09-21T14:13:20.000Z", stoppedAt: "2026-09-21T14:13:22.500Z" };
    const refused = { name: "NodeApiError", httpCode: "401", message: "no" };
    const { data } = await ask([failed(9, refused, facts)], "9");
    const { startedAt, durationMs, _guidance } = answer.parse(data);
    expect([startedAt, durationMs]).toEqual([facts.startedAt, 2_500]);
    expect(_guidance.message).toMatch(/^This answers it; only for the items themselves:/);
    expect(_guidance.example).toBe('get_execution_by_node({"id":"9","nodeName":"Read"})');
  });

  test("is not one without a finding or a reason", async () => {
    for (const execution of [usual(9), failed(9)]) {
      const { envelope } = await ask([execution], "9");
      expect(JSON.stringify(envelope.data)).not.toContain("This answers it");
    }
  });
});

describe("requests to n8n", () => {
  test("are two for a failure: the execution, and the last successes", async () => {
    const { requests, data } = await ask([usual(7), usual(8), failed(9)], "9");
    expect(requests.map((request) => request.replace(/cursor=.*/, ""))).toEqual([
      "/api/v1/executions/9?includeData=true",
      expect.stringMatching(/workflowId=w1&status=success&limit=3&/),
    ]);
    expect(data.comparedWith?.executionId).toBe("8");
  });

  test.each([
    ["a running execution", usual(9, { status: "running", stoppedAt: null })],
    ["a trial in the editor", failed(9, THROWN, { mode: "manual" })],
    ["an execution with withheld data", failed(9, THROWN, { data: withheld() })],
  ])("are one for %s", async (_what, execution) => {
    const { requests, data } = await ask([usual(8), execution], "9");
    expect(requests).toHaveLength(1);
    expect(data.comparedWith).toBeNull();
  });

  test("are two for a success, which is compared as well", async () => {
    const { requests, data } = await ask([usual(8), usual(9)], "9");
    expect(requests).toHaveLength(2);
    expect(data.comparedWith?.executionId).toBe("8");
    expect(data.explanation).toMatchObject({ cause: "nothing_found", confidence: "observed" });
    expect(data.explanation.sentence).toContain("execution 8");
    expect(data.explanation.sentence).toContain("cannot tell whether the result is right");
  });

  test("are four for a failed sub-workflow, however deep", async () => {
    const CALL = { Read: { type: "n8n-nodes-base.executeWorkflow", parameters: {} } };
    const calling = (id: number, child: number): FakeExecution =>
      failed(id, { name: "NodeOperationError", message: "no", executionId: String(child) }, { nodes: CALL });
    const { requests, data } = await ask([calling(9, 10), calling(10, 11), failed(11)], "9");
    expect(requests).toHaveLength(4);
    expect(data.explanation).toMatchObject({ cause: "sub_workflow_failed", executionId: "11" });
  });

  test("are three for a call that was not waited for, even without the index", async () => {
    const parameters = { options: { waitForSubWorkflow: false } };
    const nodes = { Read: { type: "n8n-nodes-base.executeWorkflow", parameters } };
    const calling = usual(9, { nodes });
    const named = '"Read":[{"metadata":{"subExecution":{"executionId":"10","workflowId":"w2"}},';
    const data9: unknown = JSON.parse(JSON.stringify(calling.data).replace('"Read":[{', named));
    const { requests, data } = await ask(
      [{ ...calling, data: data9 }, failed(10, THROWN, { workflowId: "w2" })],
      "9",
    );
    expect(requests).toHaveLength(3);
    expect(data.explanation).toMatchObject({ cause: "sub_workflow_unnoticed", executionId: "10" });
  });

  test("are three for a sub-workflow that could not be called", async () => {
    const error = { message: "Workflow is not active and cannot be executed.", extra: { workflowId: "w9" } };
    const nodes = { Read: { type: "n8n-nodes-base.executeWorkflow", parameters: {} } };
    const { requests, data } = await ask([failed(9, error, { nodes })], "9", {
      intercept: (url) => (url.pathname.endsWith("/workflows/w9") ? failure(404) : undefined),
    });
    expect(requests).toHaveLength(3);
    expect(data.explanation.cause).toBe("sub_workflow_missing");
  });
});

function withheld(executionStatus = "error"): object {
  const run = { startTime: 1, executionTime: 1, source: [], executionStatus };
  return {
    redactionInfo: { isRedacted: true },
    resultData: { runData: { Read: [run] }, lastNodeExecuted: "Read" },
  };
}

/** Size of the execution's data in megabytes, if a reader kept all of it. */
const MEGABYTES = 100;

/** An answer with megabytes of items, sent piece by piece so that they are never in memory at once. */
function largeAnswer(execution: FakeExecution): Response {
  const PLACE = '"large items"';
  const [head = "", tail = ""] = JSON.stringify(execution).split(PLACE);
  const item = JSON.stringify({ json: { text: "word ".repeat(200), n: 1, list: [1, 2, 3] } });
  const block = new TextEncoder().encode(`${item},`.repeat(Math.ceil((1024 * 1024) / (item.length + 1))));
  let sent = -1;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      if (sent === 0) controller.enqueue(new TextEncoder().encode(head));
      else if (sent <= MEGABYTES) controller.enqueue(block);
      else {
        controller.enqueue(new TextEncoder().encode(item + tail));
        controller.close();
      }
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

const large = (id: number, code: Sent): FakeExecution => {
  const execution = compared(id, [webhook({ plan: "pro" }), sends("Load", 0), code], { nodes: READ });
  const text = JSON.stringify(execution).replace('[{"json":0}]', '["large items"]');
  return z.looseObject({ id: z.string() }).parse(JSON.parse(text));
};

test.each([
  ["that failed", { node: "Read", error: THROWN }, "code_threw"],
  ["that succeeded", sends("Read", { a: 1 }), "edited"],
] satisfies [string, Sent, string][])(
  "an execution of 100 MB %s is explained",
  async (_what, code, cause) => {
    const threw = { Read: { ...READ.Read, parameters: { jsCode: "throw new Error('no')" } } };
    const own = large(9, code);
    const execution = {
      ...own,
      workflowData: compared(9, [webhook({}), sends("Load"), code], { nodes: threw }).workflowData,
    };
    const { data } = await ask([usual(8), execution], "9", {
      intercept: (url) => (url.pathname.endsWith("/executions/9") ? largeAnswer(execution) : undefined),
    });
    expect(data.explanation.cause).toBe(cause);
  },
);

test("the failing node and the root are found in the middle of 500 nodes", async () => {
  const names = Array.from({ length: 500 }, (_node, at) => `Node ${at}`);
  const nodes = Object.fromEntries(
    names.map((name) => [
      name,
      { type: "n8n-nodes-base.code", parameters: { jsCode: "return $json.a.b.c()" } },
    ]),
  );
  const message = "Cannot read properties of undefined (reading 'c')";
  const run = (id: number, item: object, error?: object): FakeExecution => {
    const before = names.slice(0, 250).map((name) => sends(name, { a: { b: 1 } }));
    const after: Sent[] = error === undefined ? names.slice(250).map((name) => sends(name, { a: 1 })) : [];
    const middle: Sent[] = error === undefined ? [] : [{ node: "Node 250", error }];
    const all = [...before.slice(0, -1), sends("Node 249", item), ...middle, ...after];
    const execution = compared(id, all, { nodes });
    return linked(execution);
  };
  const { data } = await ask(
    [
      run(8, { a: { b: 1 } }),
      run(9, { a: {} }, { name: "WrappedExecutionError", description: "TypeError", message }),
    ],
    "9",
  );
  expect(data.explanation).toMatchObject({ cause: "field_missing", node: "Node 249", field: "a.b" });
  expect(data.comparedWith?.executionId).toBe("8");
});

describe("an explanation is given for an execution that", () => {
  test("is running, with its last node", async () => {
    const { envelope, data } = await ask([usual(9, { status: "running", stoppedAt: null })], "9");
    expect(data.explanation).toMatchObject({ cause: "running", node: "Read", confidence: "exact" });
    expect(envelope.message).toContain("has not ended");
  });

  test("was deleted, as an error with a solution", async () => {
    const n8n = createFakeN8n([usual(8)]);
    const caller = createCaller({ fetch: n8n.fetch });
    expect(await caller.call("explain_failure", { executionId: "9" })).toMatchObject({
      status: "error",
      data: { code: "EXECUTION_NOT_FOUND", details: { solution: expect.any(String) } },
    });
  });

  test("is withheld, with the failed node and the limitation", async () => {
    const { data } = await ask([usual(8), failed(9, THROWN, { data: withheld() })], "9");
    expect(data).toMatchObject({ explanation: { node: "Read" }, incomplete: ["withheld"] });
    expect(data.explanation.cause).toBe("node_failed");
  });

  test("is withheld and succeeded, without calling it correct", async () => {
    const { data } = await ask([usual(9, { data: withheld("success") })], "9");
    expect(data.explanation).toMatchObject({ cause: "withheld", confidence: "observed" });
    expect(data.incomplete).toContain("withheld");
  });

  test("is too large for n8n to display", async () => {
    const { data } = await ask([usual(9, { dataTooLargeToDisplay: true, data: {} })], "9");
    expect(data).toMatchObject({ explanation: { cause: "too_large" }, incomplete: ["too_large"] });
  });

  test("was not saved", async () => {
    const { data } = await ask([usual(9, { data: { resultData: {} } })], "9");
    expect(data).toMatchObject({ explanation: { cause: "no_data" }, incomplete: ["not_saved"] });
  });

  test("has a node of an unknown type", async () => {
    const nodes = { Read: { type: "community.n8n-nodes-unheard-of.Thing", parameters: { any: [1] } } };
    const { data } = await ask([usual(8, { nodes }), failed(9, { message: "no" }, { nodes })], "9");
    expect(data.explanation).toMatchObject({ cause: "node_failed", node: "Read", confidence: "exact" });
  });

  test("was edited beyond recognition since the last success", async () => {
    const nodes = Object.fromEntries(Array.from({ length: 12 }, (_node, at) => [`New ${at}`, {}]));
    const { data } = await ask([usual(8), failed(9, THROWN, { nodes: { ...READ, ...nodes } })], "9");
    expect(data).toMatchObject({ comparedWith: null, incomplete: ["edited_beyond_recognition"] });
    expect(data.explanation.node).toBe("Read");
  });

  test("took long to read, without reading another one that would take as long", async () => {
    const n8n = createFakeN8n([usual(8), failed(9)]);
    let now = Date.UTC(2026, 0, 2);
    n8n.intercept = () => {
      now += 3_000;
      return undefined;
    };
    const caller = createCaller({ fetch: n8n.fetch, now: () => now });
    const { data } = await caller.call("explain_failure", { executionId: "9" });
    expect(data).toMatchObject({
      explanation: { node: "Read" },
      comparedWith: null,
      incomplete: ["not_compared"],
    });
    expect(n8n.requests).toHaveLength(1);
  });

  test.each([403, 500])("can be read, while n8n answers further requests with %i", async (status) => {
    const { data } = await ask([usual(8), failed(9)], "9", {
      intercept: (url) =>
        url.searchParams.has("status") ? Response.json({ message: "no" }, { status }) : undefined,
    });
    expect(data).toMatchObject({
      explanation: { node: "Read" },
      comparedWith: null,
      incomplete: ["n8n_did_not_tell_more"],
    });
  });

  test("has no success before it", async () => {
    const { data } = await ask([failed(9)], "9");
    expect(data).toMatchObject({ comparedWith: null, explanation: { node: "Read" } });
    expect(data).not.toHaveProperty("incomplete");
  });
});

test.each([{}, { executionId: "9", requestId: "r" }, { executionId: "x" }])(
  "%j is rejected",
  async (args) => {
    const caller = createCaller({ fetch: createFakeN8n([]).fetch });
    expect(await caller.call("explain_failure", args)).toMatchObject({ data: { code: "VALIDATION_ERROR" } });
  },
);

describe("a failure of which only the node is known", () => {
  const failing = (error: object, lines: unknown, note: unknown) =>
    compared(9, [webhook({}), sends("Load", { lines, note }), { node: "Read", error }], { nodes: READS });
  const READS = {
    Load: { type: "n8n-nodes-base.set", parameters: { name: "note" } },
    Read: { type: "n8n-nodes-base.code", parameters: { jsCode: "return $json.lines" } },
  };
  const success = compared(8, [webhook({}), sends("Load", { lines: [1], note: "a" }), sends("Read", {})], {
    nodes: READS,
  });
  const sentenceOf = async (lines: unknown, note: unknown, error: object = THROWN): Promise<unknown> =>
    (await ask([success, failing(error, lines, note)], "9")).data.explanation.sentence;

  test("is reported with the input that differs from the last success", async () => {
    expect(await sentenceOf([], "a")).toBe(
      '"Read" failed (Error): the code of the node threw an error. What "Load" sent differs from the last success (execution 8): "lines" is empty array, was array.',
    );
  });

  test("is reported without unread input, and without any where the cause is known", async () => {
    expect(await sentenceOf([1], null)).not.toContain("differs");
    const gone = { name: "NodeApiError", httpCode: "503", message: "no" };
    expect(await sentenceOf([], "a", gone)).not.toContain("differs");
  });
});

describe("a success without a certain finding", () => {
  const parameters = { jsCode: "return $json.state" };
  const pays = (
    id: number,
    state: unknown,
    facts: { isLate?: boolean; nodes?: object } = {},
  ): FakeExecution =>
    compared(
      id,
      [
        webhook({ plan: `plan ${id}` }),
        sends("Charge", { state, ref: `charge-${id}` }),
        facts.isLate === true
          ? { node: "Split", items: [[], [{ a: 1 }]] }
          : { node: "Split", items: [[{ a: 1 }], []] },
      ],
      { nodes: { Charge: { type: "n8n-nodes-base.httpRequest", parameters }, ...facts.nodes } },
    );

  test("reports a value that was the same in all former successes", async () => {
    const { data } = await ask([pays(6, "paid"), pays(7, "paid"), pays(8, "refused")], "8");
    expect(data.explanation).toMatchObject({
      cause: "differs",
      node: "Charge",
      field: "state",
      confidence: "compared",
      value: '"refused"',
      was: '"paid"',
    });
    expect(data.explanation.sentence).toBe(
      '"state" that "Charge" sent is another one: it was the same in the last 2 successes.',
    );
  });

  test.each([
    ["after a single success", [pays(7, "paid"), pays(8, "refused")]],
    ["where the value varies", [pays(6, "paid"), pays(7, "late"), pays(8, "refused")]],
    ["where the value is unchanged", [pays(6, "paid"), pays(7, "paid"), pays(8, "paid")]],
  ])("reports no value %s", async (_what, executions) => {
    const { data } = await ask(executions, "8");
    expect(data.explanation.cause).toBe("nothing_found");
  });

  test("reports a value that a decision tests before others", async () => {
    const tests = { type: "n8n-nodes-base.if", parameters: { value: "={{ $json.state }}" } };
    const charged = (id: number, state: string, kind: string, nodes: object): FakeExecution =>
      compared(id, [webhook({}), sends("Charge", { kind, state }), sends("Split", { kind, state })], {
        nodes: { Charge: { type: "n8n-nodes-base.httpRequest", parameters }, ...nodes },
      });
    const firstField = async (nodes: object): Promise<unknown> => {
      const good = [6, 7].map((id) => charged(id, "paid", "card", nodes));
      return (await ask([...good, charged(8, "refused", "cash", nodes)], "8")).data.explanation.field;
    };
    expect(await firstField({ Split: tests })).toBe("state");
    expect(await firstField({ Split: { ...tests, parameters: { value: "={{ $json.kind }}" } } })).toBe(
      "kind",
    );
  });

  test('reports another used output, and lists "nothing found" last', async () => {
    const { data } = await ask([pays(6, "paid"), pays(7, "paid"), pays(8, "paid", { isLate: true })], "8");
    expect(data.explanation.sentence).toBe(
      '"Split" sent by output 2; in the last success (execution 7) it sent by output 1.',
    );
    expect(data.evidence.at(-1)).toMatchObject({ cause: "nothing_found" });
  });

  test("reports an edit of the observed node that the last success already had", async () => {
    const edited = { Charge: { type: "n8n-nodes-base.httpRequest", parameters: { jsCode: "return 1" } } };
    const executions = [
      pays(6, "paid"),
      pays(7, "paid", { nodes: edited }),
      pays(8, "refused", { nodes: edited }),
    ];
    const { data } = await ask(executions, "8");
    expect(data.explanation).toMatchObject({ cause: "edited", node: "Charge" });
    expect(data.explanation.sentence).toContain("execution 6");
  });

  test("reports an edit before all that differs", async () => {
    const edited = { Charge: { type: "n8n-nodes-base.httpRequest", parameters: { jsCode: "return 1" } } };
    const { data } = await ask(
      [pays(6, "paid"), pays(7, "paid"), pays(8, "refused", { nodes: edited })],
      "8",
    );
    expect(data.explanation).toMatchObject({ cause: "edited", node: "Charge" });
    expect(data.evidence[0]).toMatchObject({ cause: "differs", node: "Charge" });
  });
});

describe("redaction hides", () => {
  test.each(["pass.word", "api.key", "verification.code", "Api key"])(
    "a value under the key %j, which is not a path",
    async (key) => {
      const held = (id: number, secret: string): FakeExecution =>
        compared(id, [webhook({}), sends("Read", { [key]: secret })], { nodes: READ });
      const answer = await ask([held(6, "kiwi1"), held(7, "kiwi1"), held(8, "kiwi2")], "8");
      expect(answer.data.explanation).toMatchObject({ cause: "differs", node: "Read" });
      expect(JSON.stringify(answer)).not.toContain("kiwi");
    },
  );

  test("a value whose name the workflow does not mention", async () => {
    const held = (id: number, password: string): FakeExecution =>
      compared(id, [webhook({}), sends("Read", { password })], { nodes: READ });
    const { data } = await ask([held(6, "hunter1"), held(7, "hunter1"), held(8, "hunter2")], "8");
    expect(data.explanation.value).toContain("[REDACTED");
    expect(JSON.stringify(data)).not.toContain("hunter");
  });

  test("a reported failure under a name that is secret", async () => {
    const held = (id: number, json: unknown): FakeExecution =>
      linked(compared(id, [webhook({}), sends("Read", json)], { nodes: ASK }));
    const { data } = await ask([held(7, {}), held(8, { errors: [{ password: "hunter2" }] })], "8");
    expect(data.explanation).toMatchObject({
      cause: "reported_failure",
      said: expect.stringMatching(/^\[REDACTED/),
    });
  });

  test("the origin of a broken value", async () => {
    const held = (id: number, pin: string): FakeExecution =>
      linked(
        compared(id, [webhook({ password: pin }), sends("Read", { password: Number(pin) })], { nodes: READ }),
      );
    const { data } = await ask([held(6, "1234567"), held(7, "0098765")], "7");
    expect(data.explanation).toMatchObject({
      cause: "broken_value",
      said: expect.stringMatching(/^\[REDACTED/),
    });
    expect(JSON.stringify(data)).not.toContain("98765");
  });

  test("a value below the name of a secret", async () => {
    const held = (id: number, db: string): FakeExecution =>
      linked(
        compared(id, [webhook({ secrets: { db } }), sends("Read", { secrets: { db: Number(db) } })], {
          nodes: READ,
        }),
      );
    const { data } = await ask([held(6, "1234567"), held(7, "0098765")], "7");
    expect(data.explanation).toMatchObject({ cause: "broken_value" });
    expect(JSON.stringify(data)).not.toContain("98765");
  });

  test("an edited parameter of a query", async () => {
    const [old, now] = ["9f8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d", "1f2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d"];
    const held = (id: number, value: string, sent: Sent): FakeExecution => {
      const parameters = { queryParameters: { parameters: [{ name: "key", value }] } };
      return compared(id, [webhook({}), sent], { nodes: { Read: { ...ASK.Read, parameters } } });
    };
    const refused = { node: "Read", error: { name: "NodeApiError", httpCode: "401", message: "no" } };
    const { data } = await ask([held(7, old, sends("Read", { a: 1 })), held(8, now, refused)], "8");
    expect(data.evidence).toMatchObject([{ cause: "edited", value: expect.stringContaining("[REDACTED") }]);
    expect(JSON.stringify(data)).not.toMatch(new RegExp(`${old}|${now}`));
  });
});

test("an execution stopped on purpose is explained by the edit before", async () => {
  const guarded = (id: number, jsCode: string, isStopped: boolean): FakeExecution =>
    compared(
      id,
      [
        webhook({ plan: "pro" }),
        sends("Read", { a: 1 }),
        ...(isStopped ? [{ node: "Guard", error: { name: "NodeOperationError", message: "too few" } }] : []),
      ],
      {
        nodes: {
          Read: { type: "n8n-nodes-base.code", parameters: { jsCode } },
          Guard: { type: "n8n-nodes-base.stopAndError", parameters: {} },
        },
      },
    );
  const { data } = await ask([guarded(8, "return $json.a", false), guarded(9, "return 1", true)], "9");
  expect(data.explanation).toMatchObject({ cause: "edited", node: "Read" });
  expect(data.explanation.sentence).toContain('"Guard" ended the execution on purpose');
  const same = await ask([guarded(8, "return 1", false), guarded(9, "return 1", true)], "9");
  expect(same.data.explanation).toMatchObject({ cause: "stopped_on_purpose", node: "Guard" });
});

test("a finding is known to the next trace, which does not call it an error", async () => {
  const requestId = "req-judged-1";
  const order = (id: number, state: string): FakeExecution =>
    compared(id, [webhook({ requestId }), sends("Charge", { state })], {});
  const caller = createCaller({ fetch: createFakeN8n([order(8, "paid")]).fetch });
  const trace = async () => (await caller.call("trace_request", { requestId })).message;
  expect(await trace()).not.toContain("But in");
  caller.history.instance.store.rows.judge("8", true);
  const message = await trace();
  expect(message).toContain("But in execution 8");
  expect(message).toContain("something in it may be wrong");
  expect(message).not.toContain("error");
});

describe("the difference from the last success", () => {
  /** The execution with connections from each node to the next. */
  const chained = (execution: FakeExecution, ...names: string[]): FakeExecution => {
    const links = names.slice(0, -1).map((name, at) => {
      const next = { node: names[at + 1], type: "main", index: 0 };
      return [name, { main: [[next]] }] as const;
    });
    const workflowData = { ...Object(execution.workflowData), connections: Object.fromEntries(links) };
    return { ...execution, workflowData };
  };

  test("does not include a node that only an older success ran", async () => {
    const nodes = { nodes: { A: {}, B: {} } };
    const run = (id: number, ...sent: Sent[]) =>
      chained(compared(id, [webhook({}), ...sent], nodes), "Webhook", "B");
    const executions = [
      run(7, sends("B", { x: 1 }, { x: 2 }, { x: 3 })),
      run(8, sends("A", { a: 1 })),
      run(9, sends("B", { y: 1 })),
    ];
    const { data } = await ask(executions, "9");
    expect(data.explanation.cause).toBe("nothing_found");
  });

  describe("for a node with the name of a removed one", () => {
    const get = (parameters: object, id = "id of Get1") => ({ id, parameters });
    const before = chained(
      compared(8, [webhook({}), sends("Get", { a: 1 }), sends("Get1", { a: 1 })], {
        nodes: { Get1: get({ url: "old" }) },
      }),
      ...["Webhook", "Get", "Get1"],
    );
    const now = (parameters: object, ...sent: Sent[]) =>
      chained(
        compared(9, [webhook({}), ...sent], { nodes: { Get: get(parameters) }, workflowVersionId: "v2" }),
        ...["Webhook", "Get"],
      );

    test("includes its edit", async () => {
      const error = { name: "NodeApiError", message: "no" };
      const { data } = await ask([before, linked(now({ url: "new" }, { node: "Get", error }))], "9");
      expect(JSON.stringify(data)).toMatch(/\\"Get\\" was edited since/);
    });

    test("includes no connection of the removed one", async () => {
      const { data } = await ask([before, now({ url: "old" })], "9");
      expect(JSON.stringify(data)).not.toContain("no longer");
    });
  });

  describe("for a loop with more runs than are read", () => {
    const loop = (id: number, runs: number, each = sends("Work", { a: 1 }), last = each) => {
      const sent = Array.from({ length: runs - 1 }, () => each);
      return chained(compared(id, [webhook({}), ...sent, last]), "Webhook", "Work");
    };

    test.each([[[loop(8, 250)]], [[loop(7, 250), loop(8, 100)]]])(
      "is found if it ran three times",
      async (before) => {
        const { data } = await ask([...before, loop(9, 3)], "9");
        expect(data.explanation.node).toBe("Work");
        expect(data.explanation.sentence).toMatch(/sent 3 items; .* it sent (?:at least 200|100)\./);
      },
    );

    test("does not include an output that only the last run uses", async () => {
      const each = { node: "Work", items: [[], [{ a: 1 }]] };
      const last = { node: "Work", items: [[{ a: 1 }], []] };
      const { data } = await ask([loop(8, 100, each, last), loop(9, 250, each, last)], "9");
      expect(JSON.stringify(data)).not.toContain("output");
    });
  });
});
