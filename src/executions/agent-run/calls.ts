/**
 * The calls in an execution: each is a run of its own node, which is attached to the calling node. n8n keeps the caller
 * in `source[0]`, the order in `executionIndex`, the input in `inputOverride.<connection type>`, and the result in
 * `data.<connection type>` (seen on n8n 1.123 and 2.40, agents 1.7 to 3.1). Pure.
 */
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData, NodeRun, WorkflowNode } from "../../n8n/schemas.ts";
import { allTargetsOf, targetsOf } from "../connections.ts";
import { countItems, nodesByName, orderOf, outputsOf, runsByNode } from "../node-runs.ts";
import { type CallKind, kindOfConnection } from "./call-kinds.ts";

export interface RunPlace {
  readonly nodeName: string;
  readonly run: number;
}

export interface Call extends RunPlace {
  readonly kind: CallKind;
  readonly nodeType: string | undefined;
  readonly caller: RunPlace;
  readonly nodeRun: NodeRun;
  /** `json` of the first item that it received, and of the first that it sent. */
  readonly given: ReadValue | undefined;
  readonly sent: ReadValue | undefined;
}

export const keyOf = ({ nodeName, run }: RunPlace): string => JSON.stringify([nodeName, run]);

/** Whether an agent is of version 1 or 2, whose run begins before its calls and holds all of them. */
export const hasOwnRuns = (agent: WorkflowNode | undefined): boolean =>
  typeof agent?.typeVersion === "number" && agent.typeVersion < 3;

export function callsOf(execution: ExecutionWithData): Call[] {
  const nodes = nodesByName(execution);
  const runsOf = runsByNode(execution);
  const calls = [...runsOf].flatMap(([nodeName, runs]) =>
    runs.flatMap((nodeRun, run) => {
      const call = toCall(nodeRun, runs[run - 1], (caller) => isAttachedTo(execution, nodeName, caller));
      if (call === undefined) return [];
      const isOld = hasOwnRuns(nodes.get(call.caller.nodeName));
      const calling = runsOf.get(call.caller.nodeName) ?? [];
      const caller = ranAt(calledBefore(call, nodeRun, run, calling, isOld) ?? call.caller, calling);
      return [{ nodeName, run, nodeType: nodes.get(nodeName)?.type, nodeRun, ...call, caller }];
    }),
  );
  return calls.sort((a, b) => orderOf(a.nodeRun) - orderOf(b.nodeRun));
}

type RecordedCall = Pick<Call, "kind" | "caller" | "given" | "sent">;

function toCall(
  run: NodeRun,
  before: NodeRun | undefined,
  isBelow: (callerName: string) => boolean,
): RecordedCall | undefined {
  const [source] = run.source;
  if (source === null || source === undefined) return undefined;
  const caller = { nodeName: source.previousNode, run: source.previousNodeRun ?? 0 };
  const type = connectionOf(run);
  if (type !== undefined) return { kind: kindOfConnection(type), caller, ...jsonOf(run, type) };
  if (run.error === undefined || run.data !== undefined) return undefined;
  const prepared = before !== undefined && isPrepared(before) ? connectionOf(before) : undefined;
  if (before !== undefined && prepared !== undefined)
    return { kind: kindOfConnection(prepared), caller, ...jsonOf(before, prepared) };
  return isBelow(caller.nodeName) ? { kind: "setup", caller, given: undefined, sent: undefined } : undefined;
}

/**
 * Version 3 agents of n8n 1.123 write a tool's input as a separate run without status; if the tool fails, that run remains, and
 * the tool's own run holds only the error.
 */
export const isPrepared = ({ executionStatus, source }: NodeRun): boolean =>
  executionStatus === undefined && source.length === 0;

/**
 * A node used as a tool by an agent of version 1 or 2 names its own run as the agent's: five calls by one agent then look
 * like calls by five. The agent that called it is the last one that began before it.
 * @param isOld the caller is of version 1 or 2, whose run begins before its calls
 * @returns undefined if the run that it names is right
 */
function calledBefore(
  { caller, kind }: RecordedCall,
  nodeRun: NodeRun,
  run: number,
  calling: readonly NodeRun[],
  isOld: boolean,
): RunPlace | undefined {
  if (kind !== "tool" || caller.run !== run) return undefined;
  const named = calling[run];
  if (named !== undefined && (!isOld || orderOf(named) <= orderOf(nodeRun))) return undefined;
  const before = calling.findLastIndex((own) => orderOf(own) <= orderOf(nodeRun));
  return before === -1 ? undefined : { ...caller, run: before };
}

/** Calls of a nested agent name the run in which the agent was prepared; its actual run is the next one. */
function ranAt(place: RunPlace, runs: readonly NodeRun[]): RunPlace {
  const run = runs[place.run];
  const isNext = run !== undefined && isPrepared(run) && runs[place.run + 1] !== undefined;
  return isNext ? { ...place, run: place.run + 1 } : place;
}

const jsonOf = (run: NodeRun, type: string): Pick<Call, "given" | "sent"> => ({
  given: firstJson(run.inputOverride, type),
  sent: firstJson(run.data, type),
});

/** The connection by which a sub-node was called; undefined for `main`. */
export const connectionOf = ({ data, inputOverride }: NodeRun): string | undefined =>
  [...Object.keys(data ?? {}), ...Object.keys(inputOverride ?? {})].find((type) => type.startsWith("ai_"));

const jsonOfItems = (data: NodeRun["data"], type: string): (ReadValue | undefined)[] =>
  (outputsOf(data).get(type) ?? [])
    .flatMap(({ items }) => items)
    .map((item) => (isReadObject(item) ? item.json : undefined));

const firstJson = (data: NodeRun["data"], type: string): ReadValue | undefined => jsonOfItems(data, type)[0];

const isAttachedTo = (execution: ExecutionWithData, nodeName: string, callerName: string): boolean =>
  allTargetsOf(execution, nodeName).some(({ type, node }) => type !== "main" && node === callerName);

/** The nodes attached to this one by a connection type, whether they ran or not. */
export function attachedTo(execution: ExecutionWithData, callerName: string, type: string): string[] {
  return [...nodesByName(execution).keys()].filter((name) =>
    targetsOf(execution, name, type)
      .flat()
      .some(({ node }) => node === callerName),
  );
}

/** An item that a node was given, and whether it was the only one. */
export interface InputItem {
  readonly json: { readonly [key: string]: ReadValue };
  readonly isOnly: boolean;
}

/** The items that fed this node: of the run in its source, else of the last, as a failed agent may have no run. */
export function inputItemsOf(
  execution: ExecutionWithData,
  nodeName: string,
  nodeRun: NodeRun | undefined,
): InputItem[] {
  const runs = runsByNode(execution);
  return attachedTo(execution, nodeName, "main").flatMap((name) => {
    const source = nodeRun?.source.find((each) => each?.previousNode === name);
    const run = runs.get(name)?.at(source ? (source.previousNodeRun ?? 0) : -1);
    const isOnly = run !== undefined && countItems(run) === 1;
    return jsonOfItems(run?.data, "main").flatMap((json) =>
      json !== undefined && isReadObject(json) ? [{ json, isOnly }] : [],
    );
  });
}
