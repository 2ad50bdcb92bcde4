/**
 * Makes an execution of a few steps, as n8n returns it, and reads it as n8n's answers are read.
 * By default, each step follows the first output of the one before it.
 */
import { BoundedReader } from "../../src/json/bounded-reader.ts";
import { explanation } from "../../src/n8n/explanation-plans.ts";
import { type ExecutionWithData, executionWithData } from "../../src/n8n/schemas.ts";

type Source = string | readonly [node: string, output: number];

export interface Step {
  readonly name: string;
  readonly type?: string;
  readonly parameters?: unknown;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The items of each output; undefined for a node that did not run. */
  readonly sent?: readonly (readonly unknown[])[];
  readonly error?: Readonly<Record<string, unknown>>;
  /** The sources of its inputs; by default the step before. */
  readonly after?: readonly Source[];
  /** The connection type of a sub-node of an agent, instead of `main`. */
  readonly connection?: string;
  /** The agent's input to it by that connection. */
  readonly asked?: unknown;
  readonly hints?: readonly string[];
}

const STARTED = 1_790_000_000_000;

const hasRun = ({ sent, error }: Step): boolean => sent !== undefined || error !== undefined;
/** True for an error that ends the execution, as its node does not continue on errors. */
const endsAll = ({ error, settings }: Step): boolean =>
  error !== undefined && settings?.onError === undefined && settings?.continueOnFail !== true;

/** @param facts override those of the execution */
export function steppedExecution(
  steps: readonly Step[],
  facts: Readonly<Record<string, unknown>> = {},
): ExecutionWithData {
  const reader = new BoundedReader(explanation());
  reader.write(new TextEncoder().encode(JSON.stringify(answerOf(steps, facts))));
  return executionWithData.parse(reader.end());
}

function answerOf(steps: readonly Step[], facts: Readonly<Record<string, unknown>>): object {
  const failed = steps.find(endsAll);
  const ran = steps.filter(hasRun);
  const runData = ran.map((step, index) => [step.name, [runOf(step, index, sourcesOf(step, steps))]]);
  return {
    id: "7",
    workflowId: "w1",
    mode: "webhook",
    status: failed === undefined ? "success" : "error",
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:01.000Z",
    data: {
      resultData: {
        ...(failed === undefined ? {} : { error: failed.error, lastNodeExecuted: failed.name }),
        runData: Object.fromEntries(runData),
      },
    },
    workflowData: {
      id: "w1",
      name: "Orders",
      nodes: steps.map(({ name, type = "n8n-nodes-base.code", parameters = {}, settings = {} }) => ({
        name,
        type,
        parameters,
        ...settings,
      })),
      connections: connectionsOf(steps),
    },
    ...facts,
  };
}

function runOf(
  { sent, error, connection = "main", asked, hints = [] }: Step,
  index: number,
  sources: readonly (readonly [string, number])[],
): object {
  const data = { [connection]: (sent ?? []).map((items) => items.map((json) => ({ json }))) };
  return {
    startTime: STARTED + index,
    executionTime: 2,
    executionIndex: index,
    executionStatus: error === undefined ? "success" : "error",
    source: sources.map(([previousNode, previousNodeOutput]) => ({ previousNode, previousNodeOutput })),
    hints: hints.map((message) => ({ message })),
    ...(sent === undefined ? {} : { data }),
    ...(asked === undefined ? {} : { inputOverride: { [connection]: [[{ json: asked }]] } }),
    ...(error === undefined ? {} : { error }),
  };
}

function sourcesOf(step: Step, steps: readonly Step[]): (readonly [string, number])[] {
  const before = steps[steps.indexOf(step) - 1];
  const usual = before === undefined || step.connection !== undefined ? [] : [before.name];
  return (step.after ?? usual).map((source) => (typeof source === "string" ? [source, 0] : source));
}

/** n8n's form: source → connection type → output → targets. */
function connectionsOf(steps: readonly Step[]): object {
  const made: Record<string, Record<string, { node: string; type: string; index: number }[][]>> = {};
  for (const step of steps) {
    const { connection: type = "main" } = step;
    for (const [input, [from, output]] of sourcesOf(step, steps).entries()) {
      // A model or tool is connected to its agent, which is its source.
      const [source, target] = type === "main" ? [from, step.name] : [step.name, from];
      const byType = made[source] ?? {};
      const outputs = byType[type] ?? [];
      made[source] = { ...byType, [type]: outputs };
      while (outputs.length <= output) outputs.push([]);
      outputs[output]?.push({ node: target, type, index: type === "main" ? input : 0 });
    }
  }
  return made;
}
