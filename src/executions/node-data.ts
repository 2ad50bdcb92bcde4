/** The data of a node run: its input and its output. Pure. */
import { memberOf } from "../json/members.ts";
import { isReadObject, type ReadValue } from "../json/omitted.ts";
import type { OutputPlace } from "../n8n/read-plans.ts";
import type { ExecutionWithData, NodeRun } from "../n8n/schemas.ts";
import { MCP_TRIGGER } from "../n8n/workflow-callers.ts";
import {
  dataOutputs,
  NO_ITEMS,
  nodesByName,
  type OutputItems,
  pendingInputs,
  runsByNode,
} from "./node-runs.ts";

/** One item without n8n's internal members; a binary is reduced to its name, type and size. */
export interface NodeItem {
  readonly json: ReadValue;
  readonly binary?: ReadValue;
  readonly redaction?: ReadValue;
}

const BINARY_FACTS = ["fileName", "mimeType", "fileType", "fileExtension", "fileSize"];

function describeBinary(binary: ReadValue): ReadValue {
  if (!isReadObject(binary)) return null;
  return Object.fromEntries(
    Object.entries(binary).map(([name, content]) => [
      name,
      isReadObject(content)
        ? Object.fromEntries(Object.entries(content).filter(([fact]) => BINARY_FACTS.includes(fact)))
        : null,
    ]),
  );
}

/** n8n's mark on an item that it has redacted: `{ redacted: true, reason }`. */
function toRedaction(redaction: ReadValue | undefined): ReadValue | undefined {
  if (redaction === undefined || !isReadObject(redaction) || redaction.redacted !== true) return undefined;
  return { redacted: true, reason: redaction.reason ?? null };
}

export function toNodeItem(item: ReadValue): NodeItem {
  if (!isReadObject(item)) return { json: item };
  const json = item.json ?? null;
  const redaction = toRedaction(item.redaction);
  return {
    json,
    ...(item.binary === undefined ? {} : { binary: describeBinary(item.binary) }),
    ...(redaction === undefined ? {} : { redaction }),
  };
}

export const countOutputs = (run: NodeRun): number => dataOutputs(run.data).length;

export function outputOf(run: NodeRun, output: number | undefined): { index: number; items: OutputItems } {
  const outputs = dataOutputs(run.data);
  const firstUsed = outputs.findIndex((candidate) => candidate.length > 0);
  const index = output ?? Math.max(0, firstUsed);
  return { index, items: outputs[index] ?? NO_ITEMS };
}

export interface InputSource extends OutputPlace {
  readonly count: number;
}

/** The input that n8n keeps for nodes called by an agent; such a node has no source. */
export function overrideOf(run: NodeRun): OutputItems | undefined {
  const [override] = dataOutputs(run.inputOverride);
  return override;
}

export function itemsAt(execution: ExecutionWithData, place: OutputPlace): OutputItems {
  const run = runsByNode(execution).get(place.nodeName)?.[place.run];
  return (run === undefined ? undefined : dataOutputs(run.data)[place.output]) ?? NO_ITEMS;
}

/** The sources of a run's input (`source[]`): its input is their joined output. */
export function sourcesOf(run: NodeRun, execution: ExecutionWithData): InputSource[] {
  return run.source.flatMap((source) => {
    if (source === null) return [];
    const place = {
      nodeName: source.previousNode,
      output: source.previousNodeOutput ?? 0,
      run: source.previousNodeRun ?? 0,
    };
    return [{ ...place, count: itemsAt(execution, place).length }];
  });
}

/** The data that started the execution: a webhook's request, or the first node's output. */
export interface StartData {
  readonly nodeName: string | null;
  readonly body: ReadValue;
  readonly headers: ReadValue;
  readonly query: ReadValue;
  readonly params: ReadValue;
}

const NO_START: StartData = { nodeName: null, body: null, headers: null, query: null, params: null };

function toStartData(nodeName: string, json: ReadValue, isOfServer: boolean): StartData {
  const start = { ...NO_START, nodeName };
  if (!isReadObject(json)) return { ...start, body: json };
  if (isOfServer && isReadObject(json.mcpToolCall))
    return { ...start, body: json.mcpToolCall.arguments ?? null };
  if (!isWebhookRequest(json)) return { ...start, body: json };
  const { body = null, headers = null, query = null, params = null } = json;
  return { nodeName, body, headers, query, params };
}

/** An answer that the HTTP Request node received also has `body` and `headers`, but no `query`. */
const isWebhookRequest = (json: ReadValue): boolean =>
  isReadObject(json) && isReadObject(json.headers ?? null) && "body" in json && "query" in json;

/**
 * The payload as n8n received it: the first item of the trigger. A webhook's item has body, headers, query
 * and params; for a call of an MCP trigger the body is the arguments, for any other trigger the whole item.
 * An MCP trigger ends after its tool, so the first node is not always the trigger.
 */
export function startDataOf(execution: ExecutionWithData): StartData {
  const sent = [...runsByNode(execution)].flatMap(([nodeName, [run]]) =>
    run === undefined ? [] : [{ nodeName, items: outputOf(run, undefined).items.items }],
  );
  // If the execution has only just begun, its payload is the pending input of the first node.
  const pending = pendingInputs(execution).map(({ nodeName, outputs }) => ({
    nodeName,
    items: outputs.flatMap(({ items }) => items),
  }));
  const firstItems = [...sent, ...pending]
    .flatMap(({ nodeName, items: [item] }) =>
      item === undefined ? [] : [{ nodeName, json: toNodeItem(item).json }],
    )
    // After a crash, n8n puts such an item in place of what a node sent; the payload is still pending.
    .filter(({ json }) => memberOf(json, "isArtificialRecoveredEventItem") === undefined);
  const nodes = nodesByName(execution);
  const server = firstItems.find(({ nodeName }) => nodes.get(nodeName)?.type === MCP_TRIGGER);
  const trigger = server ?? firstItems[0];
  return trigger === undefined ? NO_START : toStartData(trigger.nodeName, trigger.json, server !== undefined);
}
