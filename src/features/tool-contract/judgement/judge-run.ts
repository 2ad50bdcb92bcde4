/** Judges whether one run of a tool's sub-workflow kept the standard output. Pure. */
import { failureOf } from "../../../executions/failure.ts";
import { runsByNode } from "../../../executions/node-runs.ts";
import { isWithheldByN8n } from "../../../executions/withheld.ts";
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import type { ExecutionWithData } from "../../../n8n/schemas.ts";
import { displayName } from "../../../platform/display-name.ts";
import { errorCodeOf, namedFields, VALIDATION_ERROR } from "./error-answer.ts";
import { faultsOf, foundType, isCut, type OutputFault, standardOutputIn } from "./standard-output.ts";
import {
  firstJsonOf,
  type RunPath,
  runPathTo,
  type ToolAnswer,
  toolAnswerOf,
  type UnknownAnswer,
} from "./tool-answer.ts";
import { type DeclaredInput, type WrongInput, wrongInputs } from "./wrong-inputs.ts";

export type RunVerdict =
  /** Failed in n8n, so that the tool gave no answer. */
  | { readonly kind: "failed"; readonly status: string; readonly node: string | null }
  | {
      readonly kind: "answered";
      /** Empty when the answer has the standard format. */
      readonly faults: readonly OutputFault[];
      readonly path: RunPath;
      /** Undefined unless the answer reports an error. */
      readonly error: ErrorAnswer | undefined;
    }
  | { readonly kind: "unjudged"; readonly reason: UnknownAnswer | "withheld_by_n8n" };

interface ErrorAnswer {
  readonly code: string;
  /** Empty unless it is a validation error. */
  readonly wrongInputs: readonly WrongInput[];
}

const FAILED = new Set(["error", "crashed", "canceled"]);

/** @param declared the inputs that the sub-workflow declared when it ran; empty when it accepts anything */
export function judgeRun(execution: ExecutionWithData, declared: readonly DeclaredInput[]): RunVerdict {
  if (FAILED.has(execution.status)) {
    const node = failureOf(execution)?.nodeName ?? execution.data?.resultData?.lastNodeExecuted ?? null;
    return { kind: "failed", status: execution.status, node: node === null ? null : displayName(node) };
  }
  if (isWithheldByN8n(execution)) return { kind: "unjudged", reason: "withheld_by_n8n" };
  const answer = toolAnswerOf(execution);
  if (typeof answer === "string") return { kind: "unjudged", reason: answer };
  const { json } = answer;
  const output = standardOutputIn(json) ?? json;
  const faults = answerFaults(answer, output);
  if (faults.length > 0 && isCut(json)) return { kind: "unjudged", reason: "too_large" };
  return {
    kind: "answered",
    faults,
    path: runPathTo(answer.end, execution),
    error: toError(output, execution, declared),
  };
}

function answerFaults({ items, json }: ToolAnswer, output: ReadValue | undefined): OutputFault[] {
  const whole = (problem: OutputFault["problem"], expected: string): OutputFault => ({
    member: "answer",
    problem,
    expected,
    found: problem === "several_items" ? "array" : foundType(json),
  });
  const several = items > 1 ? [whole("several_items", "one item")] : [];
  const wrapped = output === json ? [] : [whole("wrapped", "the object itself")];
  return [...several, ...wrapped, ...faultsOf(output)];
}

function toError(
  output: ReadValue | undefined,
  execution: ExecutionWithData,
  declared: readonly DeclaredInput[],
): ErrorAnswer | undefined {
  if (!isReadObject(output) || output.status !== "error") return undefined;
  const code = errorCodeOf(output);
  if (code !== VALIDATION_ERROR) return { code, wrongInputs: [] };
  return { code, wrongInputs: wrongInputs(namedFields(output), declared, inputsOf(execution)) };
}

/** The caller's inputs, which the first node passes on. */
function inputsOf(execution: ExecutionWithData): ReadValue | undefined {
  const [first] = runsByNode(execution).values();
  const run = first?.[0];
  return run === undefined ? undefined : firstJsonOf(run);
}
