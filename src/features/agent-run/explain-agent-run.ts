import * as z from "zod";
import { type AgentRun, agentRunsOf, findingsOf } from "../../executions/agent-run/agent-run.ts";
import { keyOf } from "../../executions/agent-run/calls.ts";
import { countUnreadRuns, lacksRuns } from "../../executions/node-runs.ts";
import { basicsOf, noRunOf, whyRunsAreUnknown } from "../../executions/summary.ts";
import { WITHHELD_SENTENCE } from "../../executions/withheld.ts";
import { OMITTED_MEMBERS } from "../../json/omitted.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { agentRunBounds } from "../../n8n/read-plans.ts";
import { isInherited } from "../../n8n/run-order.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { findName, quoted, visibleName } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { nearestNames } from "../../platform/nearest-names.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { executionId, nextCall, nodeName } from "../params.ts";
import { contextOf, type ToolContext, type WorkflowContext } from "../tool-context.ts";
import { toAnswer } from "./agent-run-answer.ts";
import { createShowValues } from "./call-values.ts";
import { sentenceOf } from "./sentence.ts";

const MAX_TOKENS = 3_000;
/** Reserved for the envelope, and for the marks that redaction may add. */
const FRAME_TOKENS = 500;

function chooseRuns(execution: ExecutionWithData, agentName: string | undefined): readonly AgentRun[] {
  const runs = agentRunsOf(execution);
  if (agentName === undefined) return runs;
  const names = new Set(runs.map(({ agent }) => agent.nodeName));
  const name = findName(agentName, names);
  if (name === undefined)
    throw new ObserverError("NODE_NOT_FOUND", noSuchAgent(execution), {
      field: "agent",
      expected: "the node name of an agent that ran",
      candidates: nearestNames(agentName, names),
      solution: "Correct the name, or leave agent out to see all.",
    });
  // Works in one pass, because callers come before the agents that they call.
  const own = new Set<string>();
  return runs.filter(({ agent }) => {
    const isOwn = agent.nodeName === name || (agent.parent !== null && own.has(keyOf(agent.parent)));
    if (isOwn) own.add(keyOf(agent));
    return isOwn;
  });
}

function noSuchAgent(execution: ExecutionWithData): string {
  const where = countUnreadRuns(execution) > 0 ? "is among the runs that were read" : "ran in this execution";
  return noRunOf(execution, `No agent of this name ${where}.`, "an agent of this name");
}

function withoutAgents(execution: ExecutionWithData): string {
  const { workflowName, workflowId } = basicsOf(execution);
  const where = `Execution ${execution.id} of ${quoted(workflowName ?? workflowId)}`;
  if (countUnreadRuns(execution) > 0)
    return `${where}: none of the runs that were read is an agent's, or asked a model.`;
  const why = whyRunsAreUnknown(execution);
  return why === null
    ? `${where} ran no agent and no model that is attached to a node; what a node asks a model by itself is not in this answer.`
    : `${where}: no run of an agent is known. ${why}`;
}

/** Says which agents ran only in an earlier execution: in the one that was retried, or before a partial run in the editor. */
function earlierSentence(execution: ExecutionWithData, runs: readonly AgentRun[]): string | false {
  const earlier = runs.filter(({ agent: { nodeRun } }) => isInherited(execution, nodeRun?.startTime));
  const names = [...new Set(earlier.map(({ agent }) => quoted(agent.nodeName)))];
  return names.length > 0 && `${names.join(", ")} ran only in the execution that this one began from.`;
}

function suggestNextCall(
  { id }: ExecutionWithData,
  runs: readonly AgentRun[],
  context: WorkflowContext,
): Guidance {
  const [finding] = findingsOf(runs);
  const found = finding ?? runs[0]?.agent;
  // An agent that has not ended may have no run, but its calls do.
  const own = runs.find(({ agent }) => found !== undefined && keyOf(agent) === keyOf(found))?.agent;
  const place = own === undefined || own.nodeRun !== undefined ? found : own.calls.at(-1);
  if (place === undefined) return nextCall("See what ran.", "get_execution", { id });
  const { nodeName, run } = place;
  const about = finding === undefined ? "See what it was given and answered." : "See where it went wrong.";
  const needs = context.mayReadData ? "" : " Values need n8n:data.";
  const args = { id, nodeName: visibleName(nodeName), run };
  return nextCall(about + needs, "get_execution_by_node", args);
}

export const explainAgentRun = defineTool({
  name: "explain_agent_run",
  title: "Explain an agent's run",
  description:
    "What the AI agents of an execution did and why they stopped: each model and tool call in order, tokens, arguments and results (n8n:data) or their shapes, nested agents. Use it when an agent failed, did not call a tool, or answered oddly.",
  scope: "n8n:read",
  hasPicture: true,
  rendering: { trees: { agents: "in order", calls: "in order" } },
  maxTokens: MAX_TOKENS,
  audited: { executionId: "executionId" },
  input: z.strictObject({
    executionId,
    agent: nodeName.optional().describe("Agent's node name, where there are several"),
  }),
  output: z.looseObject({
    executionId: z.string(),
    url: z.string(),
    status: z.string(),
    agents: z.array(z.looseObject({ name: z.string() })),
    calls: z.array(z.looseObject({ n: z.number() })),
    sums: z.looseObject({ llmCalls: z.number(), toolCalls: z.number() }),
  }),
  async run({ executionId: id, agent }, caller: ToolContext) {
    const execution = await caller.n8n().readExecution(id, agentRunBounds());
    const context = await contextOf(caller, execution.workflowId);
    const runs = chooseRuns(execution, agent);
    const facts = basicsOf(execution);
    const urls = context.n8nUrls();
    const show = createShowValues(runs, execution, context);
    const unreadRuns = countUnreadRuns(execution);
    // A node that was left out altogether counts as one run, so the number is a minimum.
    const least = lacksRuns(execution, OMITTED_MEMBERS) ? "At least " : "";
    return {
      message: joinSentences(
        runs.length === 0 ? withoutAgents(execution) : sentenceOf(runs),
        earlierSentence(execution, runs),
        unreadRuns > 0 && `${least}${counted(unreadRuns, "more run was", "more runs were")} not read.`,
        facts.withheldByN8n === true && WITHHELD_SENTENCE,
      ),
      data: {
        executionId: id,
        url: urls.execution(facts.workflowId, id),
        ...facts,
        ...toAnswer({ runs, unreadRuns, show, urls, maxTokens: MAX_TOKENS - FRAME_TOKENS }),
        _guidance: suggestNextCall(execution, runs, context),
      },
    };
  },
  rest: ({ executionId: id }, { agents }) =>
    nextCall("One node's calls are shortened less.", "get_execution_by_node", {
      id,
      nodeName: visibleName(agents[0]?.name ?? ""),
    }),
});
