import { describe, expect, test } from "vitest";
import { type AskOptions, readAskArguments, toToolArguments } from "../../../scripts/ask/arguments.ts";

const NOTHING: AskOptions = {
  requestId: undefined,
  url: undefined,
  token: undefined,
  instance: undefined,
  workflow: undefined,
  after: undefined,
  before: undefined,
  trace: undefined,
  deep: false,
  json: false,
};

describe("arguments of ask", () => {
  test("a request id is enough", () => {
    expect(readAskArguments(["req-1"])).toEqual({ kind: "run", options: { ...NOTHING, requestId: "req-1" } });
  });

  test("every option is read, before and after the request id", () => {
    const args = ["--json", "--url=https://a.example/mcp", "--token", "t", "req 1", "--workflow", "orders"];
    const window = ["--after", "2026-01-01", "--before", "2026-02-01"];
    const more = ["--trace", "trace_12345678", "--instance", "prod", "--deep"];
    expect(readAskArguments([...args, ...window, ...more])).toEqual({
      kind: "run",
      options: {
        requestId: "req 1",
        url: "https://a.example/mcp",
        token: "t",
        instance: "prod",
        workflow: "orders",
        after: "2026-01-01",
        before: "2026-02-01",
        trace: "trace_12345678",
        deep: true,
        json: true,
      },
    });
  });

  test("a traceId replaces the request id", () => {
    expect(readAskArguments(["--trace", "trace_12345678"])).toMatchObject({ kind: "run" });
  });

  test("a request id that looks like an option goes after two dashes", () => {
    expect(readAskArguments(["--", "--json"])).toMatchObject({
      options: { requestId: "--json", json: false },
    });
  });

  test.each([
    [[]],
    [[""]],
    [["one", "two"]],
    [["req-1", "--nonsense"]],
    [["req-1", "--url"]],
    [["req-1", "--url", "localhost:8787"]],
    [["req-1", "--url", "file:///etc/passwd"]],
    [["req-1", "--json=yes"]],
  ])("%j is refused with a message", (args) => {
    expect(readAskArguments(args)).toEqual({ kind: "wrong", problem: expect.stringMatching(/\w/) });
  });

  test.each([["--help"], ["-h"]])("%s asks for help", (argument) => {
    expect(readAskArguments([argument])).toEqual({ kind: "help" });
  });

  test("a tool's name and a JSON object call that tool", () => {
    expect(readAskArguments(["explain_failure", '{"executionId":"7"}', "--json"])).toEqual({
      kind: "run",
      options: {
        ...NOTHING,
        call: { tool: "explain_failure", args: { executionId: "7" } },
        json: true,
      },
    });
  });

  test.each([
    [["get_execution", "{"], /not valid JSON/],
    [["get_execution", "[1]"], /one JSON object/],
    [["get_execution", "{}", "--deep"], /only --url/],
    [["get_execution", "{}", "--trace", "trace_12345678"], /only --url/],
    [["get_execution", "{}", "{}"], /one JSON object/],
  ])("%j is refused", (args, problem) => {
    expect(readAskArguments(args)).toEqual({ kind: "wrong", problem: expect.stringMatching(problem) });
  });

  test("only the given options become arguments of the tool", () => {
    expect(toToolArguments({ ...NOTHING, requestId: "req-1" })).toEqual({ requestId: "req-1" });
    expect(
      toToolArguments({ ...NOTHING, workflow: "w", after: "a", before: "b", trace: "t", deep: true }),
    ).toEqual({
      workflowName: "w",
      startedAfter: "a",
      startedBefore: "b",
      traceId: "t",
      deep: true,
    });
  });
});
