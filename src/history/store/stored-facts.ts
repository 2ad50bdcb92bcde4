/** The facts of an execution as columns of its row. */
import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import { executionFacts } from "../../executions/execution-facts.ts";
import type { SqlValue } from "../../platform/sql.ts";

/** Each fact's column. NULL and small numbers take no more than two bytes of a row. */
const COLUMNS = {
  failingNode: "failing_node TEXT",
  errorClass: "error_class TEXT",
  httpStatus: "http_status INTEGER",
  errorFingerprint: "error_fingerprint TEXT",
  nodes: "nodes INTEGER",
  runs: "runs INTEGER",
  items: "items INTEGER",
  handledErrors: "handled_errors INTEGER",
  llmCalls: "llm_calls INTEGER",
  toolCalls: "tool_calls INTEGER",
  promptTokens: "prompt_tokens INTEGER",
  completionTokens: "completion_tokens INTEGER",
  estimatedPromptTokens: "estimated_prompt_tokens INTEGER",
  estimatedCompletionTokens: "estimated_completion_tokens INTEGER",
  incomplete: "incomplete TEXT",
} as const satisfies Record<keyof ExecutionFacts, string>;

/** In the order of the columns. */
const FACTS = executionFacts.keyof().options;

/** For a definition of a table. */
export const FACT_COLUMNS = FACTS.map((fact) => COLUMNS[fact]).join(", ");

/** For a selection, each under its fact's name. */
export const SELECTED_FACTS = FACTS.map((fact) => `${COLUMNS[fact].split(" ")[0]} AS ${fact}`).join(", ");

/** Of an execution that was not read, nothing. */
export const factCells = (facts: ExecutionFacts | null): (string | number | null)[] =>
  FACTS.map((fact) => facts?.[fact] ?? null);

/** @throws z.ZodError for a row of an execution that was not read */
export const toFacts = (row: Record<string, SqlValue>): ExecutionFacts => executionFacts.parse(row);
