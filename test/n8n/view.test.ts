import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Grant,
  givePayloadOfAll,
  needsWorkflows,
  unreportedFacts,
  View,
  type ViewParts,
} from "../../src/n8n/view.ts";
import type { WorkflowFacts } from "../../src/n8n/workflow-schemas.ts";

const workflow = (id: string, facts: Partial<WorkflowFacts> = {}): WorkflowFacts => ({
  ...{
    id,
    name: `name ${id}`,
    tags: [],
    settings: {},
    projects: undefined,
    sharedWith: [],
    folder: undefined,
  },
  ...{ schedules: [], savedAt: null },
  ...facts,
});
const READ = ["n8n:read"] as const;
const DATA = ["n8n:read", "n8n:data"] as const;

const ALL = [
  workflow("a", { tags: ["orders"], projects: ["p1", "Sales"] }),
  workflow("b", { tags: ["orders", "late"], folder: ["f1", "Team"] }),
  workflow("c", { name: "crm.sync" }),
];
const idsOf = (...workflows: NonNullable<Grant["workflows"]>[]) =>
  View.of(
    workflows.map((meant) => ({ workflows: meant, scopes: READ })),
    ALL,
  ).ids;

test.each([
  ["a tag", { tags: ["late"] }, ["b"]],
  ["any of several tags", { tags: ["late", "orders"] }, ["a", "b"]],
  ["a project by name", { projects: ["Sales"] }, ["a"]],
  ["a project by id", { projects: ["p1"] }, ["a"]],
  ["a folder", { folders: ["Team"] }, ["b"]],
  ["a name", { names: ["crm.sync"] }, ["c"]],
  ["names with *", { names: ["crm.*", "*b"] }, ["b", "c"]],
  ["an id, also of one that n8n does not list", { ids: ["gone"] }, ["gone"]],
  ["any list of a rule", { tags: ["late"], names: ["crm.*"] }, ["b", "c"]],
  ["what nobody has", { tags: ["ORDERS"], names: ["crm"], projects: ["p"] }, []],
])("%s", (_what, meant, expected) => {
  expect(idsOf(meant)).toEqual(expected);
});

describe("scopes", () => {
  test("belong to the workflows of their rule", () => {
    const view = View.of(
      [
        { workflows: { ids: ["a"] }, scopes: DATA },
        { workflows: { ids: ["b"] }, scopes: READ },
      ],
      [],
    );
    expect([view.has("a"), view.has("b"), view.has("c")]).toEqual([true, true, false]);
    expect([view.mayReadData("a"), view.mayReadData("b"), view.mayReadData("c")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(view.mayReadData(null)).toBe(false);
    expect(view.withData.ids).toEqual(["a"]);
  });

  test("of all workflows, and of some with payload", () => {
    const view = View.of([{ scopes: READ }, { workflows: { ids: ["a"] }, scopes: DATA }], []);
    expect(view.ids).toBeNull();
    expect([view.mayReadData("a"), view.mayReadData("b"), view.mayReadData(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test("whether all payload is given is told from the grants alone, where it is as a view of them says", () => {
  const a = { workflows: { ids: ["a"] } };
  const b = { workflows: { ids: ["b"] } };
  const cases: [Grant[], boolean | undefined][] = [
    [[{ scopes: DATA }], true],
    [
      [
        { ...a, scopes: DATA },
        { ...b, scopes: DATA },
      ],
      true,
    ],
    [[{ ...a, scopes: READ }], false],
    [
      [
        { ...a, scopes: DATA },
        { ...b, scopes: READ },
      ],
      undefined,
    ],
    [
      [
        { ...a, scopes: DATA },
        { ...a, scopes: READ },
      ],
      undefined,
    ],
  ];
  for (const [grants, given] of cases) {
    expect(givePayloadOfAll(grants)).toBe(given);
    if (given !== undefined) expect(View.of(grants, []).mayReadData(null)).toBe(given);
  }
});

test("without a grant nothing is seen, and nothing asked", () => {
  const view = View.of([], ALL);
  expect([view.ids, view.has("a"), view.has(undefined), view.mayReadData("a")]).toEqual([
    [],
    false,
    false,
    false,
  ]);
  expect(needsWorkflows([])).toBe(false);
});

test("a view that is handed on as plain data stays what it is", () => {
  const all: readonly ViewParts[] = [
    { seen: null, data: null },
    { seen: null, data: ["a"] },
    { seen: ["a", "b"], data: [] },
  ];
  for (const parts of all) {
    const view = View.from(parts);
    expect(view.parts).toEqual(parts);
    expect(view.isWhole).toBe(parts.data === null);
    expect(view.has("b")).toBe(true);
    expect([view.mayReadData("a"), view.mayReadData("b")]).toEqual([
      parts.data?.includes("a") ?? true,
      parts.data === null,
    ]);
  }
  expect(View.from({ seen: ["a"], data: ["b"] }).mayReadData("b")).toBe(false);
});

test("its key tells it from each other view, whatever the order: by it, answers are kept", () => {
  const keyOf = (seen: string[] | null, data: string[] | null) => View.from({ seen, data }).key;
  const keys = [
    keyOf(null, null),
    keyOf(null, []),
    keyOf([], []),
    keyOf(["a"], []),
    keyOf(["a"], ["a"]),
    keyOf(["a", "b"], []),
    keyOf(["a", "b"], ["a"]),
    keyOf(["a,b"], []),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyOf(["b", "a"], ["a"])).toBe(keyOf(["a", "b"], ["a"]));
});

test("n8n's list is needed only where a rule goes by what stands in it", () => {
  expect(needsWorkflows([{ scopes: DATA }, { workflows: { tags: ["x"] }, scopes: READ }])).toBe(false);
  expect(needsWorkflows([{ scopes: READ }, { workflows: { tags: ["x"] }, scopes: DATA }])).toBe(true);
  expect(needsWorkflows([{ workflows: { ids: ["x"] }, scopes: READ }])).toBe(false);
  expect(needsWorkflows([{ workflows: { ids: ["x"], tags: ["x"] }, scopes: READ }])).toBe(true);
});

test("what this n8n does not tell is named, and gives nothing", () => {
  const grants = [{ workflows: { folders: ["Team"], projects: ["Sales"] }, scopes: READ }];
  const old = [workflow("a", { tags: ["orders"] })];
  expect(unreportedFacts(old, grants)).toEqual(["projects", "folders"]);
  expect(unreportedFacts(ALL, grants)).toEqual([]);
  expect(View.of(grants, old).ids).toEqual([]);
});

test("a * is any text, as a regular expression would have it", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 8 });
  fc.assert(
    fc.property(letters, letters, (name, pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`, "s");
      const { ids } = View.of([{ workflows: { names: [pattern] }, scopes: READ }], [workflow("x", { name })]);
      expect(ids).toEqual(expression.test(name) ? ["x"] : []);
    }),
    { numRuns: 2_000 },
  );
});

test("rules only add: one more rule hides nothing", () => {
  const grant = fc.record({
    workflows: fc.option(
      fc.record({ ids: fc.subarray(["a", "b", "c", "d"]), tags: fc.subarray(["orders", "late"]) }),
      { nil: undefined },
    ),
    scopes: fc.constantFrom(READ, DATA),
  });
  fc.assert(
    fc.property(fc.array(grant), grant, (grants, more) => {
      const [before, after] = [View.of(grants, ALL), View.of([...grants, more], ALL)];
      for (const id of ["a", "b", "c", "d", "e"]) {
        if (before.has(id)) expect(after.has(id)).toBe(true);
        if (before.mayReadData(id)) expect(after.mayReadData(id)).toBe(true);
        if (after.mayReadData(id)) expect(after.has(id)).toBe(true);
      }
    }),
  );
});
