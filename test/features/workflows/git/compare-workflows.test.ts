/** A comparison reports exactly the change that was made, and nothing where nothing changed. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  changesSentence,
  compareWorkflows,
  isUnchanged,
  type WorkflowChanges,
} from "../../../../src/features/workflows/git/compare-workflows.ts";
import { toGitWorkflow, type WorkflowParts } from "../../../../src/features/workflows/git/git-workflow.ts";
import { type RawNode, type RawWorkflow, rawWorkflow } from "./raw-workflows.ts";

function compare(before: WorkflowParts, after: WorkflowParts): WorkflowChanges {
  const [old, now] = [toGitWorkflow(before), toGitWorkflow(after)];
  return compareWorkflows({ raw: old, shown: old }, { raw: now, shown: now });
}

const NONE: WorkflowChanges = {
  nodes: { added: [], removed: [], renamed: [], moved: [], changed: [] },
  connections: { added: [], removed: [], reordered: [] },
  workflow: [],
};

/** The workflow with its first node changed. */
const withFirst = (workflow: RawWorkflow, change: (node: RawNode) => RawNode): RawWorkflow => ({
  ...workflow,
  nodes: workflow.nodes.map((node, index) => (index === 0 ? change(node) : node)),
});

const first = ({ nodes: [node] }: RawWorkflow): RawNode => {
  if (node === undefined) throw new TypeError("A workflow without nodes.");
  return node;
};

function renameIn(connections: Readonly<Record<string, unknown>>, old: string, name: string) {
  const rename = (text: unknown): unknown => (text === old ? name : text);
  return Object.fromEntries(
    Object.entries(connections).map(([source, types]) => [
      source === old ? name : source,
      JSON.parse(JSON.stringify(types), (key, value: unknown) => (key === "node" ? rename(value) : value)),
    ]),
  );
}

describe("for any workflow", () => {
  test("there is no change from itself", async () => {
    await fc.assert(
      fc.property(rawWorkflow, (workflow) => {
        expect(compare(workflow, structuredClone(workflow))).toEqual(NONE);
      }),
    );
  });

  test("there is a change exactly if two workflows differ", async () => {
    await fc.assert(
      fc.property(rawWorkflow, rawWorkflow, fc.boolean(), (one, other, isMixed) => {
        const after = isMixed ? { ...one, connections: other.connections } : other;
        const isSame = JSON.stringify(toGitWorkflow(one)) === JSON.stringify(toGitWorkflow(after));
        expect(isUnchanged(compare(one, after))).toBe(isSame);
      }),
    );
  });

  test("an added node is reported, and in reverse a removed one", async () => {
    await fc.assert(
      fc.property(rawWorkflow, (workflow) => {
        const node = { ...first(workflow), id: "new", name: "a name that no other has" };
        const more = { ...workflow, nodes: [...workflow.nodes, node] };
        const nodes = [{ name: node.name, type: node.type }];
        expect(compare(workflow, more)).toEqual({ ...NONE, nodes: { ...NONE.nodes, added: nodes } });
        expect(compare(more, workflow)).toEqual({ ...NONE, nodes: { ...NONE.nodes, removed: nodes } });
      }),
    );
  });

  test("a renamed node is reported, with unchanged connections", async () => {
    await fc.assert(
      fc.property(rawWorkflow, (workflow) => {
        const { name } = first(workflow);
        const after = {
          ...withFirst(workflow, (node) => ({ ...node, name: "a name that no other has" })),
          connections: renameIn(workflow.connections, name, "a name that no other has"),
        };
        const renamed = [{ old: name, new: "a name that no other has" }];
        expect(compare(workflow, after)).toEqual({ ...NONE, nodes: { ...NONE.nodes, renamed } });
      }),
    );
  });

  test("a moved node is reported", async () => {
    await fc.assert(
      fc.property(rawWorkflow, (workflow) => {
        const after = withFirst(workflow, (node) => ({ ...node, position: [5_000, 0] }));
        const moved = [first(workflow).name];
        expect(compare(workflow, after)).toEqual({ ...NONE, nodes: { ...NONE.nodes, moved } });
      }),
    );
  });

  test("a changed parameter is reported with its path, old and new value", async () => {
    await fc.assert(
      fc.property(rawWorkflow, fc.string(), (workflow, text) => {
        const withUrl = (url: string) =>
          withFirst(workflow, (node) => ({ ...node, parameters: { ...node.parameters, q: [{ url }] } }));
        const changes = [{ path: "parameters.q[0].url", old: `${text}a`, new: `${text}b` }];
        const changed = [{ node: first(workflow).name, changes }];
        expect(compare(withUrl(`${text}a`), withUrl(`${text}b`))).toEqual({
          ...NONE,
          nodes: { ...NONE.nodes, changed },
        });
      }),
    );
  });

  test("a changed setting is reported", async () => {
    await fc.assert(
      fc.property(rawWorkflow, (workflow) => {
        const after = { ...workflow, settings: { ...workflow.settings, errorWorkflow: "e" } };
        expect(compare(workflow, after)).toEqual({
          ...NONE,
          workflow: [{ path: "settings.errorWorkflow", new: "e" }],
        });
      }),
    );
  });
});

const node = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  type: "t",
  position: [0, 0],
  parameters: {},
  ...more,
});
const to = (...names: string[]) => names.map((name) => ({ node: name, type: "main", index: 0 }));
const BASE = {
  nodes: [node("1", "A"), node("2", "B"), node("3", "C")],
  connections: { A: { main: [to("B", "C")] } },
};

test("added, removed and reordered connections are reported with outputs, inputs and kinds", () => {
  const after = (types: object) => compare(BASE, { ...BASE, connections: { A: types } }).connections;
  expect(after({ main: [to("C", "B")] })).toEqual({ added: [], removed: [], reordered: ["A"] });
  expect(after({ main: [to("B"), to("C")] })).toEqual({
    added: ["A [output 1] ⟶ C"],
    removed: ["A ⟶ C"],
    reordered: [],
  });
  const model = [[{ node: "B", type: "ai_tool", index: 1 }]];
  expect(after({ main: [to("B", "C")], ai_tool: model }).added).toEqual(["A =ai_tool⇒ B [input 1]"]);
});

test("nodes with new ids are matched by name and type", () => {
  const nodes = [node("9", "A"), node("8", "B", { type: "other" }), node("7", "C", { disabled: true })];
  const { added, removed, changed } = compare(BASE, { ...BASE, nodes }).nodes;
  expect(added).toEqual([{ name: "B", type: "other" }]);
  expect(removed).toEqual([{ name: "B", type: "t" }]);
  expect(changed).toEqual([{ node: "C", changes: [{ path: "disabled", new: true }] }]);
});

test("a long text is shortened to the part that differs", () => {
  const code = (end: string) => ({
    ...BASE,
    nodes: [node("1", "A", { parameters: { jsCode: `${"x".repeat(5_000)}${end}` } })],
  });
  const [change] = compare(code("old"), code("new")).nodes.changed[0]?.changes ?? [];
  expect(change?.old).toMatch(/^…x+old$/);
  expect(String(change?.new).length).toBeLessThan(310);
});

test("a part of a hidden value is hidden, too", () => {
  const secret = (value: string) =>
    toGitWorkflow({ ...BASE, nodes: [node("1", "A", { parameters: { auth: { token: value } } })] });
  const hidden = (value: string) => ({
    raw: secret(value),
    shown: { ...secret(value), nodes: [{ parameters: { auth: "[REDACTED:key]" } }] },
  });
  const { changed } = compareWorkflows(hidden("one"), hidden("two")).nodes;
  expect(changed[0]?.changes).toEqual([
    { path: "parameters.auth.token", old: "[REDACTED:key]", new: "[REDACTED:key]" },
  ]);
});

test("the sentence has names and counts, but no values", () => {
  const after = {
    ...BASE,
    nodes: [node("1", "A"), node("2", "B2", { parameters: { url: "https://secret" } }), node("4", "D\u202E")],
    connections: { A: { main: [to("B2")] } },
  };
  expect(changesSentence(compare(BASE, after))).toBe(
    '1 node added ("D"), 1 node removed ("C"), 1 node renamed ("B" to "B2"), 1 change in "B2", 1 connection removed',
  );
});
