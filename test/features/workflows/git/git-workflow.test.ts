/** The form for version control: unique for each workflow, and without anything that changes by itself. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type GitWorkflow, toGitWorkflow } from "../../../../src/features/workflows/git/git-workflow.ts";
import { inBothLanes, runs } from "../../../support/lane.ts";
import { rawWorkflow, shuffled } from "./raw-workflows.ts";

/** Members by reference, since a node may be called `__proto__`. */
const members = z.custom<Readonly<Record<string, unknown>>>((value) => typeof value === "object");
const parts = z.looseObject({
  name: z.string(),
  nodes: z.array(members),
  connections: members,
  settings: members,
});
const textOf = (workflow: GitWorkflow): string => JSON.stringify(workflow, null, 2);
const read = (value: unknown): GitWorkflow => toGitWorkflow(parts.parse(value));

describe("for any workflow", () => {
  test("the order of keys and nodes makes no difference", async () => {
    await fc.assert(
      fc.property(rawWorkflow, fc.nat(20), (workflow, seed) => {
        const other = read(shuffled({ ...workflow, nodes: workflow.nodes.toReversed() }, seed));
        expect(textOf(other)).toBe(textOf(toGitWorkflow(workflow)));
      }),
    );
  });

  test("the export of an export is the same", inBothLanes, async () => {
    await fc.assert(
      fc.property(rawWorkflow, (workflow) => {
        const text = textOf(toGitWorkflow(workflow));
        expect(textOf(read(JSON.parse(text)))).toBe(text);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

const NODE = { id: "1", name: "A", type: "t", typeVersion: 1, position: [1.5, -2], parameters: {} };
const BASE = { name: "w", nodes: [NODE], connections: {}, settings: { executionOrder: "v1" } };

test.each([
  ["n8n's facts of the whole", { id: "x", active: true, versionId: "v", updatedAt: "now", triggerCount: 1 }],
  ["static and pinned data", { staticData: { a: 1 }, pinData: { A: [{ json: {} }] } }],
  ["its owner", { shared: [{ role: "workflow:owner" }], meta: { instanceId: "x" }, tags: [{ name: "t" }] }],
  ["the published version", { activeVersion: { nodes: [] }, activeVersionId: "v" }],
  ["an empty list of groups", { nodeGroups: [] }],
  [
    "settings with default values",
    { settings: { executionOrder: "v1", timezone: "DEFAULT", binaryMode: "separate" } },
  ],
  ["flags that are off", { nodes: [{ ...NODE, disabled: false, executeOnce: false }] }],
  ["times of nodes", { nodes: [{ ...NODE, createdAt: "a", updatedAt: "b" }] }],
  ["outputs without a target", { connections: { A: { main: [[], null] } } }],
])("the form does not contain %s", (_what, more) => {
  expect(read({ ...BASE, ...more })).toEqual(read(BASE));
});

test.each([
  ["a position", { nodes: [{ ...NODE, position: [2, -2] }] }],
  ["a disabled node", { nodes: [{ ...NODE, disabled: true }] }],
  ["a parameter that is false", { nodes: [{ ...NODE, parameters: { disabled: false } }] }],
  ["the order of a list in parameters", { nodes: [{ ...NODE, parameters: { a: [2, 1] } }] }],
  ["an unknown member of a node", { nodes: [{ ...NODE, futureMember: 1 }] }],
  ["an empty output before a connected one", { connections: { A: { main: [[], [target()]] } } }],
  ["a setting", { settings: { executionOrder: "v1", timezone: "UTC" } }],
  ["a group", { nodeGroups: [{ id: "g", name: "G", nodeIds: ["1"] }] }],
])("the form contains %s", (_what, more) => {
  expect(read({ ...BASE, ...more })).not.toEqual(read(BASE));
});

function target() {
  return { node: "A", type: "main", index: 0 };
}

test("credentials keep their name, and an id that n8n resolves by name", () => {
  const credentials = { slackApi: { id: "secretId", name: "Slack" }, old: "By name", none: { id: null } };
  expect(read({ ...BASE, nodes: [{ ...NODE, credentials }] }).nodes[0]?.credentials).toEqual({
    none: { id: null, name: null },
    old: { id: null, name: "By name" },
    slackApi: { id: null, name: "Slack" },
  });
});

test("a version of the history has no settings and no name", () => {
  expect(toGitWorkflow({ nodes: [NODE], connections: {} })).toEqual({ nodes: [NODE], connections: {} });
});
