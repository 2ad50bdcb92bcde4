/** Sentences about how agents' runs ended, made from facts: names, counts and codes, no payload. */
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { CallerRole } from "./call-kinds.ts";
import type { Misfit } from "./parser-call.ts";
import type { FailedItems, Stop, StopReason } from "./stop-rules.ts";
import type { ToolReport } from "./tool-call.ts";
import type { Trouble } from "./troubles.ts";

const NOUNS = { agent: "Agent", chain: "Chain", "MCP server": "MCP server", node: "Node" } as const;

export const nounOf = (role: CallerRole): string => NOUNS[role];

const MODEL_TROUBLES = {
  context_length: "the conversation is longer than the model takes",
  rate_limit: "the model's provider refused it: too many requests, or no quota left (429)",
  content_filter: "the provider's content filter refused the prompt",
  no_tools: "the model cannot call tools, and it was given some",
  credential: "the provider refused the credential",
  no_such_model: "the provider knows no such model or address (404)",
  canceled: "the call was cut off when the execution was stopped",
  time_out: "the model did not answer in time",
  unreachable: "the model's address could not be reached",
  provider_error: "the model's provider failed at its own end",
  refused_request: "the provider refused the request as invalid",
  model_failed: "the call of the model failed",
} as const;
export type ModelTrouble = keyof typeof MODEL_TROUBLES;

type OwnReason = Exclude<StopReason, Exclude<ModelTrouble, "canceled" | "content_filter">>;

const STOPS: Readonly<Record<OwnReason, (stop: Stop) => string>> = {
  done: ({ isEmpty }) => `the model gave its answer${isEmpty === true ? ", which is empty" : ""}`,
  running: () => "it has not: the execution has not ended",
  crashed: () => "n8n crashed while it ran",
  time_limit: ({ limit }) => `the execution reached the workflow's time limit of ${limit} s`,
  canceled: () => "the execution was stopped",
  no_prompt: () => "its prompt was empty",
  setup_failed: ({ nodeName, wasSetUp }) =>
    `${quoted(nodeName)} ${wasSetUp === true ? "failed" : "could not be set up for it"}`,
  no_such_tool: ({ asks = 0, limit }) =>
    `its model asked ${counted(asks, "time")} for a tool that it does not have, up to ${limitOf(limit)}`,
  iterations: ({ limit, isSuccess }) =>
    `it reached ${limitOf(limit)}${isSuccess === true ? ", which n8n shows as a success" : ""}`,
  output_parser: ({ misfit, nodeName }) =>
    `the model's answer did not fit the format that the output parser asks for${misfit === undefined ? "" : misfitClause(misfit, nodeName)}`,
  refused_arguments: () => "the model called a tool with arguments that its schema refuses",
  tool_failed: ({ nodeName }) => `${quoted(nodeName)} failed, which ended the execution`,
  failed: ({ isUnread }) =>
    isUnread === true
      ? "it failed with an error that was not read"
      : "it failed with an error of another kind",
  length: ({ nodeName, parser }) =>
    `the model's answer was cut off at its token limit${parser === undefined ? "" : ` (${quoted(nodeName)}, finish reason length), so the output parser ${quoted(parser)} could not read it`}`,
  content_filter: () => "the provider's content filter stopped the model's answer",
  unknown: ({ hasRun, hasAsked }) => {
    if (hasRun === false) return "n8n kept no run of it";
    return hasAsked === false
      ? "no call of its model is known: it was disabled or pinned, had nothing to ask, or its model reports no calls"
      : "n8n does not say why";
  },
};

const limitOf = (limit: number | undefined): string =>
  `its limit of ${limit === undefined ? "" : `${limit} `}iterations`;

const named = (names: readonly string[]): string => names.slice(0, 5).map(quoted).join(", ");

function misfitClause({ what, missing, wrong }: Misfit, parser: string): string {
  const by = ` (${quoted(parser)})`;
  if (what === "empty") return `${by}: it was empty`;
  if (what === "no_json") return `${by}: it is no JSON`;
  const parts = [
    ...(missing.length > 0 ? [`it lacks ${named(missing)}, which the schema requires`] : []),
    ...(wrong.length > 0 ? [`the schema does not allow its ${named(wrong)}`] : []),
  ];
  return parts.length === 0 ? by : `${by}: ${parts.join(", and ")}`;
}

export function stopClause(stop: Stop): string {
  const { reason, trouble, saidBy, ofItems } = stop;
  const isOwn = (one: StopReason): one is OwnReason => Object.hasOwn(STOPS, one);
  const clause =
    trouble === undefined && isOwn(reason) ? STOPS[reason](stop) : MODEL_TROUBLES[trouble ?? "model_failed"];
  return `${clause}${ofItems === undefined ? "" : itemsClause(ofItems)}${saidBy === undefined ? "" : `, as its ${saidBy} says`}`;
}

function itemsClause({ failed, all, isLeast, isSame }: FailedItems): string {
  const least = isLeast ? "at least " : "";
  return isSame
    ? ` (${least}${failed} of ${counted(all, "item")})`
    : ` (one of ${least}${counted(failed, "failed item")}, of ${all})`;
}

/** @param status of a tool that failed, if it was called over HTTP */
export const troubleSentence = (trouble: Trouble, status: string | null = null): string =>
  TROUBLES[trouble.kind](trouble, status);

const part = ({ count, of }: Trouble): string => (of === 1 ? "" : ` ${count} of ${counted(of, "time")}`);

const who = ({ nodeName, isHidden }: Trouble): string =>
  isHidden ? `${quoted(nodeName)}: its output says that it` : quoted(nodeName);

const REPORTS: Readonly<Record<ToolReport, string>> = {
  text: "a text that begins with an error",
  flag: "an answer that says it did not succeed",
  member: "an error in its data",
};

const TROUBLES: Readonly<Record<Trouble["kind"], (trouble: Trouble, status: string | null) => string>> = {
  failed: (trouble, status) =>
    `${who(trouble)} failed${part(trouble)}${status === null ? "" : ` (${status})`}; ${trouble.isHidden ? "n8n shows it as a success, the agent alone was told" : "the agent was told"}.`,
  refused_arguments: (trouble) =>
    `${who(trouble)} refused${part(trouble)} the arguments that the model gave, by its schema.`,
  answered_error: (trouble) =>
    `${quoted(trouble.nodeName)} answered${part(trouble)} with ${REPORTS[trouble.report ?? "member"]}.`,
  no_such_tool: ({ nodeName, count, tools = [] }) =>
    `The model of ${quoted(nodeName)} asked ${counted(count, "time")} for a tool that is not among its tools${tools.length === 0 ? "" : ` (${named(tools)})`}; none was called.`,
  model_failed: ({ nodeName, count, model = "model_failed" }) =>
    `The model ${quoted(nodeName)} failed ${counted(count, "time")} (${MODEL_TROUBLES[model]}), and it went on.`,
};

/** @param reason n8n's own reason: replaces "it failed", and is appended to any other clause */
export function stoppedSentence(
  { agent, role, stop }: { readonly agent: string; readonly role: CallerRole; readonly stop: Stop },
  reason: string | null,
): string {
  const clause = stopClause(stop);
  const because = reason === null ? clause : stop.nodeName === agent ? reason : `${clause}: ${reason}`;
  return `${nounOf(role)} ${quoted(agent)} stopped because ${because}.`;
}
