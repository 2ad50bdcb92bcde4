/**
 * What the answer for each kind of agent run must say, derived from what `test/real-n8n/agent-kinds.ts` plays, not from
 * answers: the calls in order, why each agent stopped and where that began, and which troubles did not stop it.
 *
 * Calls are node names: `get_stock` succeeded, `get_stock!` failed, `get_stock?` could not be set up.
 */
import type { StopReason } from "../../src/executions/agent-run/stop-rules.ts";
import type { Trouble } from "../../src/executions/agent-run/troubles.ts";

export interface ExpectedAgent {
  readonly agent: string;
  readonly calls: string;
  readonly stop: StopReason;
  /** The node at which the stop began; the agent itself by default. */
  readonly node?: string;
  /** Node and kind of each trouble that stopped nothing. */
  readonly troubles?: readonly (readonly [node: string, kind: Trouble["kind"]])[];
}

export interface AgentExpectation {
  readonly status: "success" | "error" | "canceled";
  readonly agents: readonly ExpectedAgent[];
}

/** `1`: agents 1 and 2; `3.0`: of n8n 1.123; `3.1`: of n8n 2.40. */
type AgentGeneration = "1" | "3.0" | "3.1";

type ByGeneration = Readonly<Record<AgentGeneration, AgentExpectation>>;
type Expectations = Readonly<Record<string, AgentExpectation | ByGeneration>>;

const succeeds = (...agents: ExpectedAgent[]): AgentExpectation => ({ status: "success", agents });
const fails = (...agents: ExpectedAgent[]): AgentExpectation => ({ status: "error", agents });

const agent = (
  calls: string,
  stop: StopReason = "done",
  more: Partial<ExpectedAgent> = {},
): ExpectedAgent => ({
  agent: "Agent",
  calls,
  stop,
  ...more,
});
const named = (name: string, expected: ExpectedAgent): ExpectedAgent => ({ ...expected, agent: name });

const STOCK = "Model get_stock Model";
const STOCK_FAILED = succeeds(
  agent("Model get_stock! Model", "done", { troubles: [["get_stock", "failed"]] }),
);
const COUNTER = named("counter", agent("Model-of-counter get_stock Model-of-counter"));
const LAMPS = Array.from({ length: 15 }, () => "Model get_stock").join(" ");

const ITERATIONS = agent("Model get_stock Model get_stock", "iterations");
const LIMITED_STOREKEEPER = named(
  "storekeeper",
  agent("Model-of-storekeeper!", "rate_limit", { node: "Model of storekeeper" }),
);

const STOREKEEPER_FAILED = succeeds(
  agent("Model storekeeper! Model", "done", { troubles: [["storekeeper", "failed"]] }),
  LIMITED_STOREKEEPER,
);

export const AGENT_EXPECTATIONS: Expectations = {
  "done-at-once": succeeds(agent("Model")),
  "two-tools": succeeds(agent("Model get_stock Model get_price Model")),
  "parallel-tools": {
    "1": succeeds(agent("Model get_stock get_price Model")),
    // n8n 1.123 runs them from the last to the first.
    "3.0": succeeds(agent("Model get_price get_stock Model")),
    "3.1": succeeds(agent("Model get_stock get_price Model")),
  },
  "code-tool-fails": STOCK_FAILED,
  "http-tool-500": {
    "1": STOCK_FAILED,
    "3.1": STOCK_FAILED,
    // In n8n 1.123 a tool that throws ends the execution.
    "3.0": fails(agent("Model get_stock!", "tool_failed", { node: "get_stock" })),
  },
  "workflow-tool": succeeds(agent(STOCK)),
  "workflow-tool-fails": STOCK_FAILED,
  "no-such-tool": {
    // The model is told of it, and answers.
    "1": succeeds(agent("Model Model", "done", { troubles: [["Agent", "no_such_tool"]] })),
    "3.0": fails(agent(Array.from({ length: 10 }, () => "Model").join(" "), "no_such_tool")),
    "3.1": fails(agent(Array.from({ length: 10 }, () => "Model").join(" "), "no_such_tool")),
  },
  "refused-arguments": {
    "1": fails(agent("Model", "refused_arguments")),
    "3.0": fails(agent("Model get_stock!", "refused_arguments", { node: "get_stock" })),
    "3.1": succeeds(
      agent("Model get_stock! Model", "done", { troubles: [["get_stock", "refused_arguments"]] }),
    ),
  },
  "max-iterations": { "1": succeeds(ITERATIONS), "3.0": fails(ITERATIONS), "3.1": fails(ITERATIONS) },
  "mcp-tool": succeeds(agent("Model Shop Model")),
  "mcp-tool-fails": succeeds(
    agent("Model Shop Model Shop! Model", "done", { troubles: [["Shop", "failed"]] }),
  ),
  "mcp-unreachable": fails(agent("Shop?", "setup_failed", { node: "Shop" })),
  "thirty-calls": succeeds(agent(`${LAMPS} Model`)),
  length: succeeds(agent(STOCK, "length", { node: "Model" })),
  "content-filter": succeeds(agent(STOCK, "content_filter", { node: "Model" })),
  "limited-later": fails(agent("Model get_stock Model!", "rate_limit", { node: "Model" })),
  "context-too-long": fails(agent("Model get_stock Model!", "context_length", { node: "Model" })),
  "refused-content": fails(agent("Model!", "content_filter", { node: "Model" })),
  "model-refuses-connection": fails(agent("Model!", "unreachable", { node: "Model" })),
  "model-times-out": fails(agent("Model!", "time_out", { node: "Model" })),
  uncounted: succeeds(agent(STOCK)),
  "agent-goes-on": succeeds(agent("Model get_stock Model!", "rate_limit", { node: "Model" })),
  "wrong-key": fails(agent("Model!", "credential", { node: "Model" })),
  "no-quota": fails(agent("Model!", "rate_limit", { node: "Model" })),
  "no-such-model": fails(agent("Model!", "no_such_model", { node: "Model" })),
  overloaded: fails(agent("Model!", "provider_error", { node: "Model" })),
  "workflow-times-out": { status: "canceled", agents: [agent("Model!", "time_limit")] },
  nested: succeeds(
    agent("Model storekeeper Model"),
    named("storekeeper", agent("Model-of-storekeeper counter Model-of-storekeeper")),
    COUNTER,
  ),
  "nested-fails": {
    "1": STOREKEEPER_FAILED,
    "3.1": STOREKEEPER_FAILED,
    "3.0": fails(agent("Model storekeeper!", "tool_failed", { node: "storekeeper" }), LIMITED_STOREKEEPER),
  },
  memory: succeeds(agent(STOCK)),
  "parser-fails": fails(agent("Model", "output_parser", { node: "Parser" })),
  "parser-served": succeeds(agent("Model")),
  "two-agents": succeeds(agent(STOCK), named("Reviewer", agent("Model-of-Reviewer"))),
  "empty-prompt": fails(agent("", "no_prompt")),
  "two-items": {
    // One item is finished before the next begins.
    "1": succeeds(agent(`${STOCK} ${STOCK}`)),
    "3.0": succeeds(agent("Model Model get_stock get_stock Model Model")),
    "3.1": succeeds(agent("Model Model get_stock get_stock Model Model")),
  },
  loop: succeeds(agent(STOCK), agent(STOCK)),
  "fallback-model": succeeds(
    agent("Model! Second-model get_stock Model! Second-model", "done", {
      troubles: [["Model", "model_failed"]],
    }),
  ),
  chain: succeeds(named("Summary", agent("Model"))),
  "chain-limited": fails(named("Summary", agent("Model!", "rate_limit", { node: "Model" }))),
};

const VERSION = /^(.*?)-(\d)(?:-(\d+))?$/;

/** @param kind its recorded name, with the agent's version. @throws Error for a kind that is not in the table */
export function expectationOf(kind: string): AgentExpectation {
  const [, name = "", major, minor] = VERSION.exec(kind) ?? [];
  const expected = AGENT_EXPECTATIONS[name];
  if (expected === undefined) throw new Error(`Nothing is expected of ${kind}.`);
  if ("status" in expected) return expected;
  return expected[major !== "3" ? "1" : minor === "1" ? "3.1" : "3.0"];
}
