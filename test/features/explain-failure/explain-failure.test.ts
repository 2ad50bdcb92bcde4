/** `explain_failure` as a tool: what it asks of n8n, and what it says of executions of which little can be said. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { compared, linked, type Sent } from "../../support/compared-executions.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n } from "../../support/fake-n8n.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };

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
    change = (_n8n: FakeN8n): void => {},
  }: { readonly scopes?: readonly string[]; readonly change?: (n8n: FakeN8n) => void } = {},
): Promise<Asked> {
  const n8n = createFakeN8n(executions);
  change(n8n);
  const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, scopes });
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

describe("an answer that is whole", () => {
  test("has its times, and asks for no other call", async () => {
    const told = z.looseObject({
      startedAt: z.string(),
      durationMs: z.number(),
      _guidance: z.object({ message: z.string(), example: z.string() }),
    });
    const facts = { startedAt: "2026-11-20T08:00:00.000Z", stoppedAt: "2026-11-20T08:00:02.500Z" };
    const refused = { name: "NodeApiError", httpCode: "401", message: "no" };
    const { data } = await ask([failed(9, refused, facts)], "9");
    const { startedAt, durationMs, _guidance } = told.parse(data);
    expect([startedAt, durationMs]).toEqual([facts.startedAt, 2_500]);
    expect(_guidance.message).toMatch(/^This answers it; only for the items themselves:/);
    expect(_guidance.example).toBe('get_execution_by_node({"id":"9","nodeName":"Read"})');
  });

  test("is not one that finds nothing, or no reason", async () => {
    for (const execution of [usual(9), failed(9)]) {
      const { envelope } = await ask([execution], "9");
      expect(JSON.stringify(envelope.data)).not.toContain("This answers it");
    }
  });
});

describe("asks n8n", () => {
  test("twice for a failure: for it, and for the last successes", async () => {
    const { requests, data } = await ask([usual(7), usual(8), failed(9)], "9");
    expect(requests.map((request) => request.replace(/cursor=.*/, ""))).toEqual([
      "/api/v1/executions/9?includeData=true",
      expect.stringMatching(/workflowId=w1&status=success&limit=3&/),
    ]);
    expect(data.comparedWith?.executionId).toBe("8");
  });

  test.each([
    ["one that runs", usual(9, { status: "running", stoppedAt: null })],
    ["one that was tried out in the editor", failed(9, THROWN, { mode: "manual" })],
    ["one whose data is withheld", failed(9, THROWN, { data: withheld() })],
  ])("once for %s", async (_what, execution) => {
    const { requests, data } = await ask([usual(8), execution], "9");
    expect(requests).toHaveLength(1);
    expect(data.comparedWith).toBeNull();
  });

  test("twice for a success: what it did is compared, too", async () => {
    const { requests, data } = await ask([usual(8), usual(9)], "9");
    expect(requests).toHaveLength(2);
    expect(data.comparedWith?.executionId).toBe("8");
    expect(data.explanation).toMatchObject({ cause: "nothing_found", confidence: "observed" });
    expect(data.explanation.sentence).toContain("execution 8");
    expect(data.explanation.sentence).toContain("cannot tell whether the result is right");
  });

  test("four times for a sub-workflow that failed, however deep", async () => {
    const CALL = { Read: { type: "n8n-nodes-base.executeWorkflow", parameters: {} } };
    const calling = (id: number, child: number): FakeExecution =>
      failed(id, { name: "NodeOperationError", message: "no", executionId: String(child) }, { nodes: CALL });
    const { requests, data } = await ask([calling(9, 10), calling(10, 11), failed(11)], "9");
    expect(requests).toHaveLength(4);
    expect(data.explanation).toMatchObject({ cause: "sub_workflow_failed", executionId: "11" });
  });

  test("once more for a workflow that was called: what failed there unseen is found without the index", async () => {
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

  test("three times for a sub-workflow that could not be called", async () => {
    const error = { message: "Workflow is not active and cannot be executed.", extra: { workflowId: "w9" } };
    const nodes = { Read: { type: "n8n-nodes-base.executeWorkflow", parameters: {} } };
    const { requests, data } = await ask([failed(9, error, { nodes })], "9", {
      change: (n8n) => {
        n8n.intercept = (url) =>
          url.pathname.endsWith("/workflows/w9") ? Response.json({}, { status: 404 }) : undefined;
      },
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

/** So much is in the data, if a reader takes it all. */
const MEGABYTES = 100;

/** With items of so many megabytes, which are sent piece by piece: they are never in memory at once. */
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

describe("of an execution of 100 MB", () => {
  const large = (id: number, code: Sent): FakeExecution => {
    const execution = compared(id, [webhook({ plan: "pro" }), sends("Load", 0), code], { nodes: READ });
    const text = JSON.stringify(execution).replace('[{"json":0}]', '["large items"]');
    return z.looseObject({ id: z.string() }).parse(JSON.parse(text));
  };

  test.each([
    ["that failed", { node: "Read", error: THROWN }, "code_threw"],
    ["that succeeded", sends("Read", { a: 1 }), "edited"],
  ] satisfies [string, Sent, string][])("%s, what can be said is said", async (_what, code, cause) => {
    const threw = { Read: { ...READ.Read, parameters: { jsCode: "throw new Error('no')" } } };
    const own = large(9, code);
    const execution = {
      ...own,
      workflowData: compared(9, [webhook({}), sends("Load"), code], { nodes: threw }).workflowData,
    };
    const { data } = await ask([usual(8), execution], "9", {
      change: (n8n) => {
        n8n.intercept = (url) =>
          url.pathname.endsWith("/executions/9") ? largeAnswer(execution) : undefined;
      },
    });
    expect(data.explanation.cause).toBe(cause);
  });
});

test("of an execution of 500 nodes the node in the middle is named, and where it began", async () => {
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

describe("what can be said is said of one that", () => {
  test("runs: it has not ended, and which node was last", async () => {
    const { envelope, data } = await ask([usual(9, { status: "running", stoppedAt: null })], "9");
    expect(data.explanation).toMatchObject({ cause: "running", node: "Read", confidence: "exact" });
    expect(envelope.message).toContain("has not ended");
  });

  test("was deleted", async () => {
    const n8n = createFakeN8n([usual(8)]);
    const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch });
    expect(await caller.call("explain_failure", { executionId: "9" })).toMatchObject({
      status: "error",
      data: { code: "EXECUTION_NOT_FOUND", details: { solution: expect.any(String) } },
    });
  });

  test("is withheld: where it failed, and that no more can be told", async () => {
    const { data } = await ask([usual(8), failed(9, THROWN, { data: withheld() })], "9");
    expect(data).toMatchObject({ explanation: { node: "Read" }, incomplete: ["withheld"] });
    expect(data.explanation.cause).toBe("node_failed");
  });

  test("is withheld and succeeded: it is not called well", async () => {
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

  test("has a type of node that nobody knows", async () => {
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

  test("took long to be read: what was before it, which would take as long, is not", async () => {
    const n8n = createFakeN8n([usual(8), failed(9)]);
    let now = Date.UTC(2026, 0, 2);
    n8n.intercept = () => {
      now += 3_000;
      return undefined;
    };
    const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, now: () => now });
    const { data } = await caller.call("explain_failure", { executionId: "9" });
    expect(data).toMatchObject({
      explanation: { node: "Read" },
      comparedWith: null,
      incomplete: ["not_compared"],
    });
    expect(n8n.requests).toHaveLength(1);
  });

  test.each([403, 500])("can be read, while n8n answers %i to whatever would tell more", async (status) => {
    const { data } = await ask([usual(8), failed(9)], "9", {
      change: (n8n) => {
        n8n.intercept = (url) =>
          url.searchParams.has("status") ? Response.json({ message: "no" }, { status }) : undefined;
      },
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

test.each([{}, { executionId: "9", requestId: "r" }, { executionId: "x" }])("%j is refused", async (args) => {
  const caller = createCaller({ settings: SETTINGS, fetch: createFakeN8n([]).fetch });
  expect(await caller.call("explain_failure", args)).toMatchObject({ data: { code: "VALIDATION_ERROR" } });
});

describe("a failure of which nothing is known but where it was", () => {
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

  test("is told with what it reads and was sent otherwise than before", async () => {
    expect(await sentenceOf([], "a")).toBe(
      '"Read" failed (Error): the code of the node threw an error. What "Load" sent differs from the last success (execution 8): "lines" is empty array, was array.',
    );
  });

  test("and without what it does not read, or what is known otherwise", async () => {
    expect(await sentenceOf([1], null)).not.toContain("differs");
    const gone = { name: "NodeApiError", httpCode: "503", message: "no" };
    expect(await sentenceOf([], "a", gone)).not.toContain("differs");
  });
});

describe("a success of which nothing certain is known", () => {
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

  test("a value that was the same in all successes is told, to whom may see it", async () => {
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
    ["one success shows no constant", [pays(7, "paid"), pays(8, "refused")]],
    ["a value that varies is none", [pays(6, "paid"), pays(7, "late"), pays(8, "refused")]],
    ["the same is no change", [pays(6, "paid"), pays(7, "paid"), pays(8, "paid")]],
  ])("%s", async (_what, executions) => {
    const { data } = await ask(executions, "8");
    expect(data.explanation.cause).toBe("nothing_found");
  });

  test("one that a decision tests is told before others", async () => {
    const tests = { type: "n8n-nodes-base.if", parameters: { value: "={{ $json.state }}" } };
    const charged = (id: number, state: string, kind: string, nodes: object): FakeExecution =>
      compared(id, [webhook({}), sends("Charge", { kind, state }), sends("Split", { kind, state })], {
        nodes: { Charge: { type: "n8n-nodes-base.httpRequest", parameters }, ...nodes },
      });
    const told = async (nodes: object): Promise<unknown> => {
      const good = [6, 7].map((id) => charged(id, "paid", "card", nodes));
      return (await ask([...good, charged(8, "refused", "cash", nodes)], "8")).data.explanation.field;
    };
    expect(await told({ Split: tests })).toBe("state");
    expect(await told({ Split: { ...tests, parameters: { value: "={{ $json.kind }}" } } })).toBe("kind");
  });

  test("the outputs that were used are told, and what was found comes last", async () => {
    const { data } = await ask([pays(6, "paid"), pays(7, "paid"), pays(8, "paid", { isLate: true })], "8");
    expect(data.explanation.sentence).toBe(
      '"Split" sent by output 2; in the last success (execution 7) it sent by output 1.',
    );
    expect(data.evidence.at(-1)).toMatchObject({ cause: "nothing_found" });
  });

  test("an edit that the last success already ran with is told of the node that is observed", async () => {
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

  test("an edit comes before all that differs", async () => {
    const edited = { Charge: { type: "n8n-nodes-base.httpRequest", parameters: { jsCode: "return 1" } } };
    const { data } = await ask(
      [pays(6, "paid"), pays(7, "paid"), pays(8, "refused", { nodes: edited })],
      "8",
    );
    expect(data.explanation).toMatchObject({ cause: "edited", node: "Charge" });
    expect(data.evidence[0]).toMatchObject({ cause: "differs", node: "Charge" });
  });
});

describe("redacts by its own name", () => {
  test.each(["pass.word", "api.key", "verification.code", "Api key"])(
    "a value under the key %j, which is no path",
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

  test("what stands in a report under a name that is no message's", async () => {
    const held = (id: number, json: unknown): FakeExecution =>
      linked(compared(id, [webhook({}), sends("Read", json)], { nodes: ASK }));
    const { data } = await ask([held(7, {}), held(8, { errors: [{ password: "hunter2" }] })], "8");
    expect(data.explanation).toMatchObject({
      cause: "reported_failure",
      said: expect.stringMatching(/^\[REDACTED/),
    });
  });

  test("what a value was made from", async () => {
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
});

test("a guard that ended the execution begins with the edit before it", async () => {
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

test("what was found wrong is known to the next trace, which does not call it an error", async () => {
  const requestId = "req-judged-1";
  const order = (id: number, state: string): FakeExecution =>
    compared(id, [webhook({ requestId }), sends("Charge", { state })], {});
  const caller = createCaller({ settings: SETTINGS, fetch: createFakeN8n([order(8, "paid")]).fetch });
  const trace = async () => (await caller.call("trace_request", { requestId })).message;
  expect(await trace()).not.toContain("But in");
  caller.history.instance.store.rows.judge("8", true);
  const told = await trace();
  expect(told).toContain("But in execution 8");
  expect(told).toContain("something in it may be wrong");
  expect(told).not.toContain("error");
});

describe("what differs from the last success", () => {
  /** With connections from each node to the next. */
  const chained = (execution: FakeExecution, ...names: string[]): FakeExecution => {
    const links = names.slice(0, -1).map((name, at) => {
      const next = { node: names[at + 1], type: "main", index: 0 };
      return [name, { main: [[next]] }] as const;
    });
    const workflowData = { ...Object(execution.workflowData), connections: Object.fromEntries(links) };
    return { ...execution, workflowData };
  };

  test("is not told of a node that only an older success ran", async () => {
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

  describe("where a node was given the name of a removed one", () => {
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

    test("its edit is told", async () => {
      const error = { name: "NodeApiError", message: "no" };
      const { data } = await ask([before, linked(now({ url: "new" }, { node: "Get", error }))], "9");
      expect(JSON.stringify(data)).toMatch(/\\"Get\\" was edited since/);
    });

    test("no connection of the removed one is told as one of it", async () => {
      const { data } = await ask([before, now({ url: "old" })], "9");
      expect(JSON.stringify(data)).not.toContain("no longer");
    });
  });

  describe("of a loop with more runs than are read", () => {
    const loop = (id: number, runs: number, each = sends("Work", { a: 1 }), last = each) => {
      const sent = Array.from({ length: runs - 1 }, () => each);
      return chained(compared(id, [webhook({}), ...sent, last]), "Webhook", "Work");
    };

    test.each([[[loop(8, 250)]], [[loop(7, 250), loop(8, 100)]]])(
      "is told, if it ran three times",
      async (before) => {
        const { data } = await ask([...before, loop(9, 3)], "9");
        expect(data.explanation.node).toBe("Work");
        expect(data.explanation.sentence).toMatch(/sent 3 items; .* it sent (?:at least 200|100)\./);
      },
    );

    test("is no output that the last run uses", async () => {
      const each = { node: "Work", items: [[], [{ a: 1 }]] };
      const last = { node: "Work", items: [[{ a: 1 }], []] };
      const { data } = await ask([loop(8, 100, each, last), loop(9, 250, each, last)], "9");
      expect(JSON.stringify(data)).not.toContain("output");
    });
  });
});
