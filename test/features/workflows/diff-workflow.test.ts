/** diff_workflow, and the long texts of get_workflow, on an n8n whose answers the test makes. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { estimateTokens } from "../../../src/mcp/token-estimate.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { dataOf, errorOf } from "../../support/envelopes.ts";
import { createFakeN8n, failure, jsonAnswer } from "../../support/fake-n8n.ts";
import { inBothLanes, sizeOf } from "../../support/lane.ts";
import { countTokens } from "../../support/token-counts.ts";

const SECRETS = ["sk-live-51H8xOldOldOldOldOld", "sk-live-51H8xNewNewNewNewNew"] as const;

const call = (secret: string, more: object = {}) => ({
  id: "n2",
  name: "Call",
  type: "n8n-nodes-base.httpRequest",
  position: [200, 0],
  parameters: {
    url: "https://api.example.com",
    headerParameters: { parameters: [{ name: "X-Api-Key", value: secret }] },
    ...more,
  },
});
const trigger = {
  id: "n1",
  name: "Get access token",
  type: "n8n-nodes-base.webhook",
  position: [0, 0],
  parameters: {},
};
const connections = { "Get access token": { main: [[{ node: "Call", type: "main", index: 0 }]] } };
const workflow = (nodes: readonly object[], versionId: string) => ({
  id: "w1",
  name: "orders",
  active: true,
  versionId,
  nodes,
  connections,
  settings: { executionOrder: "v1" },
});

const VERSIONS: Readonly<Record<string, object>> = {
  v1: {
    ...workflow([trigger, call(SECRETS[0])], "v1"),
    name: "a name given to the version",
    settings: undefined,
  },
  v2: workflow([trigger, call(SECRETS[1])], "v2"),
};
const NOW = workflow([trigger, call(SECRETS[1], { timeout: 5 })], "v3");
const HISTORY = ["v3", "v2", "v1"].map((versionId) => ({
  versionId,
  createdAt: "2026-11-20T00:00:00.000Z",
  name: null,
}));

interface Instance {
  readonly now?: object;
  /** The version before. */
  readonly older?: object | undefined;
  /** The form of the address of a version in this n8n. */
  readonly versions?: "current" | "deprecated" | "none";
}

function callerOn({
  now = NOW,
  older = VERSIONS.v2,
  versions = "current",
}: Instance = {}): Caller & { readonly requests: string[] } {
  const fake = createFakeN8n([]);
  fake.intercept = ({ pathname }) => {
    const path = pathname.replace("/api/v1/workflows/w1", "");
    if (path === "") return jsonAnswer(now);
    if (path === "/history" && versions !== "none") return jsonAnswer({ data: HISTORY, nextCursor: null });
    const [, folder, id] = /^(\/versions)?\/(\w+)$/.exec(path) ?? [];
    const isServed = versions !== "none" && (folder === undefined || versions === "current");
    const version = id === undefined || !isServed ? undefined : { ...VERSIONS, v2: older }[id];
    return version === undefined ? failure(404) : jsonAnswer(version);
  };
  const caller = createCaller({ fetch: fake.fetch, scopes: ["n8n:read"] });
  return { ...caller, requests: fake.requests };
}

const diff = z.looseObject({
  same: z.boolean(),
  nodes: z.looseObject({ changed: z.array(z.unknown()) }),
  versions: z.array(z.object({ versionId: z.string(), createdAt: z.string() })).optional(),
});

describe("a comparison of versions", () => {
  test.each(["current", "deprecated"] as const)(
    "shows the last change, and all versions (%s)",
    async (versions) => {
      const envelope = await callerOn({ versions }).call("diff_workflow", { workflowId: "w1" });
      expect(envelope.message).toBe('"orders", from version v2 to its current state: 1 change in "Call".');
      const data = dataOf(envelope, diff);
      expect(data.nodes.changed).toEqual([
        { node: "Call", changes: [{ path: "parameters.timeout", new: 5 }] },
      ]);
      expect(data.versions?.map(({ versionId }) => versionId)).toEqual(["v3", "v2", "v1"]);
    },
  );

  describe("of an older one with the one before it", () => {
    /** As many versions, each with one node more; n8n lists the newest first. */
    function callerOnVersions(count: number): Caller {
      const fake = createFakeN8n([]);
      const node = (number: number) => ({ ...trigger, id: `n${number}`, name: `Node ${number}` });
      const version = (number: number) =>
        workflow(
          Array.from({ length: number }, (_node, at) => node(at)),
          `v${number}`,
        );
      const history = Array.from({ length: count }, (_version, at) => ({
        versionId: `v${count - at}`,
        createdAt: "2026-11-20T00:00:00.000Z",
        name: null,
      }));
      fake.intercept = ({ pathname, searchParams }) => {
        const limit = Number(searchParams.get("limit"));
        if (pathname.endsWith("/history"))
          return jsonAnswer({ data: history.slice(0, limit), nextCursor: null });
        return jsonAnswer(version(Number(/v(\d+)$/.exec(pathname)?.[1] ?? count)));
      };
      return createCaller({ fetch: fake.fetch, scopes: ["n8n:read"] });
    }

    test("finds it beyond the versions that are shown", async () => {
      const envelope = await callerOnVersions(20).call("diff_workflow", { workflowId: "w1", to: "v5" });
      expect(envelope.message).toContain('from version v4 to version v5: 1 node added ("Node 4")');
      expect(dataOf(envelope, diff).versions).toHaveLength(10);
    });

    test("is refused if it is not listed, rather than compared with the newest", async () => {
      const envelope = await callerOnVersions(150).call("diff_workflow", { workflowId: "w1", to: "v5" });
      const { message, details } = errorOf(envelope, "WORKFLOW_NOT_FOUND");
      expect(message).toContain("Among the newest 100 versions");
      expect(details.field).toBe("from");
    });
  });

  test("reports a changed secret without showing either value", async () => {
    const envelope = await callerOn().call("diff_workflow", { workflowId: "w1", from: "v1", to: "v2" });
    const path = "parameters.headerParameters.parameters[0].value";
    expect(dataOf(envelope, diff).nodes.changed).toEqual([
      { node: "Call", changes: [{ path, old: "[REDACTED:key]", new: "[REDACTED:key]" }] },
    ]);
    for (const secret of SECRETS) expect(JSON.stringify(envelope)).not.toContain(secret.slice(-10));
  });

  test("another credential of the same name is a change between versions, and not against an export", async () => {
    const using = (id: string) => ({
      ...call(SECRETS[1]),
      credentials: { httpHeaderAuth: { id, name: "Header Auth account" } },
    });
    const now = workflow([trigger, using("newCredential")], "v3");
    const caller = callerOn({ now, older: workflow([trigger, using("oldCredential")], "v2") });
    const between = await caller.call("diff_workflow", { workflowId: "w1" });
    expect(between.message).toContain('1 change in "Call"');
    const against = JSON.stringify(workflow([trigger, using("idElsewhere")], "v2"));
    const exported = await caller.call("diff_workflow", { workflowId: "w1", against });
    expect([dataOf(between, diff).same, dataOf(exported, diff).same]).toEqual([false, true]);
  });

  test("without a change says that versions hold no settings", async () => {
    const same = await callerOn({ older: NOW }).call("diff_workflow", { workflowId: "w1" });
    expect(same.message).toContain("no node or connection changed; versions hold no settings.");
  });

  test("does not take the name of a version for the workflow's", async () => {
    const envelope = await callerOn().call("diff_workflow", { workflowId: "w1", from: "v1" });
    expect(JSON.stringify(envelope)).not.toContain("a name given");
  });

  test("is an error for an unknown version, and on an n8n without history", async () => {
    const unknown = await callerOn().call("diff_workflow", { workflowId: "w1", from: "v9" });
    expect(errorOf(unknown, "WORKFLOW_NOT_FOUND").details.field).toBe("versionId");
    const old = await callerOn({ versions: "none" }).call("diff_workflow", { workflowId: "w1" });
    expect(errorOf(old, "WORKFLOW_NOT_FOUND").details.solution).toContain("against");
    const oldest = await callerOn().call("diff_workflow", { workflowId: "w1", to: "v1" });
    expect(errorOf(oldest, "WORKFLOW_NOT_FOUND").details.field).toBe("from");
  });

  test("keeps ids in one segment of the path", async () => {
    const caller = callerOn();
    errorOf(await caller.call("diff_workflow", { workflowId: "w1", from: "../v1" }), "VALIDATION_ERROR");
    expect(caller.requests).toEqual([]);
  });
});

describe("a comparison with an export", () => {
  const against = async (pasted: unknown, instance: Instance = {}) =>
    await callerOn(instance).call("diff_workflow", {
      workflowId: "w1",
      against: typeof pasted === "string" ? pasted : JSON.stringify(pasted),
    });

  test("finds no difference to our own text for version control", async () => {
    const text = dataOf(
      await callerOn().call("get_workflow", { workflowId: "w1", format: "git" }),
      z.looseObject({ text: z.string() }),
    ).text;
    expect(text).toContain('"node": "Call"');
    expect(dataOf(await against(text), diff).same).toBe(true);
  });

  test("finds no difference to n8n's own export, whatever changes by itself", async () => {
    const exported = { ...NOW, meta: { instanceId: "x" }, pinData: {}, tags: [], active: false, id: "other" };
    expect(dataOf(await against(exported), diff).same).toBe(true);
    expect(dataOf(await against([exported]), diff).same).toBe(true);
  });

  test("shows a change", async () => {
    const envelope = await against({ ...NOW, nodes: [trigger, call(SECRETS[1], { timeout: 9 })] });
    expect(dataOf(envelope, diff).nodes.changed).toEqual([
      { node: "Call", changes: [{ path: "parameters.timeout", old: 9, new: 5 }] },
    ]);
    expect(envelope.message).toBe('"orders", from the export to its current state: 1 change in "Call".');
  });

  test("neither confirms nor denies a guessed secret", async () => {
    const guess = async (secret: string) => {
      const { meta: _meta, ...rest } = await against({
        ...NOW,
        nodes: [trigger, call(secret, { timeout: 5 })],
      });
      return rest;
    };
    expect(await guess(SECRETS[0])).toEqual(await guess(SECRETS[1]));
  });

  test.each([
    ["no JSON", "{"],
    ["no workflow", { a: 1 }],
    ["a list of several", [NOW, NOW]],
    ["without valid nodes", { ...NOW, nodes: [1] }],
    [
      "too deep",
      { ...NOW, nodes: [{ ...trigger, parameters: JSON.parse("[".repeat(200) + "]".repeat(200)) }] },
    ],
  ])("is rejected for an export that is %s", async (_what, pasted) => {
    expect(errorOf(await against(pasted), "VALIDATION_ERROR").details.field).toBe("against");
  });

  test("is rejected together with a version", async () => {
    const args = { workflowId: "w1", from: "v1", against: JSON.stringify(NOW) };
    errorOf(await callerOn().call("diff_workflow", args), "VALIDATION_ERROR");
  });
});

describe("a large workflow", () => {
  const code = `const a = "é漢🚀";\n// "token": "x"\nreturn ${"[1, 2], ".repeat(300)};\n`;
  const callerOnNodes = (count: number) => {
    const nodes = Array.from({ length: count }, (_, index) => ({
      ...call(SECRETS[0], { jsCode: code + index, blob: index === 20 ? "🚀 漢字 ".repeat(20_000) : "" }),
      id: `n${index}`,
      name: index === 0 ? "Call" : `Refresh token ${index}`,
    }));
    const all = Object.fromEntries(
      nodes.map(({ name }) => [name, { main: [[{ node: "Call", type: "main", index: 0 }]] }]),
    );
    return callerOn({ now: { ...workflow(nodes, "v1"), connections: all } });
  };
  const page = z.looseObject({
    text: z.string(),
    offset: z.number(),
    nextOffset: z.number().nullable(),
    length: z.number(),
    sha256: z.string(),
  });

  test("has a text in pages that make up the whole, each within its budget", inBothLanes, async () => {
    const count = sizeOf(120, 30);
    const caller = callerOnNodes(count);
    let text = "";
    let pages = 0;
    let offset: number | null = 0;
    let last: z.infer<typeof page> | undefined;
    while (offset !== null) {
      const envelope = await caller.call("get_workflow", { workflowId: "w1", format: "git", offset });
      expect(estimateTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(20_000);
      expect(envelope.meta.leftOut).toBeUndefined();
      last = dataOf(envelope, page);
      expect(last.offset).toBe(text.length);
      text += last.text;
      offset = last.nextOffset;
      pages += 1;
    }
    expect(pages).toBeGreaterThan(2);
    expect(text.length).toBe(last?.length);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    expect(Buffer.from(digest).toString("hex")).toBe(last?.sha256);
    expect(Object.keys(JSON.parse(text).connections)).toHaveLength(count);
    expect(text).not.toContain(SECRETS[0]);
    expect(text.match(/REDACTED:key\]/g)?.length).toBeGreaterThanOrEqual(count);
  });

  test("has a short summary, which says what was left out", async () => {
    const envelope = await callerOnNodes(120).call("get_workflow", { workflowId: "w1" });
    expect(countTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(2_000);
    const { leftOut, counts } = dataOf(
      envelope,
      z.looseObject({ leftOut: z.array(z.string()), counts: z.looseObject({ nodes: z.number() }) }),
    );
    expect(counts.nodes).toBe(120);
    expect(leftOut.length).toBeGreaterThan(0);
  });

  test("is rejected, not cut, if it is too large to be read completely", async () => {
    const huge = workflow([{ ...call("x"), parameters: { jsCode: "x".repeat(300_000) } }], "v1");
    const envelope = await callerOn({ now: huge }).call("get_workflow", { workflowId: "w1", format: "git" });
    expect(errorOf(envelope, "N8N_BAD_RESPONSE").message).toContain("too large");
  });
});
