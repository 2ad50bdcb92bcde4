/** The requests and bytes that names of workflows cost n8n. */
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type Caller, createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, failure, fakeExecution } from "../support/fake-n8n.ts";
import { rawWorkflow } from "../support/workflow-builder.ts";

const COUNT = 300;
/** The size in which a socket delivers data. */
const PIECE = 16 * 1024;
const date = "2026-11-21T00:00:00.000Z";

const listed = z.looseObject({
  executions: z.array(z.looseObject({ workflowId: z.string(), workflowName: z.string().nullable() })),
});

let workflows: { id?: unknown; name?: unknown }[];
let n8n: FakeN8n;
let caller: Caller;
let now: number;
/** Bytes of workflows that were read from n8n. */
let bytes: number;
let deleted: Set<string>;

/** An answer that sends only as much as is read. */
function sent(value: unknown): Response {
  const all = new TextEncoder().encode(JSON.stringify(value));
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = all.slice(at, at + PIECE);
        at += piece.length;
        bytes += piece.length;
        if (piece.length > 0) controller.enqueue(piece);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function serve(url: URL): Response | undefined {
  const id = /\/workflows\/([^/]+)$/.exec(url.pathname)?.[1];
  if (id !== undefined) {
    const found = deleted.has(id) ? undefined : workflows.find((each) => each.id === id);
    return found === undefined ? failure(404) : sent(found);
  }
  if (!url.pathname.endsWith("/workflows")) return undefined;
  // n8n: LIKE '%name%'.
  const name = (url.searchParams.get("name") ?? "").toLowerCase();
  const all = workflows.filter((each) => String(each.name).toLowerCase().includes(name));
  const [limit, offset] = [
    Number(url.searchParams.get("limit")),
    Number(url.searchParams.get("cursor") ?? 0),
  ];
  const next = offset + limit < all.length ? String(offset + limit) : null;
  return sent({ data: all.slice(offset, offset + limit), nextCursor: next });
}

const aboutWorkflows = (): string[] => n8n.requests.filter((request) => request.includes("/workflows"));

beforeEach(() => {
  [bytes, now, deleted] = [0, Date.UTC(2026, 0, 1), new Set()];
  const code = { name: "Code", type: "n8n-nodes-base.code", parameters: { jsCode: "x".repeat(40_000) } };
  workflows = Array.from({ length: COUNT }, (_one, index) =>
    rawWorkflow(
      [code],
      {},
      {
        id: `w${index}`,
        name: `Flow ${index}`,
        createdAt: date,
        updatedAt: date,
        tags: [],
      },
    ),
  );
  n8n = createFakeN8n([]);
  n8n.intercept = serve;
  caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch, now: () => now });
});

/** Gives n8n so many executions, of so many workflows in turn. */
function runsOf(distinct: number, count = 50): void {
  n8n.executions = Array.from({ length: count }, (_one, index) =>
    fakeExecution(index + 1, "", { workflowId: `w${index % distinct}` }),
  );
}

async function list(args: object) {
  const envelope = await caller.call("get_workflow_executions", args);
  expect(envelope.status, JSON.stringify(envelope).slice(0, 400)).toBe("success");
  return { message: envelope.message ?? "", ...listed.parse(envelope.data) };
}

describe("a list of executions", () => {
  test("of twelve workflows requests the head of each, few at the same time", async () => {
    runsOf(12);
    const { executions } = await list({ limit: 50 });
    expect(executions.map(({ workflowName }) => workflowName)).toEqual(
      executions.map(({ workflowId }) => `Flow ${workflowId.slice(1)}`),
    );
    expect(aboutWorkflows()).toHaveLength(12);
    // The fake already fetches the next piece while one is read.
    expect(bytes).toBeLessThanOrEqual(12 * 2 * PIECE);
  });

  test("of one workflow by id requests it once", async () => {
    runsOf(1);
    const { executions } = await list({ workflowId: "w0" });
    expect(executions[0]?.workflowName).toBe("Flow 0");
    expect(aboutWorkflows()).toEqual(["/api/v1/workflows/w0?excludePinnedData=true"]);
  });

  test("of one workflow by name lets n8n search for the name", async () => {
    runsOf(300, 300);
    const { executions } = await list({ workflowName: "Flow 299" });
    expect(executions.map(({ workflowName }) => workflowName)).toEqual(["Flow 299"]);
    expect(aboutWorkflows()).toEqual(["/api/v1/workflows?name=Flow%20299&limit=250&excludePinnedData=true"]);
  });

  test("of many workflows requests twenty names, and says that there are more", async () => {
    runsOf(60, 60);
    const { message, executions } = await list({ limit: 60 });
    expect(aboutWorkflows()).toHaveLength(20);
    expect(n8n.mostAtOnce).toBeLessThanOrEqual(4);
    expect(executions.map(({ workflowName }) => workflowName !== null)).toEqual(
      executions.map((_one, index) => index < 20),
    );
    expect(message).toContain("The names of 40 workflows are missing: list_workflows has them.");
  });

  test("has the other names if n8n fails to return one", async () => {
    runsOf(12);
    n8n.intercept = (url) => (url.pathname.endsWith("/workflows/w3") ? failure(500) : serve(url));
    const { message, executions } = await list({ limit: 50 });
    const nameless = executions.filter(({ workflowName }) => workflowName === null);
    expect(new Set(nameless.map(({ workflowId }) => workflowId))).toEqual(new Set(["w3"]));
    expect(message).toContain("The names of 1 workflow are missing: list_workflows has them.");
  });

  test("has no name for a deleted workflow, and the names of the others", async () => {
    runsOf(6);
    deleted.add("w3");
    const { message, executions } = await list({ limit: 6 });
    expect(
      executions.map(({ workflowId, workflowName }) => workflowId === "w3" || workflowName !== null),
    ).toEqual(Array(6).fill(true));
    expect(executions.find(({ workflowId }) => workflowId === "w3")?.workflowName).toBeNull();
    expect(message).not.toContain("not asked for");
  });
});

describe("a name", () => {
  const error = async (workflowName: string) =>
    z
      .looseObject({ code: z.string() })
      .parse((await caller.call("get_workflow_executions", { workflowName })).data);

  test("in another case is searched among all workflows", async () => {
    expect((await list({ workflowName: "FLOW 7" })).executions).toEqual([]);
    expect(aboutWorkflows()).toHaveLength(3);
  });

  test("of two workflows is ambiguous", async () => {
    workflows = [...workflows, { ...workflows[7], id: "w7b" }];
    expect(await error("Flow 7")).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(aboutWorkflows()).toHaveLength(1);
  });

  test("of no workflow is answered with the nearest names", async () => {
    expect(await error("Flwo 7")).toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
      details: { candidates: expect.arrayContaining(["Flow 7"]) },
    });
  });

  test("that was not found in time is not reported as nonexistent", async () => {
    n8n.intercept = (url) => {
      now += 40_000;
      return serve(url);
    };
    expect(await error("FLOW 299")).toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
      message: "None of the workflows that were read (250) has this name.",
    });
  });
});
