/** Sizes of the answers for every recorded kind and agent run, with n8n:data and without, and their requests to n8n. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOOLS } from "../../src/features/index.ts";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { renderAnswer } from "../../src/mcp/rendering/render-answer.ts";
import { defaultN8nVersion, type RecordedVersion } from "../real-n8n/versions.ts";
import { type RecordedAgent, readAgents } from "../recorded-n8n/agents.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";
import { jsonAnswer } from "../support/fake-n8n.ts";
import { countTokens } from "../support/token-counts.ts";
import { type RecordedKinds, startRecordedKinds } from "./recorded-kinds.ts";

const SCOPES = [["n8n:read"], ["n8n:read", "n8n:data"]];
const MAX_TOKENS = { explain_failure: 2_000, explain_agent_run: 3_000 } as const;

/** Checks the answer as JSON and as text, as hosts give their model either. */
function expectFits(tool: keyof typeof MAX_TOKENS, answer: Envelope, what: string): void {
  const rendering = TOOLS.find(({ name }) => name === tool)?.rendering;
  const forms = [JSON.stringify(answer), renderAnswer(answer, rendering)];
  expect(answer.status, `${what}: ${forms[0]}`).toBe("success");
  for (const form of forms) expect(countTokens(form), what).toBeLessThanOrEqual(MAX_TOKENS[tool]);
  // Lists what had no room.
  expect(answer.meta, what).not.toHaveProperty("leftOut");
}

describe("explanations of kinds", () => {
  let recorded: RecordedKinds;
  beforeAll(async () => {
    recorded = await startRecordedKinds(defaultN8nVersion);
  });
  afterAll(async () => await recorded.n8n.close());

  test("take at most 2,000 tokens and five requests", async () => {
    const { n8n, kinds } = recorded;
    let calls = 0;
    for (const scopes of SCOPES) {
      const caller = createCaller({ settings: settingsFor(n8n), scopes });
      for (const { name, judgedIds } of kinds)
        for (const executionId of judgedIds) {
          n8n.requests.length = 0;
          expectFits("explain_failure", await caller.call("explain_failure", { executionId }), name);
          expect(n8n.requests.length, name).toBeLessThanOrEqual(5);
          calls += 1;
        }
    }
    expect(calls).toBeGreaterThan(400);
  });
});

describe.each(["2.40.5", "1.123.81"] as const satisfies readonly RecordedVersion[])(
  "answers for agent runs of n8n %s",
  (version) => {
    const ask = async ({ answer }: RecordedAgent, tool: keyof typeof MAX_TOKENS, scopes: string[]) =>
      await createCaller({
        settings: { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" },
        scopes,
        fetch: async (url) =>
          jsonAnswer(url.includes("/executions?") ? { data: [], nextCursor: null } : answer),
      }).call(tool, { executionId: String(answer.id) });

    test("take at most 2,000 tokens for the explanation and 3,000 for the calls", async () => {
      const recorded = await readAgents(version);
      expect(recorded.length).toBeGreaterThan(90);
      for (const each of recorded)
        for (const scopes of SCOPES) {
          expectFits("explain_failure", await ask(each, "explain_failure", scopes), each.kind);
          expectFits("explain_agent_run", await ask(each, "explain_agent_run", scopes), each.kind);
        }
    });
  },
);
