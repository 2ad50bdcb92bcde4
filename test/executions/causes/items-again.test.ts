/** Successes that treated the wrong items, or the same ones again; beside each, a correct workflow. */
import { describe, expect, test } from "vitest";
import { findings } from "../../support/explain.ts";
import { findingsOf, flowView, LOOP, type Run } from "../../support/flow-executions.ts";
import type { Step } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{ body: {} }]] };
const http = (name: string, url: string, sent: readonly object[], more: object = {}): Step => ({
  name,
  type: `${BASE}httpRequest`,
  parameters: { url, ...more },
  sent: [sent],
});
const posts = (count: number, jsonBody = "={{ JSON.stringify($json) }}", method = "POST"): Step =>
  http("Post", "https://x.example", Array(count).fill({ ok: true }), { method, jsonBody });
const SHOPS = [{ shop: "Berlin" }, { shop: "Lyon" }];
const MUGS = [{ sku: "MUG" }, { sku: "CUP" }];

describe("a list that is read once for each of the items before", () => {
  const shops = http("Shops", "https://x.example/shops", SHOPS);
  const read = (url: string): Step => http("Products", url, [...MUGS, ...MUGS]);

  test("is reported with what was done twice", () => {
    const first = [START, http("Shops", "", SHOPS.slice(1)), http("Products", "", MUGS), posts(2)];
    for (const before of [[], [first]])
      expect(findings([START, shops, read("https://x.example"), posts(4)], ...before)).toContain(
        'likely: "Products" ran for each of 2 items and nothing in it depends on them, so it sent the same 2 items 2 times: "Post" did the same twice.',
      );
  });

  test.each<[string, readonly Step[]]>([
    ["asked for each item", [shops, read("=https://x.example/{{ $json.shop }}"), posts(4)]],
    ["used with the item before", [shops, read(""), posts(4, "={{ $('Shops').item.json.shop }}")]],
    ["of which only the first is used", [shops, read(""), { ...posts(4), settings: { executeOnce: true } }]],
    ["that holds the same twice by itself", [read(""), posts(4)]],
  ])("is not reported if it is %s", (_what, steps) => {
    expect(findings([START, ...steps])).not.toContain("did the same");
  });

  test("is an observation if the last success did so, too", () => {
    const steps = [START, shops, read(""), posts(4)];
    expect(findings(steps, steps)).toContain('observed: "Products" ran for each of 2 items');
  });
});

describe("code that sends the same item for each of several", () => {
  const coded = (...sent: readonly object[]): Step => ({
    name: "Rows",
    parameters: { jsCode: "" },
    sent: [sent],
  });

  test("is an observation", () => {
    expect(findings([START, coded({ a: 1 }, { a: 1 }, { a: 1 }), posts(3)])).toContain(
      'observed: "Rows" made and sent the same item 3 times: "Post" did the same 3 times.',
    );
  });

  test("is not reported of different items, nor of fields set for each", () => {
    expect(findings([START, coded({ a: 1 }, { a: 2 }), posts(2)])).not.toContain("did the same");
    const labels: Step = { ...coded({ a: 1 }, { a: 1 }), type: `${BASE}set` };
    expect(findings([START, labels, posts(2)])).not.toContain("did the same");
  });
});

describe("what comes again", () => {
  const open = (...deals: readonly string[]): Step =>
    http(
      "Deals",
      "https://x.example/deals?processed=false",
      deals.map((deal) => ({ deal })),
    );
  const again = (from: string): string =>
    `observed: What "Post" took from "${from}" is the same as in execution 6, which succeeded: it did the same again.`;

  test("is reported of a list of what is left to do, if it is the same as in all of the last successes", () => {
    const steps = [START, open("D-1", "D-2"), posts(2)];
    expect(findings(steps, steps, steps)).toContain(again("Deals"));
    expect(findings(steps, steps, [START, open("D-1"), posts(1)])).not.toContain("did the same again");
  });

  test("is reported of what a caller sent in one of the last successes", () => {
    const sent = (payment: string): Step[] => [
      { ...START, sent: [[{ headers: { at: payment.length }, body: { payment } }]] },
      posts(1, "={{ $json.body.payment }}"),
    ];
    expect(findings(sent("P-81"), sent("P-81"), sent("P-80"))).toContain(again("Start"));
    expect(findings(sent("P-81"), sent("P-80"))).not.toContain("did the same again");
    expect(findings(sent("hello"), sent("hello"))).not.toContain("did the same again");
  });

  test.each<[string, readonly Step[]]>([
    ["written to the same place", [START, open("D-1", "D-2"), posts(2, undefined, "PUT")]],
    ["of all there is", [START, http("Deals", "https://x.example/deals", [{ deal: "D-1" }]), posts(1)]],
  ])("is not reported if it is %s", (_what, each) => {
    expect(findings(each, each)).not.toContain("did the same again");
  });
});

describe("Limit", () => {
  const limited = (...before: readonly Step[]): string =>
    findings([START, ...before, { name: "Limit", type: `${BASE}limit`, sent: [[{ a: 1 }]] }, posts(1)]);
  const list = http("List", "", [{ a: 1 }, { a: 2 }]);

  test("is told for what it leaves out, unless the items are in an order or unread", () => {
    expect(limited(list)).toContain('observed: "Limit" let 1 of 2 items through: its limit is 1.');
    const sorted: Step = { name: "Sort", type: `${BASE}sort`, sent: list.sent ?? [] };
    expect(limited(list, sorted) + limited(http("List", "", [{ a: 1 }]))).not.toContain("its limit is");
    const once: Step = { name: "Limit", type: `${BASE}limit`, sent: [[{ a: 1 }]] };
    expect(findings([START, list, once, posts(1, "done")])).not.toContain("its limit is");
  });
});

describe("a parameter that n8n takes from the first item", () => {
  const sheet = (sheetName: unknown, more: object = {}): Step => ({
    name: "Append",
    type: `${BASE}googleSheets`,
    parameters: { operation: "append", sheetName, ...more },
    sent: [MUGS],
  });
  const byShop = { __rl: true, mode: "name", value: "={{ $json.shop }}" };
  const shops = http("Shops", "", SHOPS);

  test("is reported if the items differ there", () => {
    expect(findings([START, shops, sheet(byShop)], [START, http("Shops", "", [{ shop: "Lyon" }])])).toContain(
      '"Append" takes its parameter "sheetName" from the first of the 2 items that it was given',
    );
  });

  test.each<[string, readonly Step[]]>([
    ["the same for all", [http("Shops", "", [SHOPS[0] ?? {}, SHOPS[0] ?? {}]), sheet(byShop)]],
    ["fixed", [shops, sheet("Sheet1", { columns: "={{ $json.shop }}" })]],
    [
      "for a call of each item",
      [
        shops,
        { ...sheet(""), type: `${BASE}executeWorkflow`, parameters: { mode: "each", workflowId: byShop } },
      ],
    ],
  ])("is not reported if it is %s", (_what, steps) => {
    expect(findings([START, ...steps])).not.toContain("takes its parameter");
  });
});

describe("Merge", () => {
  const from = (name: string, ...sent: readonly object[]): Step => ({
    ...http(name, "", sent),
    after: ["Start"],
  });
  const merge = (parameters: object, ...sent: readonly object[]): Step => ({
    name: "Merge",
    type: `${BASE}merge`,
    parameters,
    after: ["A", "B", "C"],
    sent: [sent],
  });
  const three = [START, from("A", { a: 1 }), from("B", { b: 1 }), from("C", { c: 1 })];

  test("loses what comes to an input that it does not have", () => {
    expect(findings([...three, merge({}, { a: 1 }, { b: 1 })])).toContain(
      'likely: "Merge" has 2 inputs, and "C" is connected to input 3: the 1 item that it sent there went nowhere.',
    );
    const all = [...three, merge({ numberInputs: 3 }, { a: 1 }, { b: 1 }, { c: 1 })];
    expect(findings(all)).not.toContain("went nowhere");
  });

  test("makes all combinations", () => {
    const crossed = (count: number): string => {
      const two = Array.from({ length: count }, (_, a) => ({ a }));
      const steps = [START, from("A", ...two), from("B", ...two)];
      const made = Array(count * count).fill({ a: 1 });
      return findings([
        ...steps,
        { ...merge({ mode: "combine", combineBy: "combineAll" }, ...made), after: ["A", "B"] },
      ]);
    };
    expect(crossed(2)).toContain(
      'observed: "Merge" combines every item of one input with every item of the other',
    );
    expect(crossed(1)).not.toContain("combines every item");
  });
});

describe("one item that code makes of several", () => {
  const bids = http("Bids", "", [
    { lot: 8, mail: "b@x.example", amount: 25 },
    { lot: 8, mail: "c@x.example", amount: 90 },
  ]);
  const coded = (jsCode: string, sent: object): Step => ({
    name: "Best",
    parameters: { jsCode },
    sent: [[sent]],
  });
  const told = (field: string): Step => posts(1, `={{ $('Bids').item.json.${field} }}`);
  const best = coded("return [{ json: { amount: 90 } }]", { amount: 90 });

  test("is linked to the first, so that another one's values are read", () => {
    expect(findings([START, bids, best, told("mail")])).toContain(
      '"Post", which reads "Bids" by position, got 1 item paired with another\'s values',
    );
  });

  test.each<[string, readonly Step[]]>([
    ["only what is the same for all is read", [best, told("lot")]],
    ["it is the first one", [coded("return [{ json: { amount: 25 } }]", { amount: 25 }), told("mail")]],
    ["it is a sum", [coded("return [{ json: { sum: 115 } }]", { sum: 115 }), told("mail")]],
    [
      "the code says which it is",
      [coded("return [{ json: {}, pairedItem: 1 }]", { amount: 90 }), told("mail")],
    ],
  ])("is not reported if %s", (_what, steps) => {
    expect(findings([START, bids, ...steps])).not.toContain("paired with another");
  });
});

describe("types", () => {
  const total = (aggregation: string, price: unknown): string =>
    findings([
      START,
      http("Lines", "", [{ price }, { price: 2 }]),
      {
        name: "Total",
        type: `${BASE}summarize`,
        parameters: { fieldsToSummarize: { values: [{ aggregation, field: "price" }] } },
        sent: [[{ sum_price: 2 }]],
      },
    ]);

  test("texts that are missing from a sum are reported", () => {
    expect(total("sum", "12.50")).toContain('likely: "Total" adds up "price", whose values are texts');
    expect(total("sum", 12.5) + total("count", "12.50") + total("sum", "")).not.toContain("adds up");
  });

  const asked = (leftValue: string, newsletter: unknown, version = 2): string =>
    findings([
      { ...START, sent: [[{ newsletter }]] },
      {
        name: "Wants",
        type: `${BASE}if`,
        parameters: {
          conditions: {
            options: { typeValidation: "loose", version },
            conditions: [{ leftValue, operator: { type: "boolean", operation: "true", singleValue: true } }],
          },
        },
        sent: [[{ newsletter }], []],
      },
      posts(1),
    ]);

  test("a line break beside the expression of a condition makes a text of its value", () => {
    expect(asked("={{ $json.newsletter }}\n", false)).toContain(
      'likely: "Wants" only looks whether "newsletter" is true, and a blank or line break beside its expression',
    );
    for (const one of [asked("={{ $json.newsletter }}", false), asked("={{ $json.newsletter }} ", true)])
      expect(one).not.toContain("only looks whether");
  });
});

describe("a condition", () => {
  const decides = (leftValue: string, operation: string, rightValue: string, sent: Step["sent"]): Step => ({
    name: "Wants",
    type: `${BASE}if`,
    parameters: {
      conditions: { conditions: [{ leftValue, rightValue, operator: { type: "string", operation } }] },
    },
    ...(sent === undefined ? {} : { sent }),
  });
  const asked = (body: object, ...test: readonly [string, string, string]): Step[] => [
    { ...START, sent: [[{ body }]] },
    decides(...test, [[{ body }], []]),
    posts(1),
  ];

  test("that names a field as a text is told, also when the item lacks that field", () => {
    for (const left of ["body.coupon", "$json.body.coupon"]) {
      const [none, some] = [{}, { coupon: "A" }].map((body) => asked(body, left, "notEmpty", ""));
      expect(findings(none ?? [], some ?? [])).toContain('"Wants" compares a fixed text, not an expression');
      expect(findings(none ?? [])).not.toContain("fixed text");
    }
  });

  test("is never met if a blank stands beside its expression", () => {
    const kind = (left: string): string => findings(asked({ kind: "refund" }, left, "equals", "refund"));
    expect(kind("={{ $json.body.kind }} ")).toContain("differs from that only by blanks");
    expect(kind("={{ $json.body.kind }}")).not.toContain("only by blanks");
  });
});

describe("a node that runs several times", () => {
  const post = (jsonBody: string) => ({
    type: `${BASE}httpRequest`,
    parameters: { method: "POST", url: "https://x.example", jsonBody },
  });
  const rounds = [0, 1].flatMap((run): Run[] => [
    { node: "Loop", from: [run === 0 ? ["Start"] : ["Tell", 0, 0]], outputs: [[], [{ no: run }]] },
    { node: "Tell", from: [["Loop", 1, run]], outputs: [[{ ok: true }]] },
  ]);
  const told = (jsonBody: string): string => {
    const nodes = { Start: { type: `${BASE}webhook` }, Loop: LOOP, Tell: post(jsonBody) };
    const main = { Start: [["Loop"]], Loop: [[], ["Tell"]], Tell: [["Loop"]] };
    const start: Run = { node: "Start", outputs: [[{ no: 0 }, { no: 1 }]] };
    return findingsOf(flowView({ nodes, main }, [start, ...rounds]));
  };

  test("in a loop is reported if it says the same in each round", () => {
    expect(told('{ "text": "All done" }')).toContain(
      '"Tell" ran for each of the 2 items that "Loop" sent, and nothing in it depends on the item: it did the same 2 times',
    );
    expect(told("={{ JSON.stringify($json) }}")).not.toContain("did the same");
  });

  test("after branches that no Merge joins is reported with all of them", () => {
    const checks = ["A", "B", "C"];
    const nodes = Object.fromEntries(checks.map((name) => [name, { type: `${BASE}noOp` }]));
    const all = { Start: { type: `${BASE}webhook` }, ...nodes, Push: post("={{ JSON.stringify($json) }}") };
    const main = { Start: [checks], ...Object.fromEntries(checks.map((name) => [name, [["Push"]]])) };
    const runs = checks.flatMap((node): Run[] => [
      { node, from: [["Start"]], outputs: [[{ no: 1 }]] },
      { node: "Push", from: [[node]], outputs: [[{ ok: true }]] },
    ]);
    expect(
      findingsOf(flowView({ nodes: all, main }, [{ node: "Start", outputs: [[{ no: 1 }]] }, ...runs])),
    ).toContain(
      'ran 3 times because 3 branches of "Start" lead to it, by "A" and "B" and "C", and it runs once for each (no Merge joins them); it did the same each time',
    );
  });
});
