import { describe, expect, test } from "vitest";
import { eachWorkflow } from "../../src/n8n/all-workflows.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { type ListedWorkflow, readWorkflowNameIn } from "../../src/n8n/workflow-reading.ts";
import { toWorkflowWithNodes } from "../../src/n8n/workflow-schemas.ts";
import { runningVersion } from "../../src/workflows/workflow-outline.ts";
import { createFakeN8n, failure, jsonAnswer } from "../support/fake-n8n.ts";
import { rawNode, rawWorkflow } from "../support/workflow-builder.ts";

const node = (name: string) => rawNode({ name, parameters: { text: name } });

function n8nWith(answer: (url: URL) => unknown) {
  const fake = createFakeN8n([]);
  fake.intercept = (url) => (url.pathname.includes("/workflows") ? jsonAnswer(answer(url)) : undefined);
  return fake;
}

async function listed(elements: readonly unknown[]): Promise<ListedWorkflow[]> {
  const found: ListedWorkflow[] = [];
  await eachWorkflow(VisibleN8n.whole(n8nWith(() => ({ data: elements, nextCursor: null })).client), (one) =>
    found.push(one),
  );
  return found;
}

describe("one workflow", () => {
  test("is read with its nodes, without pinned data", async () => {
    const fake = n8nWith(() =>
      rawWorkflow([{ name: "a" }], {}, { pinData: { a: [1] }, tags: [{ name: "t" }] }),
    );
    const workflow = await fake.client.readWorkflowWithNodes("w1");
    expect(workflow).toMatchObject({ id: "w1", nodes: [{ name: "a" }], tags: ["t"], isCut: false });
    expect(workflow).not.toHaveProperty("pinData");
    expect(fake.requests).toEqual(["/api/v1/workflows/w1?excludePinnedData=true"]);
  });

  test("that does not exist is reported as such", async () => {
    const fake = createFakeN8n([]);
    fake.intercept = () => failure(404);
    await expect(fake.client.readWorkflowWithNodes("w9")).rejects.toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
    });
  });

  test("is truncated and marked if a text or list is longer than any written by hand", async () => {
    const long = rawWorkflow([{ name: "a", parameters: { code: "x".repeat(300_000) } }]);
    const many = rawWorkflow([{ name: "a", parameters: { list: Array.from({ length: 6_000 }, () => 1) } }]);
    for (const raw of [long, many]) {
      const workflow = await n8nWith(() => raw).client.readWorkflowWithNodes("w1");
      expect(workflow.isCut).toBe(true);
      expect(JSON.stringify(workflow).length).toBeLessThan(270_000);
    }
  });

  test("is not marked as truncated for omitted static data", async () => {
    const raw = rawWorkflow([{ name: "a" }], {}, { staticData: { lastId: 1 }, shared: [{ role: "owner" }] });
    expect((await n8nWith(() => raw).client.readWorkflowWithNodes("w1")).isCut).toBe(false);
  });
});

describe("the running version", () => {
  const draft = { nodes: [node("draft")], versionId: "v2" };
  const activeVersion = { versionId: "v1", nodes: [node("published")], connections: {} };
  const read = (facts: object) =>
    toWorkflowWithNodes({ id: "w", name: "w", active: true, connections: {}, ...draft, ...facts });

  test.each([
    ["the published one, where the draft is another", { activeVersion }, "published", true],
    [
      "the draft, where it is what is published",
      { activeVersion: { ...activeVersion, versionId: "v2" } },
      "draft",
      false,
    ],
    ["the draft, where nothing is published", { active: false, activeVersion: null }, "draft", false],
    ["the draft, before n8n knew published versions", {}, "draft", false],
    ["the draft, where it was unpublished", { active: false, activeVersion }, "draft", false],
  ])("is %s", (_what, facts, name, isAnother) => {
    const workflow = read(facts);
    expect(runningVersion(workflow).nodes.map((each) => each.name)).toEqual([name]);
    expect(workflow.published !== null).toBe(isAnother);
  });
});

describe("in shapes of templates, exports and old versions,", () => {
  test("invalid nodes and connections are omitted, and the rest stays", () => {
    const workflow = toWorkflowWithNodes({
      id: "w",
      name: "w",
      active: false,
      nodes: [
        null,
        3,
        { name: "no type" },
        { ...node("a"), position: "nowhere", onError: "unheard", disabled: null },
      ],
      connections: { a: { main: [null, [null, { node: "b" }, "b"], "x"], ai_tool: null }, b: [], c: null },
      settings: null,
      tags: [null, { name: "t" }, "u"],
    });
    expect(
      workflow.nodes.map(({ name, position, onError, disabled }) => ({ name, position, onError, disabled })),
    ).toEqual([{ name: "a", position: [0, 0], onError: undefined, disabled: false }]);
    expect(workflow.connections.a).toEqual({
      main: [null, [null, { node: "b", type: "main", index: 0 }, null], null],
      ai_tool: [],
    });
    expect(workflow.tags).toEqual(["t"]);
  });

  test("unknown members of newer versions stay on a node", () => {
    const workflow = toWorkflowWithNodes(rawWorkflow([{ name: "a", somethingNew: { x: 1 } }]));
    expect(workflow.nodes[0]).toMatchObject({ somethingNew: { x: 1 } });
  });

  test("credentials are references, by name only in old exports", () => {
    const credentials = { httpBearerAuth: "Old", httpHeaderAuth: { id: "1", name: "New" } };
    expect(toWorkflowWithNodes(rawWorkflow([{ name: "a", credentials }])).nodes[0]?.credentials).toEqual({
      httpBearerAuth: { id: null, name: "Old" },
      httpHeaderAuth: { id: "1", name: "New" },
    });
  });
});

describe("a workflow's name", () => {
  const text = JSON.stringify(
    rawWorkflow([{ name: "a", parameters: {} }], {}, { id: "w1", name: 'Größe "漢" \\' }),
  );
  const all = new TextEncoder().encode(text);

  test("is read completely for any chunks, and nothing after it", async () => {
    for (const size of [1, 2, 3, 7, 64]) {
      let taken = 0;
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < all.length; at += size) {
          taken += size;
          yield all.subarray(at, at + size);
        }
      }
      expect(await readWorkflowNameIn(pieces())).toBe('Größe "漢" \\');
      expect(taken).toBeLessThan(80 + size);
    }
  });

  test.each(['{"id":"w1","nodes":[]}', '{"name":"a"}', "[]", "null"])(
    "is not found in %s",
    async (answer) => {
      async function* piece(): AsyncGenerator<Uint8Array> {
        yield new TextEncoder().encode(answer);
      }
      await expect(readWorkflowNameIn(piece())).rejects.toThrow();
    },
  );
});

describe("all workflows", () => {
  test("are passed on page by page, without pinned data", async () => {
    const fake = n8nWith((url) =>
      url.searchParams.has("cursor")
        ? { data: [rawWorkflow([], {}, { id: "w2" })], nextCursor: null }
        : { data: [rawWorkflow([], {}, { id: "w1" })], nextCursor: "next" },
    );
    const ids: (string | null)[] = [];
    const end = await eachWorkflow(VisibleN8n.whole(fake.client), (one) =>
      ids.push(one.kind === "read" ? one.workflow.id : null),
    );
    expect({ ids, end }).toEqual({ ids: ["w1", "w2"], end: "all" });
    expect(fake.requests).toEqual([
      "/api/v1/workflows?limit=100&excludePinnedData=true",
      "/api/v1/workflows?limit=100&cursor=next&excludePinnedData=true",
    ]);
  });

  test("are read even if one is invalid or far too large", async () => {
    const huge = rawWorkflow([{ name: "a", parameters: { code: "x".repeat(9_000_000) } }], {}, { id: "big" });
    const found = await listed([{ id: "odd", name: "Odd" }, huge, rawWorkflow([])]);
    expect(found.map((one) => (one.kind === "read" ? one.workflow.id : one))).toEqual([
      { kind: "unread", id: "odd" },
      { kind: "unread", id: "big" },
      "w1",
    ]);
  });

  test("are given up when the cursor never ends, which is reported", async () => {
    const fake = n8nWith(() => ({ data: [], nextCursor: "again" }));
    expect(await eachWorkflow(VisibleN8n.whole(fake.client), () => {})).toBe("size");
    expect(fake.requests).toHaveLength(100);
  });
});
