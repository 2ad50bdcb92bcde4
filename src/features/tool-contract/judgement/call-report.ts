/** Reports what became of the last tool calls of an MCP server, from the server's own runs. Pure. */
import type { McpCall } from "./mcp-call.ts";
import { type Tallied, Tally } from "./tally.ts";
import type { WrongInput } from "./wrong-inputs.ts";

/** A call, by the server's execution. */
export interface JudgedCall {
  readonly executionId: string;
  readonly call: McpCall;
}

/** An argument that n8n refused, and the tool's node. */
export interface WrongArgument extends WrongInput {
  readonly node: string;
}

type AtNode = Tallied<{ readonly node: string }>;

export interface CallReport {
  /** How many calls could be judged. */
  readonly calls: number;
  readonly answered: number;
  /** The tool gave no answer of its sub-workflow: the client was told of an error, n8n calls it a success. */
  readonly failed: readonly AtNode[];
  /** How many the tool's schema refused, before the sub-workflow ran. */
  readonly refused: number;
  readonly wrongArguments: readonly Tallied<WrongArgument>[];
  /** The tool did not run, and nothing tells why. */
  readonly notRun: readonly AtNode[];
  readonly unknownTool: { readonly count: number; readonly executionIds: readonly string[] };
}

/** @param calls newest first */
export function callReport(calls: readonly JudgedCall[]): CallReport {
  const failed = new Tally<{ node: string }>();
  const notRun = new Tally<{ node: string }>();
  const wrong = new Tally<WrongArgument>();
  // The name that was asked for is the caller's text, and is not kept.
  const unknown = new Tally<Record<never, never>>();
  const counts = { answered: 0, refused: 0 };
  for (const { executionId, call } of calls) {
    switch (call.kind) {
      case "answered":
        counts.answered += 1;
        break;
      case "failed":
        failed.add({ node: call.node }, executionId);
        break;
      case "not_run":
        notRun.add({ node: call.node }, executionId);
        break;
      case "refused":
        counts.refused += 1;
        for (const each of call.wrongInputs) wrong.add({ node: call.node, ...each }, executionId);
        break;
      case "unknown_tool":
        unknown.add({}, executionId);
        break;
      case "unjudged":
    }
  }
  return {
    calls: calls.filter(({ call }) => call.kind !== "unjudged").length,
    ...counts,
    failed: failed.list(),
    notRun: notRun.list(),
    wrongArguments: wrong.list(),
    unknownTool: unknown.list()[0] ?? { count: 0, executionIds: [] },
  };
}
