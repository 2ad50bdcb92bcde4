/** Compares an answer of `explain_agent_run` with the expectation of its kind. */
import * as z from "zod";
import type { AgentExpectation, ExpectedAgent } from "./agent-expectations.ts";

const tokens = z.looseObject({ prompt: z.number(), completion: z.number() });

export const agentRunAnswer = z.looseObject({
  status: z.string(),
  agents: z.array(
    z.looseObject({
      name: z.string(),
      stop: z.looseObject({ reason: z.string(), node: z.string().optional() }).optional(),
      troubles: z.array(z.string()).default([]),
    }),
  ),
  calls: z.array(
    z.looseObject({
      n: z.number(),
      by: z.string().optional(),
      model: z.string().optional(),
      tool: z.string().optional(),
      "setup of": z.string().optional(),
      failed: z.string().optional(),
      subExecution: z.looseObject({ executionId: z.string(), url: z.string() }).optional(),
    }),
  ),
  sums: z.looseObject({
    llmCalls: z.number(),
    toolCalls: z.number(),
    tokens,
    estimatedTokens: tokens.optional(),
  }),
});
export type AgentRunData = z.infer<typeof agentRunAnswer>;
type ShownCall = AgentRunData["calls"][number];

function callName({ model, tool, failed, "setup of": setup }: ShownCall): string {
  const name = (model ?? tool ?? setup ?? "other").replaceAll(" ", "-");
  if (setup !== undefined) return `${name}?`;
  return failed === undefined || failed === "answered_error" ? name : `${name}!`;
}

/** How the answer words each kind of trouble. */
const TROUBLE_WORDING: Readonly<Record<string, RegExp>> = {
  failed: / failed/,
  refused_arguments: / refused/,
  no_such_tool: /asked .* for a tool that is not among its tools/,
  model_failed: /^The model .* failed/,
  answered_error: / answered .*error/,
};

function isReported([node, kind]: readonly [string, string], sentences: readonly string[]): boolean {
  return sentences.some(
    (sentence) => sentence.includes(`"${node}"`) && TROUBLE_WORDING[kind]?.test(sentence) === true,
  );
}

/** Describes every difference; empty if the answer says exactly what is expected. */
export function differences(expected: AgentExpectation, answer: AgentRunData): string[] {
  const { agents, calls, status } = answer;
  const found: string[] = [];
  const compare = (what: string, is: unknown, must: unknown): void => {
    if (is !== must) found.push(`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(must)}`);
  };
  compare("status", status, expected.status);
  compare("agents", agents.map(({ name }) => name).join(), expected.agents.map((each) => each.agent).join());
  const isOne = agents.length === 1;
  for (const name of new Set(expected.agents.map((each) => each.agent))) {
    const own = calls.filter(({ by }) => isOne || by === name);
    const must = expected.agents.filter((each) => each.agent === name);
    compare(`calls of ${name}`, own.map(callName).join(" "), must.map((each) => each.calls).join(" "));
  }
  for (const [index, must] of expected.agents.entries()) found.push(...agentDifferences(must, agents[index]));
  return found;
}

function agentDifferences(must: ExpectedAgent, is: AgentRunData["agents"][number] | undefined): string[] {
  if (is === undefined) return [`${must.agent} is missing`];
  const found: string[] = [];
  if (is.stop?.reason !== must.stop)
    found.push(`${must.agent} stopped for ${is.stop?.reason}, not ${must.stop}`);
  if (is.stop?.node !== must.node) found.push(`it began at ${is.stop?.node}, not ${must.node}`);
  const troubles = must.troubles ?? [];
  for (const trouble of troubles)
    if (!isReported(trouble, is.troubles)) found.push(`${trouble.join(" ")} is not reported`);
  if (is.troubles.length > troubles.length) found.push(`too much is reported: ${is.troubles.join(" ")}`);
  return found;
}
