/**
 * What went wrong on an agent's way and did not stop it: it was told, or nobody was. The execution's status shows none
 * of these. Pure.
 */
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { AgentEvidence, ToolCall } from "./evidence.ts";
import { sayTrouble } from "./model-errors.ts";
import type { Stop } from "./stop-rules.ts";
import type { ToolTrouble } from "./tool-call.ts";
import { unansweredAsks } from "./unanswered-asks.ts";

export interface Trouble {
  readonly kind: ToolTrouble | "no_such_tool" | "model_failed";
  readonly nodeName: string;
  /** The first of its runs to which it happened. */
  readonly run: number;
  readonly count: number;
  /** Of ours: names, counts and codes. */
  readonly sentence: string;
  readonly confidence: "exact" | "observed";
}

/** @param stop what stopped the agent is no trouble on its way */
export function troublesOf(evidence: AgentEvidence, stop: Stop): Trouble[] {
  const asks = stop.reason === "no_such_tool" ? [] : askTrouble(evidence);
  return [...toolTroubles(evidence, stop), ...asks, ...modelTroubles(evidence, stop)];
}

function toolTroubles(evidence: AgentEvidence, stop: Stop): Trouble[] {
  const tools = evidence.tools.filter(({ nodeName, run }) => nodeName !== stop.nodeName || run !== stop.run);
  const nodes = [...new Set(tools.map(({ nodeName }) => nodeName))];
  return nodes.flatMap((nodeName) => {
    const ofNode = tools.filter((call) => call.nodeName === nodeName);
    return TOOL_TROUBLES.flatMap((kind) => {
      const calls = ofNode.filter(({ facts }) => facts.trouble === kind);
      return calls.length === 0 ? [] : [toTrouble(kind, nodeName, calls, ofNode.length)];
    });
  });
}

const TOOL_TROUBLES: readonly ToolTrouble[] = ["failed", "refused_arguments", "answered_error"];

function toTrouble(kind: ToolTrouble, nodeName: string, calls: readonly ToolCall[], all: number): Trouble {
  const count = calls.length;
  const part = all === 1 ? "" : ` ${count} of ${counted(all, "time")}`;
  const isHidden = calls.every(({ facts }) => facts.isHidden);
  const hidden = isHidden ? "; n8n shows it as a success, the agent alone was told" : "; the agent was told";
  const who = isHidden ? `${quoted(nodeName)}: its output says that it` : quoted(nodeName);
  const sentences: Record<ToolTrouble, string> = {
    failed: `${who} failed${part}${hidden}.`,
    refused_arguments: `${who} refused${part} the arguments that the model gave, by its schema.`,
    answered_error: `${quoted(nodeName)} answered${part} with an error in its data.`,
  };
  return {
    kind,
    nodeName,
    run: calls[0]?.run ?? 0,
    count,
    sentence: sentences[kind],
    confidence: kind === "answered_error" || isHidden ? "observed" : "exact",
  };
}

function askTrouble(evidence: AgentEvidence): Trouble[] {
  const count = unansweredAsks(evidence);
  if (count === 0) return [];
  const { nodeName, run } = evidence.agent;
  const sentence = `The model of ${quoted(nodeName)} asked ${counted(count, "time")} for a tool that is not among its tools; none was called.`;
  return [{ kind: "no_such_tool", nodeName, run, count, sentence, confidence: "observed" }];
}

/** Another one stood in for these. One that was cut off did not fail. */
function modelTroubles({ models }: AgentEvidence, stop: Stop): Trouble[] {
  const before = models.filter(
    ({ nodeName, run, facts: { trouble } }) =>
      trouble !== null && trouble !== "canceled" && (nodeName !== stop.nodeName || run !== stop.run),
  );
  const nodes = [...new Set(before.map(({ nodeName }) => nodeName))];
  return nodes.flatMap((nodeName) => {
    const ofNode = before.filter((call) => call.nodeName === nodeName);
    const [first] = ofNode;
    const trouble = first?.facts.trouble;
    if (first === undefined || trouble === null || trouble === undefined) return [];
    const sentence = `The model ${quoted(nodeName)} failed ${counted(ofNode.length, "time")} (${sayTrouble(trouble)}), and it went on.`;
    return [
      {
        kind: "model_failed",
        nodeName,
        run: first.run,
        count: ofNode.length,
        sentence,
        confidence: "exact",
      } as const,
    ];
  });
}
