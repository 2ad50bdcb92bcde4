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
  ["an id, even of a workflow that n8n does not list", { ids: ["gone"] }, ["gone"]],
  ["any list of a rule", { tags: ["late"], names: ["crm.*"] }, ["b", "c"]],
  ["values that no workflow has", { tags: ["ORDERS"], names: ["crm"], projects: ["p"] }, []],
])("a rule can name workflows by %s", (_what, meant, expected) => {
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

  test("may cover all workflows, and payload of some", () => {
    const view = View.of([{ scopes: READ }, { workflows: { ids: ["a"] }, scopes: DATA }], []);
    expect(view.ids).toBeNull();
    expect([view.mayReadData("a"), view.mayReadData("b"), view.mayReadData(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test("access to all payload follows from the grants alone, except in mixed cases", () => {
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

test("without a grant nothing is visible, and nothing is requested", () => {
  const view = View.of([], ALL);
  expect([view.ids, view.has("a"), view.has(undefined), view.mayReadData("a")]).toEqual([
    [],
    false,
    false,
    false,
  ]);
  expect(needsWorkflows([])).toBe(false);
});

test("a view passed on as plain data stays the same", () => {
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

test("the key of a view is unique, whatever the order of its parts", () => {
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

test("n8n's list is needed only if a rule goes by its content", () => {
  expect(needsWorkflows([{ scopes: DATA }, { workflows: { tags: ["x"] }, scopes: READ }])).toBe(false);
  expect(needsWorkflows([{ scopes: READ }, { workflows: { tags: ["x"] }, scopes: DATA }])).toBe(true);
  expect(needsWorkflows([{ workflows: { ids: ["x"] }, scopes: READ }])).toBe(false);
  expect(needsWorkflows([{ workflows: { ids: ["x"], tags: ["x"] }, scopes: READ }])).toBe(true);
});

test("facts that this n8n does not report are named, and grant nothing", () => {
  const grants = [{ workflows: { folders: ["Team"], projects: ["Sales"] }, scopes: READ }];
  const old = [workflow("a", { tags: ["orders"] })];
  expect(unreportedFacts(old, grants)).toEqual(["projects", "folders"]);
  expect(unreportedFacts(ALL, grants)).toEqual([]);
  expect(View.of(grants, old).ids).toEqual([]);
});

test("* matches any text, like .* in a regular expression", () => {
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

test("a further rule never hides anything", () => {
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
