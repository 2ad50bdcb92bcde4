import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { compared, type Sent } from "../../support/compared-executions.ts";
import { suggestedCall } from "../../support/envelopes.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, N8N_1_100 } from "../../support/fake-n8n.ts";
import { countTokens } from "../../support/token-counts.ts";

const READ = ["n8n:read"];

const answer = z.looseObject({
  before: z.looseObject({ id: z.string() }),
  nodes: z.array(z.looseObject({ nodeName: z.string() })),
  firstDifference: z.looseObject({ nodeName: z.string(), by: z.string() }).optional(),
  values: z.array(z.looseObject({ nodeName: z.string(), path: z.string() })).default([]),
  settings: z.array(z.looseObject({ nodeName: z.string(), path: z.string() })).default([]),
});
const dataOf = ({ data }: Envelope) => answer.parse(data);

const webhook = (body: unknown): Sent => ({ node: "Webhook", items: [[{ body }]] });
const sends = (node: string, ...items: unknown[]): Sent => ({ node, items: [items] });

async function ask(
  executions: readonly FakeExecution[],
  args: object,
  { scopes = ["n8n:read", "n8n:data"], change = (_n8n: FakeN8n) => {} } = {},
) {
  const n8n = createFakeN8n(executions);
  change(n8n);
  const envelope = await createCaller({ fetch: n8n.fetch, scopes }).call("compare_executions", args);
  return { envelope, requests: n8n.requests };
}

const askPair = async (executions: readonly FakeExecution[], options: Parameters<typeof ask>[2] = {}) =>
  await ask(executions, { id: "2", against: "1" }, options);

describe("on the recorded n8n", () => {
  let n8n: RecordedN8n;
  beforeAll(async () => {
    n8n = await startRecordedN8n();
  });
  afterAll(async () => {
    await n8n.close();
  });

  test.each([
    // The first node with other fields produced what the next one failed on.
    ["7", { nodeName: "Valida Rango", by: "keys" }, ["Valida Rango", "Check"], ["Create Event", "Respond"]],
    ["10", { nodeName: "Create Event", by: "status" }, ["Create Event"], ["Respond"]],
    ["8", { nodeName: "Validar fechas", by: "outputs" }, ["Validar fechas"], ["Success: Rango Válido"]],
    // Sent once, and passed on by three other nodes.
    ["23", { nodeName: "Webhook", by: "keys" }, ["Webhook"], undefined],
    ["53", undefined, [], undefined],
  ])("execution %s differs from the last success first in %j", async (id, first, nodes, gone) => {
    n8n.requests.length = 0;
    const envelope = await createCaller({ settings: settingsFor(n8n), scopes: READ }).call(
      "compare_executions",
      { id },
    );
    const data = dataOf(envelope);
    expect(data.firstDifference).toEqual(first);
    expect(data.nodes.map(({ nodeName }) => nodeName)).toEqual(nodes);
    expect(data.ranBeforeNotNow).toEqual(gone);
    expect(n8n.requests).toHaveLength(2);
    expect(countTokens(JSON.stringify(envelope))).toBeLessThan(500);
  });
});

describe("an execution compared with the last success", () => {
  const usual = (id: number, facts = {}) =>
    compared(id, [webhook({ plan: "free" }), sends("Read", { a: 1 })], facts);
  const failed = compared(9, [webhook({ plan: "pro" }), { node: "Read", error: { message: "no" } }]);

  test("costs two requests, and ignores newer successes", async () => {
    const { envelope, requests } = await ask([usual(7), usual(8), failed, usual(10)], { id: "9" });
    expect(dataOf(envelope).before.id).toBe("8");
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatch(/workflowId=w1&status=success&limit=3&cursor=/);
  });

  test("works on an n8n whose lists have no status", async () => {
    const { envelope } = await ask(
      [usual(8), failed],
      { id: "9" },
      {
        change: (n8n) => {
          n8n.old = N8N_1_100;
        },
      },
    );
    expect(dataOf(envelope).before.id).toBe("8");
  });

  test("is an error with a solution if there is no success", async () => {
    for (const executions of [[failed], [usual(8, { mode: "manual" }), failed]]) {
      const { envelope } = await ask(executions, { id: "9" });
      expect(envelope).toMatchObject({
        status: "error",
        data: {
          code: "EXECUTION_NOT_FOUND",
          details: {
            field: "against",
            solution: expect.stringContaining('get_workflow_executions({"workflowId":"w1"'),
          },
        },
      });
    }
  });

  test("shows values only with n8n:data, and never in the message", async () => {
    const { envelope } = await ask([usual(8), failed], { id: "9" });
    expect(dataOf(envelope).values).toEqual([
      { nodeName: "Webhook", path: "body.plan", before: "free", now: "pro" },
    ]);
    expect(envelope.message).not.toMatch(/free|pro\b/);
    const without = await ask([usual(8), failed], { id: "9" }, { scopes: READ });
    expect(JSON.stringify(without.envelope)).not.toMatch(/"free"|"pro"/);
  });
});

test("a value is compared with the same node's, not with a removed namesake's", async () => {
  const before = [webhook({}), sends("Get1", { plan: "pro" }), sends("Get", { plan: "free" })];
  const now = [webhook({}), sends("Get", { plan: "pro" })];
  const facts = { nodes: { Get: { id: "id of Get1" } } };
  const { envelope } = await askPair([compared(1, before), compared(2, now, facts)]);
  expect(dataOf(envelope).values).toEqual([]);
});

test("some of many settings and values are shown, and the rest is counted", async () => {
  const many = (value: string) => Object.fromEntries([..."abcdefghijklmn"].map((name) => [name, value]));
  const run = (id: number, value: string) =>
    compared(id, [webhook(many(value))], { nodes: { Webhook: { parameters: many(value) } } });
  const { envelope } = await askPair([run(1, "x"), run(2, "y")]);
  expect(envelope.data).toMatchObject({ moreSettings: 2, moreValues: 2 });
  expect([dataOf(envelope).settings.length, dataOf(envelope).values.length]).toEqual([12, 12]);
});

describe("a node that only another success ran", () => {
  const run = (id: number, ...sent: Sent[]) =>
    compared(id, [webhook({}), ...sent], { nodes: { A: {}, B: {} } });
  const compareWithOlder = async (older: Sent, now: Sent) => {
    const executions = [run(7, older), run(8, sends("A", { a: 1 })), run(9, now)];
    return (await ask(executions, { id: "9" })).envelope;
  };

  test("is reported with that execution's id", async () => {
    const { message, data } = await compareWithOlder(sends("B", { x: 1, y: 1 }), sends("B", { y: 1 }));
    expect(message).toContain("against execution 8, the last success like it");
    expect(data).toMatchObject({
      nodes: [{ nodeName: "B", comparedWith: "7", fields: [{ missing: ["x"] }] }],
    });
  });

  test("is not reported as the same, because its values are not compared", async () => {
    const { message, data } = await compareWithOlder(
      sends("B", { plan: "free" }),
      sends("B", { plan: "pro" }),
    );
    expect(data).toMatchObject({ same: false, nodes: [] });
    expect(message).toContain("of what was compared, nothing differs");
  });
});

describe("the number of items read is reported", () => {
  const [shorter, complete] = [{ a: 1 }, { a: 1, vat: 1 }];
  const run = (id: number, ...items: object[]) => compared(id, [webhook({}), sends("Read", ...items)]);
  const itemsRead = { before: "3 of 3", now: "3 of 5" };

  test("for a missing field", async () => {
    const now = run(2, shorter, shorter, shorter, complete, complete);
    const executions = [run(1, complete, complete, complete), now];
    const { envelope } = await askPair(executions);
    expect(dataOf(envelope).nodes[0]?.fields).toEqual([{ itemsRead, missing: ["vat"] }]);
  });

  test("if another success was not read completely", async () => {
    const older = run(1, complete, complete, complete, shorter, shorter);
    const { envelope } = await ask([older, run(2, complete), run(3, shorter)], { id: "3" });
    expect(dataOf(envelope).nodes[0]?.fields).toMatchObject([
      { itemsRead: { before: "3 of 5", now: "1 of 1" } },
    ]);
  });

  test("for a missing header", async () => {
    const received = (...names: string[]) => ({
      headers: Object.fromEntries(names.map((name) => [name, "h"])),
    });
    const hook = (id: number, items: object[]) => compared(id, [{ node: "Webhook", items: [items] }]);
    const [one, both] = [received("origin"), received("origin", "host")];
    const executions = [hook(1, [both, both, both]), hook(2, [one, one, one, both, both])];
    const { envelope } = await askPair(executions);
    expect(dataOf(envelope).nodes[0]?.headers).toEqual([{ itemsRead, missing: ["headers.host"] }]);
  });
});

test("a field that the workflow does not mention has no name without n8n:data", async () => {
  const nodes = { Read: { parameters: { value: "={{ $json.body.total }}" } } };
  const run = (id: number, body: object) => compared(id, [webhook({ kept: 1, ...body })], { nodes });
  const executions = [run(1, { total: 1, ada: 1 }), run(2, { grace: 1 })];
  const fields = [{ missing: ["body.total", "body.ada"], added: ["body.grace"] }];
  const whole = await askPair(executions);
  expect(dataOf(whole.envelope).nodes[0]?.fields).toEqual(fields);
  const masked = await askPair(executions, { scopes: READ });
  expect(dataOf(masked.envelope).nodes[0]?.fields).toEqual([{ missing: ["body.total"] }]);
  const fewer = await ask(
    [executions[0] ?? run(1, {}), run(3, {})],
    { id: "3", against: "1" },
    { scopes: READ },
  );
  expect(dataOf(fewer.envelope).nodes[0]?.fields).toEqual([{ missing: ["body.total", "body.?"] }]);
});

test.each(["compare_executions", "explain_failure"])(
  "%s does not reveal whether another payload has a name that the caller posts",
  async (tool) => {
    const posted = compared(1, [webhook({ balances: { "Jane Doe": 1 } }), sends("Read", {})]);
    const answers = await Promise.all(
      ["Jane Doe", "John Doe"].map(async (name) => {
        const failed = [webhook({ balances: { [name]: 1 } }), { node: "Read", error: { message: "no" } }];
        const n8n = createFakeN8n([posted, compared(2, failed)]);
        const caller = createCaller({
          fetch: n8n.fetch,
          scopes: READ,
          now: () => Date.UTC(2026, 0, 2),
        });
        const args = tool === "explain_failure" ? { executionId: "2" } : { id: "2", against: "1" };
        return { answer: await caller.call(tool, args), requests: n8n.requests };
      }),
    );
    expect(answers[0]?.requests).toHaveLength(2);
    expect(answers[0]).toEqual(answers[1]);
  },
);

describe("a secret", () => {
  const SECRET = ["sk_live_4eC39HqLyjWDarj", "tT1zdp7dc"].join("");
  /** The name beside the value makes it a secret. */
  const parameters = (value: string) => ({
    nodes: { Read: { parameters: { headerParameters: { parameters: [{ name: "Authorization", value }] } } } },
  });

  test("in payload is compared after redaction, so that a guess confirms nothing", async () => {
    const run = (id: number, password: string) =>
      compared(id, [webhook({ password, token: SECRET, plan: password.length })]);
    const equal = await askPair([run(1, "hunter-22"), run(2, "hunter-22")]);
    const other = await askPair([run(1, "hunter-23"), run(2, "hunter-22")]);
    expect(dataOf(other.envelope)).toEqual(dataOf(equal.envelope));
    expect(JSON.stringify(other.envelope)).not.toMatch(/hunter|sk_live/);
  });

  test("in a changed parameter is reported, but not shown", async () => {
    const run = (id: number, password: string) => compared(id, [webhook({})], parameters(password));
    const { envelope } = await askPair([run(1, "hunter-22"), run(2, "hunter-23")], { scopes: READ });
    expect(dataOf(envelope).settings).toEqual([
      {
        nodeName: "Read",
        path: "parameters.headerParameters.parameters[0].value",
        before: expect.stringContaining("[REDACTED"),
        now: expect.stringContaining("[REDACTED"),
      },
    ]);
    expect(JSON.stringify(envelope)).not.toContain("hunter");
  });
});

describe("a long loop", () => {
  const loop = (id: number, runs: number, last = sends("Work", { a: 1 })) =>
    compared(id, [webhook({}), ...Array.from({ length: runs - 1 }, () => sends("Work", { a: 1 })), last]);
  const against = async (before: FakeExecution, now: FakeExecution) => {
    const { envelope } = await askPair([before, now]);
    return { ...dataOf(envelope), message: envelope.message };
  };

  test("that failed in its last run is reported", async () => {
    const { firstDifference } = await against(
      loop(1, 251),
      loop(2, 251, { node: "Work", error: { message: "no" } }),
    );
    expect(firstDifference).toEqual({ nodeName: "Work", by: "status" });
  });

  test("has the items of all its runs", async () => {
    const { nodes } = await against(loop(1, 210), loop(2, 3_000));
    expect(nodes).toMatchObject([{ nodeName: "Work", items: { before: 210, now: 3_000 } }]);
  });

  test('with more runs than are read has "at least" the items that were read', async () => {
    const { nodes, message } = await against(loop(1, 100), loop(2, 10_300));
    expect(nodes).toMatchObject([{ nodeName: "Work", items: { before: 100, now: "at least 10000" } }]);
    expect(message).toContain("too many node runs");
  });

  test("does not differ in outputs if only an unread last run uses another one", async () => {
    const [each, last] = [
      [[], [{ a: 1 }]],
      [[{ a: 1 }], []],
    ];
    const batches = (id: number, runs: number) => {
      const sent = Array.from({ length: runs }, () => ({ node: "Loop", items: each }));
      return compared(id, [webhook({}), ...sent, { node: "Loop", items: last }]);
    };
    const { firstDifference } = await against(batches(1, 300), batches(2, 10_300));
    expect(firstDifference).toEqual({ nodeName: "Loop", by: "items" });
  });

  test("leaves room for the fields and values of later nodes", async () => {
    const rounds = (id: number, summary: object) => {
      const each = Array.from({ length: 1_700 }, () => ["A", "B", "C"].map((name) => sends(name, { a: 1 })));
      return compared(id, [webhook({}), ...each.flat(), sends("Summary", summary)]);
    };
    const { firstDifference, values } = await against(
      rounds(1, { plan: "free", total: 1 }),
      rounds(2, { plan: "pro" }),
    );
    expect(firstDifference).toEqual({ nodeName: "Summary", by: "keys" });
    expect(values).toMatchObject([{ nodeName: "Summary", path: "plan" }]);
  });
});

describe("two given executions", () => {
  const run = (id: number, facts = {}) => compared(id, [webhook({ a: 1 }), sends("Read", { a: id })], facts);

  test("are read once each", async () => {
    const { envelope, requests } = await askPair([run(1), run(2)]);
    expect(requests.map((request) => request.replace(/\?.*/, ""))).toEqual([
      "/api/v1/executions/2",
      "/api/v1/executions/1",
    ]);
    expect(envelope).toMatchObject({
      data: { nodes: [], values: [{ path: "a" }] },
      message: expect.stringContaining("it differs only in values"),
    });
  });

  test("are compared if of copies of a workflow, not of workflows without a common node", async () => {
    const copy = { workflowId: "w2", nodes: { Webhook: { id: "x" }, Read: { id: "y" } } };
    const { envelope } = await askPair([run(1, copy), run(2)]);
    expect(envelope.message).toContain("of another workflow");
    expect(envelope.data).toMatchObject({ workflow: { isSame: false } });
    const other = compared(1, [sends("Cron", {})], { workflowId: "w2" });
    const refused = await askPair([other, run(2)]);
    expect(refused.envelope).toMatchObject({
      data: { code: "VALIDATION_ERROR", details: { field: "against" } },
    });
  });

  test("must differ and exist", async () => {
    const same = await ask([run(2)], { id: "2", against: "2" });
    expect(same.envelope).toMatchObject({
      data: { code: "VALIDATION_ERROR", details: { field: "against" } },
    });
    expect(same.requests).toEqual([]);
    const gone = await askPair([run(2)]);
    expect(gone.envelope).toMatchObject({
      data: { code: "EXECUTION_NOT_FOUND", message: "There is no execution 1." },
    });
  });

  test.each([
    ["running", { status: "running", stoppedAt: null, data: { resultData: {} } }, "has not ended"],
    ["not saved", { data: { resultData: {} } }, "sends no run of its nodes"],
    ["too large to be sent", { dataTooLargeToDisplay: true, data: {} }, "sends no run of its nodes"],
    ["withheld", { data: { redactionInfo: { isRedacted: true }, resultData: { runData: {} } } }, "withholds"],
    [
      "edited beyond recognition",
      { nodes: Object.fromEntries(Array.from({ length: 9 }, (_n, at) => [`New ${at}`, {}])) },
      "was different then",
    ],
  ])("may include one that is %s, which the message says", async (_name, facts, words) => {
    const now = compared(2, [webhook({ a: 1 })], facts);
    const { envelope } = await askPair([run(1), now]);
    expect(envelope.status).toBe("success");
    expect(envelope.message).toContain(words);
  });
});

describe("`same`", () => {
  const run = (id: number, plan = "free", facts = {}) => compared(id, [webhook({ plan })], facts);
  const noData = { status: "error", data: { resultData: {} }, nodes: { Webhook: {} } };
  const renamed = { nodes: { Hook: { id: "id of Webhook" } } };

  test("is true if all was compared and nothing differs", async () => {
    const { envelope } = await askPair([run(1), run(2)]);
    expect(envelope.data).toMatchObject({ same: true });
    expect(envelope.message).toMatch(/: nothing differs beyond normal variation\.$/);
  });

  test("is true whatever the HTTP headers hold", async () => {
    const received = (id: number, token: string) =>
      compared(id, [sends("Webhook", { headers: { token }, body: { a: 1 } })]);
    const { envelope } = await askPair([received(1, "x".repeat(900)), received(2, "y".repeat(900))]);
    expect(envelope.data).toMatchObject({ same: true });
  });

  const LONG = "word ".repeat(500);
  const sent = (id: number, ...items: unknown[]) => compared(id, [webhook({}), sends("Read", ...items)]);
  const runs = (id: number, last: number) =>
    compared(id, [webhook({}), sends("Read", { t: 1 }), sends("Read", { t: last })]);

  test.each([
    ["later items", sent(1, { t: 1 }, { t: 2 }), sent(2, { t: 1 }, { t: 5 })],
    ["items that are not read", sent(1, 1, 2, 3, 4, { t: 5 }), sent(2, 1, 2, 3, 4, { t: null })],
    ["keys that are data", sent(1, { stock: { "4711": 5 } }), sent(2, { stock: { "4711": 6 } })],
    ["later entries of a list", sent(1, { lines: [1, 2] }), sent(2, { lines: [1, 9] })],
    ["the end of a long text", sent(1, { t: `${LONG}a` }), sent(2, { t: `${LONG}b` })],
    ["later runs", runs(1, 1), runs(2, 9)],
  ])("is false where %s, which may differ, are not compared", async (_name, before, now) => {
    const { envelope } = await askPair([before, now]);
    expect(envelope.data).toMatchObject({ same: false, nodes: [] });
    expect(envelope.message).toContain("of what was compared, nothing differs");
    expect(envelope.message).toContain("Values are compared only in the first item of each node");
  });

  test("is false without n8n:data: values, which may differ, are not compared", async () => {
    const { envelope } = await askPair([run(1), run(2, "pro")], { scopes: READ });
    expect(envelope.data).toMatchObject({ same: false });
    expect(envelope.message).toContain("nothing differs beyond normal variation. Values are not compared.");
  });

  test.each([
    ["values", run(2, "pro"), "it differs only in values."],
    ["the status", run(2, "free", { status: "crashed" }), "it differs only in its status."],
    ["a node that did not run", run(2, "free", { nodes: { New: {} } }), "only in added or removed nodes."],
    [
      "a name",
      compared(2, [{ ...webhook({ plan: "free" }), node: "Hook" }], renamed),
      "only in names of nodes.",
    ],
    ["what n8n kept", compared(2, [], noData), "of what was compared, it differs only in its status."],
  ])("is false if they differ in %s, as the message says", async (_name, now, words) => {
    const { envelope } = await askPair([run(1), now]);
    expect(envelope.data).toMatchObject({ same: false });
    expect(envelope.message).toContain(words);
  });

  test.each(["Get Token", "Auth", "Credentials", "Password reset"])(
    "is false if values differ that a node called %s sent: its name marks no secret",
    async (name) => {
      const signedIn = (id: number, plan: string) => compared(id, [webhook({}), sends(name, { plan })]);
      const { envelope } = await askPair([signedIn(1, "free"), signedIn(2, "pro")]);
      expect(envelope.data).toMatchObject({ same: false });
      expect(dataOf(envelope).values).toEqual([{ nodeName: name, path: "plan", before: "free", now: "pro" }]);
    },
  );

  test("is false if a node that did not run was renamed", async () => {
    const [before, now] = [{ Idle: {} }, { Rest: { id: "id of Idle" } }];
    const executions = [run(1, "free", { nodes: before }), run(2, "free", { nodes: now })];
    const { envelope } = await askPair(executions);
    expect(envelope.data).toMatchObject({ same: false });
    expect(envelope.message).toContain("only in names of nodes.");
  });
});

describe("the suggested call", () => {
  const callOf = async (executions: readonly FakeExecution[], scopes?: readonly string[]) => {
    const given = { fetch: createFakeN8n(executions).fetch };
    const caller = createCaller({ ...given, scopes: [...(scopes ?? ["n8n:read", "n8n:data"])] });
    const answer = await caller.call("compare_executions", { id: "2", against: "1" });
    const { tool, args } = suggestedCall(answer);
    const { status } = await caller.call(tool, args);
    return { tool, args, status };
  };
  const mail = (id: number, sent: readonly Sent[], parameters: object, facts = {}) =>
    compared(id, [webhook({}), ...sent], { ...facts, nodes: { Mail: { parameters } } });
  const mailed = mail(1, [sends("Mail", { a: 1 })], {});

  test.each([
    ["ran only before", {}, {}],
    ["was edited, and of which nothing was kept", { url: "b" }, { data: { resultData: {} } }],
  ])("works for a node that %s", async (_name, parameters, facts) => {
    const { tool, status } = await callOf([mailed, mail(2, [], parameters, facts)]);
    expect([tool, status]).toEqual(["get_execution_by_node", "success"]);
  });

  test("works without n8n:data", async () => {
    const { tool, status } = await callOf([mailed, mail(2, [], {})], READ);
    expect([tool, status]).toEqual(["get_execution", "success"]);
  });

  test("shows the removed node, not the one that now has its name", async () => {
    const before = compared(1, [webhook({}), sends("Get", { a: 1 }), sends("Get1", { a: 1 })]);
    const now = compared(2, [webhook({}), sends("Get", { a: 1 })], { nodes: { Get: { id: "id of Get1" } } });
    expect(await callOf([before, now])).toMatchObject({ args: { id: "1", nodeName: "Get" } });
  });

  test("does not show another node that had the edited one's name", async () => {
    const edited = (u: number, id = "id of Idle") => ({ id, parameters: { u } });
    const before = compared(1, [webhook({}), sends("Old", { a: 1 })], { nodes: { Idle: edited(1) } });
    const nodes = { Fresh: { id: "id of Old" }, Old: edited(2) };
    const now = compared(2, [webhook({}), sends("Fresh", { a: 1 })], { nodes });
    expect(await callOf([before, now])).toMatchObject({ tool: "get_execution", args: { id: "2" } });
  });
});

test("some of many renamed nodes are shown, and the rest is counted", async () => {
  const numbers = Array.from({ length: 25 }, (_node, at) => at);
  const nodesOf = (name: string) =>
    Object.fromEntries(numbers.map((at) => [`${name} ${at}`, { id: String(at) }]));
  const run = (id: number, name: string) => compared(id, [webhook({})], { nodes: nodesOf(name) });
  const { envelope } = await askPair([run(1, "Old"), run(2, "New")]);
  const { workflow } = z
    .object({ workflow: z.object({ renamedNodes: z.array(z.unknown()) }) })
    .parse(envelope.data);
  expect([workflow.renamedNodes.length, workflow.renamedNodes.at(-1)]).toEqual([21, "… 5 more"]);
});

test("a renamed trigger is still the same one as in the last success", async () => {
  const before = compared(1, [{ ...webhook({}), node: "Hook" }]);
  const { envelope } = await ask([before, compared(2, [webhook({})])], { id: "2" });
  expect(envelope.message).toContain("the last success like it");
  expect(envelope.data).not.toHaveProperty("otherTrigger");
});

test("500 nodes that all differ fit in 3,000 tokens, the first one first", async () => {
  const run = (id: number, field: string) =>
    compared(
      id,
      Array.from({ length: 500 }, (_node, at) =>
        sends(
          `Node number ${at}`,
          Object.fromEntries(
            Array.from({ length: 30 }, (_m, n) => [`${field}${"abcdefgh"[n % 8]}${"x".repeat(n)}of${at}`, n]),
          ),
        ),
      ),
    );
  const { envelope } = await askPair([run(1, "before"), run(2, "now")]);
  expect(countTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(3_000);
  expect(dataOf(envelope).nodes[0]?.nodeName).toBe("Node number 0");
});
