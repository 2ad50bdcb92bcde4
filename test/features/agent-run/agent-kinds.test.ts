/**
 * The tool's answers on every recorded kind of agent run: the expected ones are in a table written from what was set up,
 * and each recording contains what the model's server counted.
 */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type AgentFinding, agentRunsOf, findingsOf } from "../../../src/executions/agent-run/agent-run.ts";
import { stopClause, troubleSentence } from "../../../src/executions/agent-run/wording.ts";
import { readBounded } from "../../../src/json/bounded-reader.ts";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { agentRunBounds } from "../../../src/n8n/read-plans.ts";
import { type ExecutionWithData, executionWithData } from "../../../src/n8n/schemas.ts";
import { AGENT_EXPECTATIONS, expectationOf } from "../../kinds/agent-expectations.ts";
import { type AgentRunData, agentRunAnswer, differences } from "../../kinds/agent-judge.ts";
import type { N8nVersion } from "../../real-n8n/versions.ts";
import { type RecordedAgent, readAgents } from "../../recorded-n8n/agents.ts";
import { readKinds } from "../../recorded-n8n/kinds.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { outcomeOf } from "../../support/facts-of-executions.ts";
import { countTokens } from "../../support/token-counts.ts";

const VERSIONS = ["2.40.5", "1.123.81"] as const satisfies readonly N8nVersion[];

interface Asked {
  readonly envelope: Envelope;
  readonly requests: number;
}

/** Payload of the recordings: inputs, arguments, answers, and the words of errors. */
const PAYLOAD =
  /lamp|twelve|in stock|30 euros|How many|\bAna\b|Count |shelf|canary|Shop_get|131072|agent-1"/i;

const memoryAtStart = z.looseObject({ messagesAtStart: z.number() });

const toolsOf = ({ calls }: AgentRunData): unknown[] =>
  calls.flatMap(({ tool, arguments: args, result }) => (tool === undefined ? [] : [[tool, args, result]]));

const wordsOf = ({ stop, trouble }: AgentFinding): string =>
  stop === undefined ? troubleSentence(trouble) : stopClause(stop);

const readExecution = (answer: unknown): ExecutionWithData =>
  executionWithData.parse(readBounded(new TextEncoder().encode(JSON.stringify(answer)), agentRunBounds()));

async function ask(
  { answer }: RecordedAgent,
  scopes = ["n8n:read", "n8n:data"],
  agent?: string,
): Promise<Asked> {
  let requests = 0;
  const caller = createCaller({
    scopes,
    fetch: async () => {
      requests += 1;
      return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
    },
  });
  const envelope = await caller.call("explain_agent_run", {
    executionId: String(answer.id),
    ...(agent === undefined ? {} : { agent }),
  });
  return { envelope, requests };
}

const dataOf = ({ envelope }: Asked): AgentRunData => agentRunAnswer.parse(envelope.data);

describe.each(VERSIONS)("agents of n8n %s", async (version) => {
  const recorded = await readAgents(version);

  test("every kind is recorded", () => {
    const kinds = new Set(recorded.map(({ kind }) => kind.replace(/-\d(?:-\d+)?$/, "")));
    expect([...kinds].sort()).toEqual(Object.keys(AGENT_EXPECTATIONS).sort());
  });

  test.each(recorded.map((each) => [each.kind, each] as const))(
    "%s has the expected answer",
    async (kind, each) => {
      const asked = await ask(each);
      expect(differences(expectationOf(kind), dataOf(asked))).toEqual([]);
      expect(asked.requests).toBe(1);
      expect(countTokens(JSON.stringify(asked.envelope))).toBeLessThanOrEqual(3_000);
    },
  );

  test("the sums are those of the model's server", async () => {
    let counted = 0;
    for (const each of recorded) {
      const { served, kind } = each;
      const { tokens, estimatedTokens } = dataOf(await ask(each)).sums;
      expect([kind, tokens.prompt, tokens.completion]).toEqual([
        kind,
        served.promptTokens,
        served.completionTokens,
      ]);
      // Tokens are estimated only if nobody counted them.
      expect([kind, estimatedTokens !== undefined]).toEqual([kind, kind.startsWith("uncounted")]);
      counted += tokens.prompt;
    }
    expect(counted).toBeGreaterThan(10_000);
  });

  test("the sums are those that the index keeps of an execution", async () => {
    for (const each of recorded) {
      const { sums } = dataOf(await ask(each));
      const { llmCalls, toolCalls, tokens, estimatedTokens } = outcomeOf(JSON.stringify(each.answer));
      const none = { prompt: 0, completion: 0 };
      expect([each.kind, { estimatedTokens: none, ...sums }]).toEqual([
        each.kind,
        { llmCalls, toolCalls, tokens, estimatedTokens },
      ]);
    }
  });

  test("without n8n:data no payload is shown, and the message is the same", async () => {
    let seen = 0;
    for (const each of recorded) {
      const { envelope } = await ask(each, ["n8n:read"]);
      const shown = await ask(each);
      expect([each.kind, JSON.stringify(envelope).match(PAYLOAD)?.[0]]).toEqual([each.kind, undefined]);
      expect(envelope.message).toBe(shown.envelope.message);
      expect(envelope.message).not.toMatch(PAYLOAD);
      if (PAYLOAD.test(JSON.stringify(shown.envelope.data))) seen += 1;
    }
    // Guards against recordings without payload.
    expect(seen).toBeGreaterThan(70);
  });

  test("a tool's arguments and results are shown with n8n:data, and their shapes without", async () => {
    for (const each of recorded.filter(({ kind }) => kind.startsWith("two-tools"))) {
      expect(toolsOf(dataOf(await ask(each)))).toEqual([
        ["get_stock", { item: "lamp" }, "12 in stock"],
        ["get_price", { item: "lamp" }, "30 euros"],
      ]);
      const shapes = dataOf(await ask(each, ["n8n:read"])).calls.filter(({ tool }) => tool !== undefined);
      expect(shapes).toMatchObject([
        { tool: "get_stock", argumentShape: "{item: string}", resultShape: "string" },
        { tool: "get_price", argumentShape: "{item: string}", resultShape: "string" },
      ]);
    }
  });

  test("the execution that a tool started is linked where n8n names it", async () => {
    const own = recorded.filter(({ kind }) => /^workflow-tool-\d/.test(kind));
    const links = await Promise.all(
      own.map(async (each) =>
        dataOf(await ask(each)).calls.flatMap(({ subExecution }) => subExecution ?? []),
      ),
    );
    // Agents 3 of n8n 1.123 do not name it.
    expect(links.map((each) => each.length)).toEqual(version === "2.40.5" ? [1, 1, 1] : [1, 1, 0]);
    for (const link of links.flat()) expect(link.url).toContain(`/executions/${link.executionId}`);
  });

  test("the messages in memory at the start are counted", async () => {
    const own = recorded.filter(({ kind }) => kind.startsWith("memory"));
    const memories = await Promise.all(own.map(async (each) => dataOf(await ask(each)).agents[0]?.memory));
    expect(memories.map((memory) => memoryAtStart.parse(memory).messagesAtStart > 0)).toEqual([
      ...[false, true, false, true, false, true],
    ]);
  });

  test("findings name where a failure began, and there are none in a success", () => {
    for (const { kind, answer } of recorded) {
      const expected = expectationOf(kind).agents;
      const findings = findingsOf(agentRunsOf(readExecution(answer)));
      const bad = expected.filter(({ stop, troubles = [] }) => stop !== "done" || troubles.length > 0);
      expect([kind, findings.length > 0]).toEqual([kind, bad.length > 0]);
      // The deepest finding comes first, as that is where it began.
      const [first] = findings;
      const root = expected.findLast(({ stop }) => stop !== "done");
      if (root !== undefined) expect([kind, first?.nodeName]).toEqual([kind, root.node ?? root.agent]);
      for (const finding of findings) expect(JSON.stringify(finding) + wordsOf(finding)).not.toMatch(PAYLOAD);
    }
  });
});

test("an agent is shown with those it called, an unknown one is answered with candidates", async () => {
  const recorded = await readAgents("2.40.5");
  const nested = recorded.find(({ kind }) => kind === "nested-3-1");
  if (nested === undefined) throw new Error("nested-3-1 is not recorded.");
  const named = await ask(nested, ["n8n:read"], "storekeeper");
  expect(dataOf(named).agents.map(({ name }) => name)).toEqual(["storekeeper", "counter"]);
  expect(dataOf(named).sums).toMatchObject({ llmCalls: 4, toolCalls: 2 });
  expect((await ask(nested, ["n8n:read"], "storekeper")).envelope).toMatchObject({
    status: "error",
    data: {
      code: "NODE_NOT_FOUND",
      details: { field: "agent", candidates: expect.arrayContaining(["storekeeper"]) },
    },
  });
});

test("an execution without agents says so", async () => {
  const [one] = await readKinds("2.40.5");
  if (one === undefined) throw new Error("Nothing was recorded.");
  const { envelope } = await ask({
    ...one,
    served: { completions: 0, promptTokens: 0, completionTokens: 0 },
  });
  expect(envelope.message).toMatch(/^Execution \d+ of ".*" ran no agent and no model that is attached/);
  expect(envelope.data).toMatchObject({ agents: [], calls: [] });
});
