import { describe, expect, test } from "vitest";
import { chooseSuccess } from "../../../src/executions/comparison/choose-success.ts";
import { compareExecutions } from "../../../src/executions/comparison/compare-executions.ts";
import { maskPath } from "../../../src/executions/comparison/field-keys.ts";
import { differingValues, sampleOf } from "../../../src/executions/comparison/sampled-values.ts";
import { mentionedIn } from "../../../src/executions/known-fields.ts";
import { read, type Sent } from "../../support/compared-executions.ts";

const webhook = (body: unknown): Sent => ({ node: "Webhook", items: [[{ headers: { host: "h" }, body }]] });
const sends = (node: string, ...items: unknown[]): Sent => ({ node, items: [items] });
const ORDER = { id: 1, total: 5 };
const usual = [webhook(ORDER), sends("Read", ORDER), sends("Pay", { paid: true })];

describe("two executions", () => {
  test("that do the same do not differ, whatever the values", () => {
    const other = [
      webhook({ id: 2, total: 7 }),
      sends("Read", { total: 8, id: 3 }),
      sends("Pay", { paid: false }),
    ];
    const { nodes, firstDifference } = compareExecutions(read(2, other), read(1, usual));
    expect({ nodes, firstDifference }).toEqual({ nodes: [], firstDifference: null });
  });

  test("the first in fields comes before the one that failed, and what did not run stands in its place", () => {
    const failed = [webhook(ORDER), sends("Read", { id: 1 }), { node: "Pay", error: { message: "no" } }];
    const before = [...usual, sends("Mail", { sent: 1 })];
    const result = compareExecutions(read(2, failed), read(1, before));
    expect(result.firstDifference).toEqual({ nodeName: "Read", by: "keys" });
    expect(result.nodes.map(({ nodeName }) => nodeName)).toEqual(["Read", "Pay", "Mail"]);
    expect(result.nodes[0]?.keys).toEqual([{ output: 0, missing: ["total"], added: [], changedTypes: [] }]);
    expect(result.nodes[1]?.status).toEqual({ before: "success", now: "error" });
    expect(result.ranBeforeNotNow).toEqual(["Mail"]);
  });

  test("without differences in fields the first in status or outputs is told", () => {
    const now = [webhook(ORDER), { node: "Read", items: [[], [ORDER]] }, sends("Else", {})];
    const result = compareExecutions(read(2, now), read(1, usual));
    expect(result.firstDifference).toEqual({ nodeName: "Read", by: "outputs" });
    expect(result.nodes[0]?.outputs).toEqual({ before: [0], now: [1] });
    expect([result.ranBeforeNotNow, result.ranNowNotBefore]).toEqual([["Pay"], ["Else"]]);
  });

  test("the trigger's missing and new fields are told, its headers apart", () => {
    const now = read(2, [
      { node: "Webhook", items: [[{ headers: { origin: "o" }, body: { id: 1, amount: 5 } }]] },
      ...usual.slice(1),
    ]);
    const { trigger, nodes } = compareExecutions(now, read(1, usual));
    expect(trigger).toEqual({
      nodeName: "Webhook",
      isSame: true,
      keys: { missing: ["body.total"], added: ["body.amount"], changedTypes: [] },
    });
    expect(nodes[0]?.headers).toEqual([
      { output: 0, missing: ["headers.host"], added: ["headers.origin"], changedTypes: [] },
    ]);
  });

  test("binaries that are missing are", () => {
    const withFile = (id: number, binary: unknown) =>
      read(id, usual, {
        data: {
          resultData: { runData: { Read: [{ data: { main: [[{ json: {}, ...Object(binary) }]] } }] } },
        },
      });
    const { nodes } = compareExecutions(
      withFile(2, {}),
      withFile(1, { binary: { data: { mimeType: "a/b" } } }),
    );
    expect(nodes[0]?.keys[0]).toMatchObject({
      changedTypes: [{ path: "", before: ["object"], now: ["empty object"] }],
    });
  });

  test("of durations only those far off are told", () => {
    const took = (ms: number) => read(ms, [{ ...usual[0], node: "Webhook", ms }]);
    const differs = (now: number, before: number) =>
      compareExecutions(took(now), took(before)).nodes.length > 0;
    expect([differs(5_000, 1_000), differs(900, 1), differs(2_900, 1_000), differs(1_000, 5_000)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test("a node that was renamed is the same, one with another id and the same name too", () => {
    const renamed = read(2, [usual[0] ?? webhook(1), sends("Fetch", { id: "1", total: 5 })], {
      nodes: { Webhook: { id: "made anew" }, Fetch: { id: "id of Read" } },
    });
    const { nodes, workflow, firstDifference } = compareExecutions(renamed, read(1, usual.slice(0, 2)));
    expect(workflow).toMatchObject({
      renamed: [{ before: "Read", now: "Fetch" }],
      added: [],
      removed: [],
      shared: 2,
    });
    expect(firstDifference).toEqual({ nodeName: "Fetch", by: "keys" });
    expect(nodes[0]).toMatchObject({ nameBefore: "Read", keys: [{ changedTypes: [{ path: "id" }] }] });
  });

  test("a new node that took the earlier name of a renamed one is not that one", () => {
    const before = read(1, [webhook(ORDER), sends("HTTP Request", { order: 1 })]);
    const now = read(2, [webhook(ORDER), sends("Get", { order: 1 }), sends("HTTP Request", { other: 1 })], {
      nodes: { Get: { id: "id of HTTP Request" }, "HTTP Request": { id: "new" } },
    });
    const { workflow, ranNowNotBefore, firstDifference } = compareExecutions(now, before);
    expect([workflow.added, ranNowNotBefore]).toEqual([["HTTP Request"], ["HTTP Request"]]);
    expect(firstDifference).toEqual({ nodeName: "HTTP Request", by: "ran" });
  });

  test("nor is a removed one the node that took its name", () => {
    const before = [webhook(ORDER), sends("Get", { a: 1 }), sends("Get1", { plan: "b" })];
    const now = read(2, [webhook(ORDER), sends("Get", { plan: "b" })], {
      nodes: { Get: { id: "id of Get1", parameters: { url: "new" } } },
    });
    const { nodes, workflow, ranBeforeNotNow } = compareExecutions(now, read(1, before));
    expect([workflow.removed, ranBeforeNotNow]).toEqual([["Get"], ["Get"]]);
    expect(nodes).toEqual([
      expect.objectContaining({ nameBefore: undefined, ran: { before: 1, now: 0 }, edited: [] }),
      expect.objectContaining({ nameBefore: "Get1", keys: [], edited: ["parameters.url"] }),
    ]);
  });

  test("what was edited is told by its place, also of nodes that did not run; its position is not, nor what n8n writes", () => {
    const nodes = (url: string, place: number) => ({
      Read: {
        parameters: { url, options: { timeout: 1 } },
        position: [place, 0],
        disabled: false,
        rewireOutputLogTo: place === 1 ? "ai_tool" : undefined,
      },
      Idle: { onError: url },
    });
    const before = read(1, usual, { nodes: nodes("a", 1), workflowVersionId: "v1" });
    const now = read(2, usual, {
      nodes: { ...nodes("b", 2), Read: { ...nodes("b", 2).Read, disabled: undefined } },
      workflowVersionId: "v2",
    });
    const result = compareExecutions(now, before);
    expect(result.nodes.map(({ nodeName, edited }) => [nodeName, edited])).toEqual([
      ["Read", ["parameters.url"]],
      ["Idle", ["onError"]],
    ]);
    expect(result.workflow).toMatchObject({ versionBefore: "v1", versionNow: "v2" });
    expect(result.firstDifference).toEqual({ nodeName: "Read", by: "edited" });
  });

  test("what differs between ordinary ones too is not told", () => {
    const now = read(4, [webhook({ id: 1 }), { node: "Read", items: [[], [ORDER]] }]);
    const other = [webhook({ id: 1 }), { node: "Read", items: [[], [ORDER]] }];
    const ordinary = [read(2, other, { nodes: { Pay: {} } })];
    expect(compareExecutions(now, read(3, usual)).nodes).not.toEqual([]);
    expect(compareExecutions(now, read(3, usual), ordinary).nodes).toEqual([]);
  });

  test("that an older version without the node did not run it is not ordinary", () => {
    const now = read(3, [webhook(ORDER)], { nodes: { Check: {} } });
    const before = read(2, [webhook(ORDER), sends("Check", {})]);
    const gone = (older: ReturnType<typeof read>) => compareExecutions(now, before, [older]).ranBeforeNotNow;
    expect(gone(read(1, [webhook(ORDER)]))).toEqual(["Check"]);
    expect(gone(read(1, [webhook(ORDER)], { nodes: { Check: {} } }))).toEqual([]);
  });

  test("a number of items between those of ordinary ones is not told, one beyond them is", () => {
    const run = (count: number) =>
      read(count, [webhook(ORDER), sends("Read", ...Array.from({ length: count }, () => ORDER))]);
    const itemsOf = (now: number) => compareExecutions(run(now), run(3), [run(6)]).nodes[0]?.items;
    expect([itemsOf(5), itemsOf(7)]).toEqual([undefined, { before: 3, now: 7 }]);
  });

  test("an output that only some ordinary ones use is not told, one that all or none of them use is", () => {
    const run = (id: number, ...outputs: number[]) =>
      read(id, [
        webhook(ORDER),
        { node: "If", items: [0, 1, 2].map((at) => (outputs.includes(at) ? [1] : [])) },
      ]);
    const outputsOf = (...now: number[]) =>
      compareExecutions(run(9, ...now), run(8, 0), [run(7, 0, 1)]).nodes[0]?.outputs?.now;
    expect([outputsOf(0), outputsOf(0, 1), outputsOf(1), outputsOf(0, 2)]).toEqual([
      undefined,
      undefined,
      [1],
      [0, 2],
    ]);
    const eitherOr = (...now: number[]) =>
      compareExecutions(run(9, ...now), run(8, 0), [run(7, 1)]).nodes[0]?.outputs?.now;
    expect([eitherOr(0, 1), eitherOr()]).toEqual([undefined, []]);
  });

  test("a node that only another success ran is compared with that one", () => {
    const nodes = { nodes: { A: {}, B: {}, C: {} } };
    const before = read(3, [webhook(ORDER), sends("A", { a: 1 })], nodes);
    const other = read(2, [webhook(ORDER), sends("B", { x: 1, y: 1 }), sends("C", {})], nodes);
    const now = read(
      4,
      [webhook(ORDER), sends("B", { y: 1 }), { node: "C", error: { message: "no" } }],
      nodes,
    );
    const { nodes: differences, firstDifference } = compareExecutions(now, before, [other]);
    expect(firstDifference).toEqual({ nodeName: "B", by: "keys" });
    expect(differences).toMatchObject([
      { nodeName: "B", comparedWith: "2", keys: [{ missing: ["x"] }] },
      { nodeName: "C", comparedWith: "2", status: { before: "success", now: "error" } },
    ]);
  });

  test("what a node did before it was edited is not ordinary for it, and nothing it is compared with", () => {
    const run = (id: number, fields: string, sent: Sent) =>
      read(id, [webhook(ORDER), sent], { nodes: { A: {}, B: { parameters: { fields } } } });
    const older = run(7, "x", sends("B", { x: 1 }));
    const both = run(8, "x, y", sends("B", { x: 1, y: 1 }));
    const lost = compareExecutions(run(9, "x, y", sends("B", { x: 1 })), both, [older]);
    expect(lost.nodes).toMatchObject([{ nodeName: "B", keys: [{ missing: ["y"] }] }]);
    const elsewhere = run(8, "x, y", sends("A", {}));
    const { nodes } = compareExecutions(run(9, "x, y", sends("B", { y: 1 })), elsewhere, [older]);
    expect(nodes).toMatchObject([{ nodeName: "B", ran: { before: 0, now: 1 } }]);
  });

  test("a new node is not compared with one that once had its name", () => {
    const run = (id: number, nodeId: string, sent: readonly Sent[]) =>
      read(id, [webhook(ORDER), ...sent], sent.length === 0 ? {} : { nodes: { Get: { id: nodeId } } });
    const now = run(9, "h2", [sends("Get", { y: 1 })]);
    const { ranNowNotBefore } = compareExecutions(now, run(8, "", []), [run(7, "h1", [sends("Get", {})])]);
    expect(ranNowNotBefore).toEqual(["Get"]);
  });
});

describe("what cannot be compared", () => {
  test("is said: withheld items have no fields that could be missing", () => {
    const data = (info: object) => ({
      data: { ...info, resultData: { runData: { Webhook: [{ data: { main: [[{ json: {} }]] } }] } } },
    });
    const withheld = read(2, usual, data({ redactionInfo: { isRedacted: true } }));
    const { nodes, notCompared } = compareExecutions(withheld, read(1, usual.slice(0, 1)));
    expect({ nodes, notCompared }).toEqual({ nodes: [], notCompared: [{ of: "now", why: "withheld" }] });
  });

  test("is said: without data nothing has failed to run, and what waits may yet run", () => {
    const empty = compareExecutions(read(2, [], { status: "error" }), read(1, usual));
    expect(empty.nodes.map(({ ran }) => ran)).toEqual([]);
    expect(empty.notCompared).toEqual([{ of: "now", why: "no_data" }]);
    const waiting = compareExecutions(read(2, usual.slice(0, 2), { status: "waiting" }), read(1, usual));
    expect(waiting.ranBeforeNotNow).toEqual([]);
    expect(waiting.notCompared).toEqual([{ of: "now", why: "unfinished" }]);
    const waited = compareExecutions(read(2, usual), read(1, usual.slice(0, 2), { status: "waiting" }));
    expect([waited.nodes, waited.notCompared]).toEqual([[], [{ of: "before", why: "unfinished" }]]);
  });
});

test("of a node that what waits has not reached yet, it is told that it failed", () => {
  const before = read(1, usual.slice(0, 2), { status: "waiting", nodes: { Pay: {} } });
  const now = read(2, [...usual.slice(0, 2), { node: "Pay", error: { message: "no" } }]);
  const { nodes, ranNowNotBefore } = compareExecutions(now, before);
  expect(nodes).toMatchObject([{ nodeName: "Pay", status: { before: null, now: "error" } }]);
  expect(ranNowNotBefore).toEqual([]);
});

describe("the success to compare with", () => {
  const now = read(9, [webhook(ORDER)]);
  const chosen = (...successes: ReturnType<typeof read>[]) => chooseSuccess(now, successes)?.success.id;

  test("is the newest of the same version, else the newest", () => {
    const old = { workflowVersionId: "v0" };
    expect(chosen(read(8, usual, old), read(7, usual), read(6, usual))).toBe("7");
    expect(chosen(read(8, usual, old), read(7, usual, old))).toBe("8");
    expect(chooseSuccess(now, [read(8, usual, old), read(7, usual)])?.ordinary.map(({ id }) => id)).toEqual([
      "8",
    ]);
  });

  test.each([
    ["by hand", { mode: "manual" }],
    ["of another workflow", { workflowId: "w2" }],
    ["that failed", { status: "error" }],
    [
      "whose items n8n withholds",
      { data: { redactionInfo: { isRedacted: true }, resultData: { runData: { Webhook: [{}] } } } },
    ],
    ["of which n8n kept nothing", { data: { resultData: { runData: {} } } }],
  ])("is none %s", (_name, facts) => {
    expect(chosen(read(8, usual, facts))).toBeUndefined();
  });

  test("is none that another trigger started, but one that was renamed", () => {
    const other = { nodes: { Cron: { type: "n8n-nodes-base.scheduleTrigger" } } };
    expect(chosen(read(8, [sends("Cron", {})], other))).toBeUndefined();
    expect(chosen(read(8, [sends("Hook", {})]))).toBe("8");
  });
});

describe("of a workflow with two webhooks, the success to compare with", () => {
  const TYPE = "n8n-nodes-base.webhook";
  const run = (id: number, trigger: string, names: readonly string[]) => {
    const nodes = names.map((name, index) => [name, { id: String(index), type: TYPE }]);
    return read(id, [sends(trigger, { body: 1 })], { nodes: Object.fromEntries(nodes) });
  };

  test.each([
    ["the same webhook", "Orders"],
    ["the same webhook under its former name", "Hook"],
  ])("is one that %s started", (_name, former) => {
    const now = run(9, "Orders", ["Orders", "Refunds"]);
    const successes = [run(8, "Refunds", [former, "Refunds"]), run(7, former, [former, "Refunds"])];
    expect(chooseSuccess(now, successes)?.success.id).toBe("7");
  });
});

describe("a webhook that was replaced and left in the workflow, disabled", () => {
  const hook = (id: string, facts = {}) => ({ id, type: "n8n-nodes-base.webhook", ...facts });
  const success = read(8, [sends("Webhook", {})], { nodes: { Webhook: hook("1") } });
  const off = hook("1", { disabled: true });

  test.each([
    ["under its name", "Webhook1", { Webhook1: hook("2"), Webhook: off }],
    ["under another name", "Webhook", { Webhook: hook("2"), "Webhook old": off }],
  ])("%s, started successes to compare with", (_name, trigger, nodes) => {
    expect(chooseSuccess(read(9, [sends(trigger, {})], { nodes }), [success])?.success.id).toBe("8");
  });
});

test("of nodes with one id those of the same name are the same", () => {
  const run = (id: number, names: readonly string[]) => {
    const nodes = Object.fromEntries(names.map((name) => [name, { id: "x" }]));
    return read(id, [webhook(ORDER), ...names.map((name) => sends(name, { [`of${name}`]: 1 }))], { nodes });
  };
  expect(compareExecutions(run(2, ["B", "A"]), run(1, ["A", "B"])).nodes).toEqual([]);
});

describe("values", () => {
  const valuesOf = (...bodies: unknown[]) => {
    const [now = {}, before = {}, ...others] = bodies.map((body, id) =>
      sampleOf(read(id + 1, [webhook(body), sends("Read", Object(body))])),
    );
    return differingValues(now, before, others).map(({ nodeName, path, before: was, now: value }) => [
      nodeName,
      path,
      was,
      value,
    ]);
  };

  test("that differ are told once, where they are first sent", () => {
    expect(valuesOf({ plan: "pro", n: 1 }, { plan: "free", n: 1 })).toEqual([
      ["Webhook", "body.plan", "free", "pro"],
    ]);
  });

  test("under names that end in a number are told", () => {
    const billing = (address_1: string) => ({ billing: { city: "c", address_1 } });
    expect(valuesOf(billing("b"), billing("a"))).toEqual([["Webhook", "body.billing.address_1", "a", "b"]]);
  });

  test("that differ between ordinary ones, times and ids are not", () => {
    expect(valuesOf({ plan: "pro", n: 1 }, { plan: "free", n: 2 }, { plan: "free", n: 3 })).toEqual([
      ["Webhook", "body.plan", "free", "pro"],
    ]);
    const id = (end: string) => ({
      at: `2026-01-0${end}T00:00:00Z`,
      id: `2122cda5-c6ae-47b7-9b5f-5b380775a40${end}`,
      n: 1.7e12 + Number(end),
    });
    expect(valuesOf(id("1"), id("2"))).toEqual([]);
  });
});

describe("without payload", () => {
  const isKnown = mentionedIn([
    read(1, usual, {
      nodes: {
        Read: {
          parameters: { value: "={{ $json.body.orderId + $json['First name'] + $json['Question 1'] }}" },
        },
      },
    }),
  ]);

  test.each([
    ["body.orderId", "body.orderId"],
    ["body.ada", "body.?"],
    ["ada[].bob.orderId", "?[].?.orderId"],
    ['body["First name"]', 'body["First name"]'],
    ['body["Question 1"]', 'body["Question 1"]'],
    ['body["Question 2"]', "body.?"],
    ['body["Ada Lovelace"].orderId', "body.?.orderId"],
    ['["a\\"b.c"]', "?"],
    ["by.*.orderId", "?.*.orderId"],
  ])("%s is shown as %s", (path, shown) => {
    expect(maskPath(path, isKnown)).toBe(shown);
  });

  test("that there are more unknown fields of a type is told", () => {
    const [before, now] = [read(1, [webhook({ a: 1, b: 1 })]), read(2, [webhook({ a: 1, b: 1, c: 1 })])];
    const { nodes } = compareExecutions(now, before, [], isKnown);
    const [added = ""] = nodes[0]?.keys[0]?.added ?? [];
    expect(maskPath(added, isKnown)).toBe("body.?");
  });

  test("a numbered name that the workflow mentions is missing, whatever else there is of its series", () => {
    const run = (id: number, body: object) =>
      read(id, [webhook(body)], { nodes: { Set: { parameters: { value: "={{ $json.body.address_1 }}" } } } });
    const before = run(1, { city: "c", address_1: "a", address_2: "b" });
    const now = run(2, { city: "c", address_2: "b" });
    const { nodes } = compareExecutions(now, before, [], mentionedIn([now]));
    expect(nodes).toMatchObject([{ keys: [{ missing: ["body.address_1"] }] }]);
  });
});
