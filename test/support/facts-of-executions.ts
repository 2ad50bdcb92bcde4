/** The facts of executions, as the walk collects them from n8n's answers. */
import { type ExecutionFacts, toExecutionFacts } from "../../src/executions/execution-facts.ts";
import { createCorrelationDigest } from "../../src/history/request-ids/correlation-digest.ts";
import { hasEnded } from "../../src/history/store/traced-execution.ts";
import type { WalkedOutcome } from "../../src/n8n/execution-outcome.ts";
import { ExecutionWalk, type WalkedExecution } from "../../src/n8n/execution-walk.ts";
import { type ChunkSizes, chunksOf, encode, WHOLE } from "../json/chunks.ts";

/** @param json a single execution @throws Error when it cannot be read */
function walkedOf(json: string, sizes: ChunkSizes = WHOLE): WalkedExecution {
  const seen: WalkedExecution[] = [];
  const walk = new ExecutionWalk("one", {
    wantsKey: () => false,
    value: () => {},
    roomForContainer: () => 0,
    container: () => {},
    onSkipped: () => {},
    execution: (walked) => seen.push(walked),
    unreadable: (_id, reason) => {
      throw new Error(reason);
    },
  });
  for (const chunk of chunksOf(encode(json), sizes)) walk.write(chunk);
  walk.end();
  const [walked] = seen;
  if (walked === undefined) throw new Error("No execution was told.");
  return walked;
}

export const outcomeOf = (json: string, sizes: ChunkSizes = WHOLE): WalkedOutcome =>
  walkedOf(json, sizes).outcome;

export const digest = createCorrelationDigest("key", "instance");

export function factsOf(execution: unknown, sizes: ChunkSizes = WHOLE): ExecutionFacts {
  const { item, outcome, isWithheld, isTooLarge } = walkedOf(JSON.stringify(execution), sizes);
  const context = { status: item.status, hasEnded: hasEnded(item), isWithheld, isTooLarge, isPartial: false };
  return toExecutionFacts(outcome, context, digest);
}

/** The facts of an execution about which nothing is known. */
export const NO_FACTS: ExecutionFacts = {
  failingNode: null,
  failedAtCall: null,
  errorClass: null,
  httpStatus: null,
  errorFingerprint: null,
  errorHost: null,
  nodes: 0,
  runs: 0,
  items: 0,
  handledErrors: 0,
  llmCalls: 0,
  toolCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  estimatedPromptTokens: 0,
  estimatedCompletionTokens: 0,
  version: null,
  incomplete: null,
};
