import { describe, expect, test } from "vitest";
import { readBounded } from "../../src/json/bounded-reader.ts";
import { MATCHING } from "../../src/n8n/read-plans.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";
import { DEFAULT_REQUEST_ID_PATHS } from "../../src/settings.ts";
import { findRequestId, type Match, mentions } from "../../src/trace/match.ts";
import { compileRequestIdPaths } from "../../src/trace/request-id-paths.ts";

const paths = compileRequestIdPaths(DEFAULT_REQUEST_ID_PATHS);

/** An execution whose nodes each sent one item. */
function find(
  items: Record<string, unknown>,
  requestId: string,
  more: { customData?: Record<string, string>; runs?: Record<string, unknown> } = {},
): Match | null {
  const runData = Object.fromEntries(
    Object.entries(items).map(([name, json], executionIndex) => [
      name,
      [
        {
          startTime: 1,
          executionTime: 1,
          executionIndex,
          executionStatus: "success",
          source: [],
          data: { main: [[{ json }]] },
        },
      ],
    ]),
  );
  const answer = {
    id: "7",
    workflowId: "w",
    status: "success",
    mode: "webhook",
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:01.000Z",
    data: { resultData: { runData: { ...runData, ...more.runs } } },
    customData: more.customData ?? {},
  };
  const bytes = new TextEncoder().encode(JSON.stringify(answer));
  return findRequestId(executionWithData.parse(readBounded(bytes, MATCHING)), requestId, paths);
}

describe("a value at a known path is the match", () => {
  test.each<[string, unknown, string]>([
    ["the guide's place", { body: { context: { requestId: "r-1" } } }, "body.context.requestId"],
    ["at the top of the body", { body: { requestId: "r-1" } }, "body.requestId"],
    [
      "a known path as the end of a longer one",
      { order: { lines: [{}, { requestId: "r-1" }] } },
      "order.lines[1].requestId",
    ],
    ["a header, in whatever case", { headers: { "X-Request-ID": "r-1" } }, "headers.X-Request-ID"],
    [
      "JSON held in a string",
      { body: { payload: JSON.stringify({ context: { requestId: "r-1" } }) } },
      "body.payload.context.requestId",
    ],
    [
      "JSON in a string in a string",
      { p: JSON.stringify({ q: JSON.stringify({ requestId: "r-1" }) }) },
      "p.q.requestId",
    ],
  ])("%s", (_name, json, path) => {
    expect(find({ Webhook: json }, "r-1")).toEqual({ kind: "exact", nodeName: "Webhook", path });
  });

  test("custom data, which belongs to no node", () => {
    const customData = { requestId: "r-1" };
    expect(find({}, "r-1", { customData })).toEqual({
      kind: "exact",
      nodeName: null,
      path: "customData.requestId",
    });
  });

  test("a number is compared as text", () => {
    expect(find({ Webhook: { requestId: 424242 } }, "424242")).toMatchObject({ kind: "exact" });
  });

  test.each(['req-"quoted"', "req/../x\\y?z#", "請求-é-1", "a.*[b]+(c)$", "🙂", " leading and trailing "])(
    "%j",
    (id) => {
      expect(find({ Webhook: { requestId: id } }, id)).toMatchObject({ kind: "exact", path: "requestId" });
      expect(find({ Webhook: { body: JSON.stringify({ requestId: id }) } }, id)).toMatchObject({
        kind: "exact",
      });
    },
  );

  test("the first node that holds it, in the order of execution, wins over a mention before it", () => {
    const match = find(
      { First: { note: "about r-1" }, Second: { requestId: "r-1" }, Third: { requestId: "r-1" } },
      "r-1",
    );
    expect(match).toEqual({ kind: "exact", nodeName: "Second", path: "requestId" });
  });

  test("a second output and a later run are looked at, and the input an agent gave", () => {
    const run = { startTime: 1, executionTime: 1, source: [] };
    const second = { ...run, data: { main: [[], [{ json: { requestId: "r-1" } }]] } };
    expect(find({}, "r-1", { runs: { If: [{ ...run, data: { main: [[]] } }, second] } })).toMatchObject({
      nodeName: "If",
    });
    const tool = {
      ...run,
      data: { ai_tool: [[{ json: {} }]] },
      inputOverride: { ai_tool: [[{ json: { query: { requestId: "r-1" } } }]] },
    };
    expect(find({}, "r-1", { runs: { Tool: [tool] } })).toMatchObject({ kind: "exact", nodeName: "Tool" });
  });
});

describe("elsewhere it is a mention, never the match", () => {
  test.each<[string, unknown, string]>([
    ["equal, at a path that is not known", { correlation: "r-1" }, "correlation"],
    ["a key that only ends alike", { myrequestId: "r-1" }, "myrequestId"],
    ["in a sentence", { text: "finished r-1, at last" }, "text"],
  ])("%s", (_name, json, path) => {
    expect(find({ Node: json }, "r-1")).toEqual({ kind: "mentioned", nodeName: "Node", path });
  });
});

describe("a part of another id is no hit at all", () => {
  test.each(["r-12", "xr-1", "r-1-2", "r-1_b", "r-1é"])("%s", (other) => {
    expect(find({ Node: { requestId: other, text: `about ${other}!` } }, "r-1")).toBeNull();
  });

  test("but its own next occurrence is", () => {
    expect(mentions("r-12 and r-1", "r-1")).toBe(true);
    expect(mentions("r-12 and r-13", "r-1")).toBe(false);
  });
});
