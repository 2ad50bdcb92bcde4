/** Faults in a later round of a loop are found as in the first one. */
import { describe, expect, test } from "vitest";
import type { ExecutionView } from "../../../src/executions/causes/execution-view.ts";
import { SET } from "../../support/everyday-steps.ts";
import { ACCUSES } from "../../support/explain.ts";
import {
  type Flow,
  findingsOf,
  flowView,
  INBOUND,
  ifNode,
  LOOP,
  type Node,
  type Run,
} from "../../support/flow-executions.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

/** A loop over items with one node in it; `made` holds what that node sends for each item. */
function looped(
  node: Node,
  items: readonly object[],
  made: readonly object[],
  id = "7",
  before: readonly ExecutionView[] = [],
): ExecutionView {
  const flow: Flow = {
    nodes: {
      Inbound: INBOUND,
      Loop: LOOP,
      Work: node,
      Send: {
        type: "n8n-nodes-base.httpRequest",
        parameters: { method: "POST", url: "=https://a/{{ $json.id }}" },
      },
    },
    main: { Inbound: [["Loop"]], Loop: [["Send"], ["Work"]], Work: [["Loop"]] },
  };
  const rounds = items.flatMap((item, index): Run[] => [
    { node: "Loop", from: [index === 0 ? ["Inbound"] : ["Work", 0, index - 1]], outputs: [[], [item]] },
    { node: "Work", from: [["Loop", 1, index]], outputs: [[made[index] ?? {}]] },
  ]);
  return flowView(
    flow,
    [
      { node: "Inbound", outputs: [items] },
      ...rounds,
      { node: "Loop", from: [["Work", 0, items.length - 1]], outputs: [made, []] },
      { node: "Send", from: [["Loop", 0, items.length]], outputs: [made.map(() => ({ ok: true }))] },
    ],
    id,
    before,
  );
}

const setting = (value: string): Node => ({
  type: SET,
  typeVersion: 3.4,
  parameters: {
    assignments: { assignments: [{ id: "1", name: "made", value: `={{ ${value} }}`, type: "string" }] },
    includeOtherFields: true,
  },
});

describe("in the second round of a loop, it is reported that", () => {
  test.each<[string, string, object, object]>([
    [
      "the text false counts as true",
      "$json.a ? 'subscribe' : 'leave'",
      { a: "true", made: "subscribe" },
      { a: "false", made: "subscribe" },
    ],
    ["0 is replaced", "$json.a || 5000", { a: 7, made: 7 }, { a: 0, made: 5000 }],
    [
      "texts are compared by their letters",
      "$json.a > $json.b ? 'big' : 'small'",
      { a: "95", b: "90", made: "big" },
      { a: "100", b: "90", made: "small" },
    ],
  ])("%s", (_name, value, first, second) => {
    const without = ({ made: _made, ...others }: { made?: unknown }) => others;
    const control = looped(setting(value), [without(second), without(first)], [second, first]);
    expect(findingsOf(control)).toMatch(ACCUSES);
    const now = looped(setting(value), [without(first), without(second)], [first, second]);
    expect(findingsOf(now)).toMatch(ACCUSES);
  });

  test("an update changes no row", () => {
    const update: Node = {
      type: "n8n-nodes-base.postgres",
      typeVersion: 2.6,
      parameters: { operation: "update", table: { value: "stock" } },
    };
    const items = [{ id: 1 }, { id: 2 }];
    const before = looped(
      update,
      items,
      [
        { id: 1, n: 1 },
        { id: 2, n: 1 },
      ],
      "6",
    );
    const said = (made: readonly object[]) => findingsOf(looped(update, items, made, "7", [before]));
    expect(said([{ success: true }, { id: 2, n: 1 }])).toContain("changed no row");
    expect(said([{ id: 1, n: 1 }, { success: true }])).toContain("changed no row");
  });
});

describe("a value fetched once for all rounds", () => {
  test.each([
    ["is not blamed if it would be the same in each round", "t", false],
    ["is reported as stale if a later round needs another one", "u", true],
  ])("%s", (_name, tenant, isStale) => {
    const flow: Flow = {
      nodes: {
        Inbound: INBOUND,
        Loop: LOOP,
        "First round?": ifNode("={{ $runIndex }}", 0, { type: "number", operation: "equals" }),
        Login: {
          type: "n8n-nodes-base.httpRequest",
          parameters: { method: "POST", url: "=https://auth/{{ $json.tenant }}/token" },
        },
        Book: {
          type: "n8n-nodes-base.httpRequest",
          parameters: {
            method: "POST",
            url: "=https://a/{{ $('Loop').item.json.id }}",
            headerParameters: {
              parameters: [{ name: "Authorization", value: "=Bearer {{ $('Login').first().json.token }}" }],
            },
          },
        },
      },
      main: {
        Inbound: [["Loop"]],
        Loop: [[], ["First round?"]],
        "First round?": [["Login"], ["Book"]],
        Login: [["Book"]],
        Book: [["Loop"]],
      },
    };
    const items = [
      { id: 1, tenant: "t" },
      { id: 2, tenant },
    ];
    const now = flowView(flow, [
      { node: "Inbound", outputs: [items] },
      { node: "Loop", from: [["Inbound"]], outputs: [[], [items[0] ?? {}]] },
      { node: "First round?", from: [["Loop", 1]], outputs: [[items[0] ?? {}], []] },
      { node: "Login", from: [["First round?", 0]], outputs: [[{ token: "x" }]] },
      { node: "Book", from: [["Login"]], outputs: [[{ ok: true }]] },
      { node: "Loop", from: [["Book"]], outputs: [[], [items[1] ?? {}]] },
      { node: "First round?", from: [["Loop", 1, 1]], outputs: [[], [items[1] ?? {}]] },
      { node: "Book", from: [["First round?", 1, 1]], outputs: [[{ ok: true }]] },
      { node: "Loop", from: [["Book", 0, 1]], outputs: [[{ ok: true }, { ok: true }], []] },
    ]);
    expect(ACCUSES.test(findingsOf(now))).toBe(isStale);
  });
});

test("a loop left by a node's error output is reported, as it skipped the other items", () => {
  const ids = [1, 2, 3, 4, 5].map((id) => ({ id }));
  const ask = { type: "n8n-nodes-base.httpRequest", onError: "continueErrorOutput", parameters: {} };
  const flow: Flow = {
    nodes: { Inbound: INBOUND, Loop: LOOP, Ask: ask, Log: { type: SET }, Done: { type: SET } },
    main: { Inbound: [["Loop"]], Loop: [["Done"], ["Ask"]], Ask: [["Loop"], ["Log"]] },
  };
  const round = (json: object, index: number, sent: object[][]): Run[] => [
    { node: "Loop", from: [index === 0 ? ["Inbound"] : ["Ask", 0, index - 1]], outputs: [[], [json]] },
    { node: "Ask", from: [["Loop", 1, index]], outputs: sent },
  ];
  const all: Run[] = [
    { node: "Inbound", outputs: [ids] },
    ...ids.flatMap((json, index) => round(json, index, [[{ ok: true }], []])),
    { node: "Loop", from: [["Ask", 0, 4]], outputs: [ids, []] },
    { node: "Done", from: [["Loop", 0, 5]], outputs: [[{ ok: true }]] },
  ];
  const left: Run[] = [
    ...all.slice(0, 3),
    ...round({ id: 2 }, 1, [[], [{ error: "503" }]]),
    { node: "Log", from: [["Ask", 1, 1]], outputs: [[{ ok: true }]] },
  ];
  expect(findingsOf(flowView(flow, left, "7", [flowView(flow, all, "6")]))).toMatch(/^likely: .*"Loop"/m);
});

test("paired items are followed in each round, and behind a node that let fewer items through", () => {
  const rows = [1, 2, 3].map((id) => ({ id, active: "false" }));
  const value = "={{ $('Rows').item.json.active ? 'yes' : 'no' }}";
  const tell = { type: SET, parameters: { assignments: { assignments: [{ name: "is", value }] } } };
  const list = { type: "n8n-nodes-base.httpRequest", parameters: { url: "https://a" } };
  const ask = { type: "n8n-nodes-base.httpRequest", parameters: { url: "=https://a/{{ $json.id }}" } };
  const nodes = { Inbound: INBOUND, Rows: list, Loop: LOOP, Ask: ask, Tell: tell };
  const start: Run[] = [
    { node: "Inbound", outputs: [[{}]] },
    { node: "Rows", from: [["Inbound"]], outputs: [rows] },
  ];
  const looping: Flow = {
    nodes,
    main: { Inbound: [["Rows"]], Rows: [["Loop"]], Loop: [[], ["Ask"]], Ask: [["Tell"]], Tell: [["Loop"]] },
  };
  const rounds = rows.flatMap((json, round): Run[] => [
    { node: "Loop", from: [round === 0 ? ["Rows"] : ["Tell", 0, round - 1]], outputs: [[], [json]] },
    { node: "Ask", from: [["Loop", 1, round]], outputs: [[{ ok: round }]] },
    { node: "Tell", from: [["Ask", 0, round]], outputs: [[{ is: "yes" }]] },
  ]);
  expect(findingsOf(flowView(looping, [...start, ...rounds]))).toMatch(ACCUSES);
  const few: Flow = {
    nodes: { ...nodes, Few: { type: "n8n-nodes-base.limit", parameters: { maxItems: 2 } } },
    main: { Inbound: [["Rows"]], Rows: [["Few"]], Few: [["Ask"]], Ask: [["Tell"]] },
  };
  const straight: Run[] = [
    { node: "Few", from: [["Rows"]], outputs: [rows.slice(0, 2)] },
    { node: "Ask", from: [["Few"]], outputs: [[{ ok: 1 }, { ok: 2 }]] },
    { node: "Tell", from: [["Ask"]], outputs: [[{ is: "yes" }, { is: "yes" }]] },
  ];
  expect(findingsOf(flowView(few, [...start, ...straight]))).toMatch(ACCUSES);
});

test("many rounds of nodes that read each other by name are explained within three seconds", () => {
  const names = Array.from({ length: 12 }, (_, index) => `N${index}`);
  const values = names.map(
    (name) => `={{ $('${name}').item.json.f1 === 'x' ? $json.f3 || 5 : $json.f2 > 'a' }}`,
  );
  const node = {
    type: SET,
    parameters: { assignments: { assignments: values.map((value) => ({ value })) } },
  };
  const flow: Flow = {
    nodes: { Inbound: INBOUND, Loop: LOOP, ...Object.fromEntries(names.map((name) => [name, node])) },
    main: {
      ...{ Inbound: [["Loop"]], Loop: [[], ["N0"]] },
      ...Object.fromEntries(names.map((name, index) => [name, [[names[index + 1] ?? "Loop"]]])),
    },
  };
  const items = Array.from({ length: 200 }, (_, round) =>
    Object.fromEntries(Array.from({ length: 20 }, (_each, field) => [`f${field}`, `text ${round} ${field}`])),
  );
  const rounds = items.flatMap((json, round): Run[] => [
    { node: "Loop", from: [round === 0 ? ["Inbound"] : ["N11", 0, round - 1]], outputs: [[], [json]] },
    ...names.map((name, index): Run => {
      const from = names[index - 1];
      return {
        node: name,
        from: [from === undefined ? ["Loop", 1, round] : [from, 0, round]],
        outputs: [[json]],
      };
    }),
  ]);
  const runs: Run[] = [{ node: "Inbound", outputs: [items] }, ...rounds];
  const now = flowView(flow, runs, "7", [flowView(flow, runs, "6"), flowView(flow, runs, "5")]);
  expect(threadSeconds(() => findingsOf(now))).toBeLessThan(3);
});
