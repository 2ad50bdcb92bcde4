/**
 * Problems that did not stop an agent, whether it was informed of them or not. The execution's status shows none of
 * these. Pure.
 */
import { isSameText } from "../../json/omitted.ts";
import type { AgentEvidence, ToolCall } from "./evidence.ts";
import { type Stop, unansweredToolRequests } from "./stop-rules.ts";
import type { ToolReport, ToolTrouble } from "./tool-call.ts";
import type { ModelTrouble } from "./wording.ts";

export interface Trouble {
  readonly kind: ToolTrouble | "no_such_tool" | "model_failed";
  readonly nodeName: string;
  /** The first run in which it occurred. */
  readonly run: number;
  readonly count: number;
  readonly of: number;
  /** n8n shows it as a success; only its output reports it. */
  readonly isHidden: boolean;
  readonly model?: ModelTrouble;
  readonly confidence: "exact" | "observed";
  readonly report?: ToolReport | null;
  /** A later call of the same tool succeeded. */
  readonly isRepaired?: boolean;
  readonly tools?: readonly string[];
}

/** @param stop excluded, since the problem that stopped the agent is reported separately */
export function troublesOf(evidence: AgentEvidence, stop: Stop): Trouble[] {
  const asks = stop.reason === "no_such_tool" ? [] : missingToolTroubles(evidence);
  return [...toolTroubles(evidence, stop), ...asks, ...modelTroubles(evidence, stop)];
}

function toolTroubles({ tools }: AgentEvidence, stop: Stop): Trouble[] {
  const others = tools.filter(({ nodeName, run }) => nodeName !== stop.nodeName || run !== stop.run);
  const byNode = Map.groupBy(others, ({ nodeName }) => nodeName);
  return [...byNode].flatMap(([nodeName, calls]) =>
    TOOL_TROUBLES.flatMap((kind) => {
      const bad = calls.filter(({ facts }) => facts.trouble === kind);
      const last = calls.at(-1);
      const more = { report: bad[0]?.facts.report ?? null, isRepaired: last?.facts.trouble === null };
      return bad.length === 0 ? [] : [{ ...toTrouble(kind, nodeName, bad, calls.length), ...more }];
    }),
  );
}

const TOOL_TROUBLES: readonly ToolTrouble[] = ["failed", "refused_arguments", "answered_error"];

function toTrouble(kind: ToolTrouble, nodeName: string, calls: readonly ToolCall[], of: number): Trouble {
  const isHidden = calls.every(({ facts }) => facts.isHidden);
  const confidence = kind === "answered_error" || isHidden ? "observed" : "exact";
  return { kind, nodeName, run: calls[0]?.run ?? 0, count: calls.length, of, isHidden, confidence };
}

function missingToolTroubles(evidence: AgentEvidence): Trouble[] {
  const count = unansweredToolRequests(evidence);
  if (count === 0) return [];
  const { nodeName, run } = evidence.agent;
  const asked = { kind: "no_such_tool", count, of: count, isHidden: false, confidence: "observed" } as const;
  return [{ ...asked, nodeName, run, tools: evidence.toolNodes }];
}

/**
 * The models that failed and were replaced by another call. An aborted call did not fail, and a call whose error was
 * sent as an item was not replaced; if some of those errors were not read, it may be any call.
 */
function modelTroubles({ allCaught, caughtItems, models }: AgentEvidence, stop: Stop): Trouble[] {
  if (caughtItems > allCaught.length) return [];
  const failed = models.flatMap(({ nodeName, run, nodeRun, facts: { trouble } }) =>
    trouble === null ||
    trouble === "canceled" ||
    (nodeName === stop.nodeName && run === stop.run) ||
    allCaught.some((said) => isSameText(said, nodeRun.error?.message ?? ""))
      ? []
      : [{ nodeName, run, model: trouble }],
  );
  const byNode = Map.groupBy(failed, ({ nodeName }) => nodeName);
  return [...byNode.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const count = others.length + 1;
    return [
      { kind: "model_failed", ...first, count, of: count, isHidden: false, confidence: "exact" } as const,
    ];
  });
}
