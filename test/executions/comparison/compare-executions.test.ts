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

describe("comparing two executions", () => {
  test("executions of the same shape do not differ, whatever their values", () => {
    const other = [
      webhook({ id: 2, total: 7 }),
      sends("Read", { total: 8, id: 3 }),
      sends("Pay", { paid: false }),
    ];
    const { nodes, firstDifference } = compareExecutions(read(2, other), read(1, usual));
    expect({ nodes, firstDifference }).toEqual({ nodes: [], firstDifference: null });
  });

  test("the first difference is the earlier node with other fields, not the node that failed", () => {
    const failed = [webhook(ORDER), sends("Read", { id: 1 }), { node: "Pay", error: { message: "no" } }];
    const before = [...usual, sends("Mail", { sent: 1 })];
    const result = compareExecutions(read(2, failed), read(1, before));
    expect(result.firstDifference).toEqual({ nodeName: "Read", by: "keys" });
    expect(result.nodes.map(({ nodeName }) => nodeName)).toEqual(["Read", "Pay", "Mail"]);
    expect(result.nodes[0]?.keys).toEqual([{ output: 0, missing: ["total"], added: [], changedTypes: [] }]);
    expect(result.nodes[1]?.status).toEqual({ before: "success", now: "error" });
    expect(result.ranBeforeNotNow).toEqual(["Mail"]);
  });

  test("without differences in fields, the first difference is in status or outputs", () => {
    const now = [webhook(ORDER), { node: "Read", items: [[], [ORDER]] }, sends("Else", {})];
    const result = compareExecutions(read(2, now), read(1, usual));
    expect(result.firstDifference).toEqual({ nodeName: "Read", by: "outputs" });
    expect(result.nodes[0]?.outputs).toEqual({ before: [0], now: [1] });
    expect([result.ranBeforeNotNow, result.ranNowNotBefore]).toEqual([["Pay"], ["Else"]]);
  });

  test("the trigger's missing and new fields are listed, and its headers separately", () => {
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

  test("a missing binary is a difference", () => {
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

  test("a duration differs only when it is far off", () => {
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

  test("a renamed node is the same node, and so is one of the same name with a new id", () => {
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

  test("a new node with a renamed node's former name is a new node", () => {
    const before = read(1, [webhook(ORDER), sends("HTTP Request", { order: 1 })]);
    const now = read(2, [webhook(ORDER), sends("Get", { order: 1 }), sends("HTTP Request", { other: 1 })], {
      nodes: { Get: { id: "id of HTTP Request" }, "HTTP Request": { id: "new" } },
    });
    const { workflow, ranNowNotBefore, firstDifference } = compareExecutions(now, before);
    expect([workflow.added, ranNowNotBefore]).toEqual([["HTTP Request"], ["HTTP Request"]]);
    expect(firstDifference).toEqual({ nodeName: "HTTP Request", by: "ran" });
  });

  test("a removed node is not the node that took its name", () => {
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

  test("edits are listed by path, also of nodes that did not run; positions and n8n's own fields are not", () => {
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

  test("a difference that ordinary executions also show is left out", () => {
    const now = read(4, [webhook({ id: 1 }), { node: "Read", items: [[], [ORDER]] }]);
    const other = [webhook({ id: 1 }), { node: "Read", items: [[], [ORDER]] }];
    const ordinary = [read(2, other, { nodes: { Pay: {} } })];
    expect(compareExecutions(now, read(3, usual)).nodes).not.toEqual([]);
    expect(compareExecutions(now, read(3, usual), ordinary).nodes).toEqual([]);
  });

  test("a version without the node does not make it ordinary that the node did not run", () => {
    const now = read(3, [webhook(ORDER)], { nodes: { Check: {} } });
    const before = read(2, [webhook(ORDER), sends("Check", {})]);
    const gone = (older: ReturnType<typeof read>) => compareExecutions(now, before, [older]).ranBeforeNotNow;
    expect(gone(read(1, [webhook(ORDER)]))).toEqual(["Check"]);
    expect(gone(read(1, [webhook(ORDER)], { nodes: { Check: {} } }))).toEqual([]);
  });

  test("an item count within the ordinary range is left out, one beyond it is reported", () => {
    const run = (count: number) =>
      read(count, [webhook(ORDER), sends("Read", ...Array.from({ length: count }, () => ORDER))]);
    const itemsOf = (now: number) => compareExecutions(run(now), run(3), [run(6)]).nodes[0]?.items;
    expect([itemsOf(5), itemsOf(7)]).toEqual([undefined, { before: 3, now: 7 }]);
  });

  test("an output counts as a difference only if all or none of the ordinary executions use it", () => {
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

  test("a node that only another success ran is compared with that success", () => {
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

  test("a node is not compared with its runs before it was edited", () => {
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

  test("a new node is not compared with a former node of its name", () => {
    const run = (id: number, nodeId: string, sent: readonly Sent[]) =>
      read(id, [webhook(ORDER), ...sent], sent.length === 0 ? {} : { nodes: { Get: { id: nodeId } } });
    const now = run(9, "h2", [sends("Get", { y: 1 })]);
    const { ranNowNotBefore } = compareExecutions(now, run(8, "", []), [run(7, "h1", [sends("Get", {})])]);
    expect(ranNowNotBefore).toEqual(["Get"]);
  });
});

describe("what cannot be compared is reported as such", () => {
  test("withheld items have no missing fields", () => {
    const data = (info: object) => ({
      data: { ...info, resultData: { runData: { Webhook: [{ data: { main: [[{ json: {} }]] } }] } } },
    });
    const withheld = read(2, usual, data({ redactionInfo: { isRedacted: true } }));
    const { nodes, notCompared } = compareExecutions(withheld, read(1, usual.slice(0, 1)));
    expect({ nodes, notCompared }).toEqual({ nodes: [], notCompared: [{ of: "now", why: "withheld" }] });
  });

  test("without data no node is missing, and a waiting execution may still run it", () => {
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

test("a failed node is reported although the waiting execution compared with has not reached it", () => {
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
    ["started by hand", { mode: "manual" }],
    ["of another workflow", { workflowId: "w2" }],
    ["that failed", { status: "error" }],
    [
      "whose items n8n withholds",
      { data: { redactionInfo: { isRedacted: true }, resultData: { runData: { Webhook: [{}] } } } },
    ],
    ["of which n8n kept nothing", { data: { resultData: { runData: {} } } }],
  ])("is not one %s", (_name, facts) => {
    expect(chosen(read(8, usual, facts))).toBeUndefined();
  });

  test("was started by the same trigger, which may have been renamed", () => {
    const other = { nodes: { Cron: { type: "n8n-nodes-base.scheduleTrigger" } } };
    expect(chosen(read(8, [sends("Cron", {})], other))).toBeUndefined();
    expect(chosen(read(8, [sends("Hook", {})]))).toBe("8");
  });
});

describe("in a workflow with two webhooks, the success to compare with", () => {
  const TYPE = "n8n-nodes-base.webhook";
  const run = (id: number, trigger: string, names: readonly string[]) => {
    const nodes = names.map((name, index) => [name, { id: String(index), type: TYPE }]);
    return read(id, [sends(trigger, { body: 1 })], { nodes: Object.fromEntries(nodes) });
  };

  test.each([
    ["the same webhook", "Orders"],
    ["the same webhook under its former name", "Hook"],
  ])("was started by %s", (_name, former) => {
    const now = run(9, "Orders", ["Orders", "Refunds"]);
    const successes = [run(8, "Refunds", [former, "Refunds"]), run(7, former, [former, "Refunds"])];
    expect(chooseSuccess(now, successes)?.success.id).toBe("7");
  });
});

describe("the success of a webhook that was replaced and left disabled in the workflow is used", () => {
  const hook = (id: string, facts = {}) => ({ id, type: "n8n-nodes-base.webhook", ...facts });
  const success = read(8, [sends("Webhook", {})], { nodes: { Webhook: hook("1") } });
  const off = hook("1", { disabled: true });

  test.each([
    ["when it kept its name", "Webhook1", { Webhook1: hook("2"), Webhook: off }],
    ["when it was renamed", "Webhook", { Webhook: hook("2"), "Webhook old": off }],
  ])("%s", (_name, trigger, nodes) => {
    expect(chooseSuccess(read(9, [sends(trigger, {})], { nodes }), [success])?.success.id).toBe("8");
  });
});

test("nodes that share an id are matched by name", () => {
  const run = (id: number, names: readonly string[]) => {
    const nodes = Object.fromEntries(names.map((name) => [name, { id: "x" }]));
    return read(id, [webhook(ORDER), ...names.map((name) => sends(name, { [`of${name}`]: 1 }))], { nodes });
  };
  expect(compareExecutions(run(2, ["B", "A"]), run(1, ["A", "B"])).nodes).toEqual([]);
});

describe("differing values", () => {
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

  test("are listed once, at the node that first sent them", () => {
    expect(valuesOf({ plan: "pro", n: 1 }, { plan: "free", n: 1 })).toEqual([
      ["Webhook", "body.plan", "free", "pro"],
    ]);
  });

  test("are listed under names that end in a number", () => {
    const billing = (address_1: string) => ({ billing: { city: "c", address_1 } });
    expect(valuesOf(billing("b"), billing("a"))).toEqual([["Webhook", "body.billing.address_1", "a", "b"]]);
  });

  test("are not listed if they vary between ordinary executions, or are times or ids", () => {
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

describe("paths shown to a caller without payload access", () => {
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

  test("one more unknown field is reported, without its name", () => {
    const [before, now] = [read(1, [webhook({ a: 1, b: 1 })]), read(2, [webhook({ a: 1, b: 1, c: 1 })])];
    const { nodes } = compareExecutions(now, before, [], isKnown);
    const [added = ""] = nodes[0]?.keys[0]?.added ?? [];
    expect(maskPath(added, isKnown)).toBe("body.?");
  });

  test("a numbered field that the workflow mentions is missing even when others of its series are there", () => {
    const run = (id: number, body: object) =>
      read(id, [webhook(body)], { nodes: { Set: { parameters: { value: "={{ $json.body.address_1 }}" } } } });
    const before = run(1, { city: "c", address_1: "a", address_2: "b" });
    const now = run(2, { city: "c", address_2: "b" });
    const { nodes } = compareExecutions(now, before, [], mentionedIn([now]));
    expect(nodes).toMatchObject([{ keys: [{ missing: ["body.address_1"] }] }]);
  });
});
