/**
 * Executions of any size, made up chunk by chunk: the webhook's item, then two nodes that send as many items as
 * the size takes. Items have many short members, which cost a reader more than long texts do. Pure.
 */

export interface MadeUpExecution {
  readonly id: number;
  /** Approximate size with its data. */
  readonly bytes: number;
}

const BLOCK_BYTES = 64 * 1024;
const STARTED = Date.UTC(2026, 0, 1);

export const requestIdOf = (id: number): string => `req-made-up-${id}`;

/** Without data, as n8n lists it. */
export function listedMembers({ id }: MadeUpExecution): Record<string, unknown> {
  return {
    id: String(id),
    finished: true,
    mode: "webhook",
    retryOf: null,
    retrySuccessId: null,
    status: "success",
    startedAt: new Date(STARTED + id * 1_000).toISOString(),
    stoppedAt: new Date(STARTED + id * 1_000 + 500).toISOString(),
    workflowId: "w1",
    waitTill: null,
  };
}

export function* withData(execution: MadeUpExecution): Generator<Uint8Array, void> {
  const requestId = requestIdOf(execution.id);
  const block = blockOfItems(requestId);
  const blocks = Math.round(execution.bytes / 2 / block.length);
  yield bytesOf(`${JSON.stringify(listedMembers(execution)).slice(0, -1)},${DATA_HEAD}`);
  yield bytesOf(`"Webhook":${run(0, [])}${JSON.stringify({ json: { body: { requestId } } })}${RUN_END}`);
  for (const [index, name] of ["Generate", "Copy"].entries()) {
    yield bytesOf(`,${JSON.stringify(name)}:${run(index + 1, [{ previousNode: "Webhook" }])}`);
    yield bytesOf(JSON.stringify(item(requestId, 0)));
    for (let written = 0; written < blocks; written += 1) yield block;
    yield bytesOf(RUN_END);
  }
  yield bytesOf(DATA_END);
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

function blockOfItems(requestId: string): Uint8Array {
  let text = "";
  for (let index = 1; text.length < BLOCK_BYTES; index += 1)
    text += `,${JSON.stringify(item(requestId, index))}`;
  return bytesOf(text);
}

function item(requestId: string, index: number): unknown {
  const line = { sku: `A-${index}`, quantity: index % 7, price: 12.5, taxed: true, note: null };
  return {
    json: {
      requestId,
      index,
      customer: { id: 1_000 + index, name: "Ana Núñez", mail: "ana@example.com", tags: ["new", "export"] },
      lines: [line, line, line],
      text: 'Deliver to the "back door"; ring twice.\nThank you \u00e9\u6f22.',
    },
    pairedItem: { item: index },
  };
}

function run(index: number, source: readonly unknown[]): string {
  const facts = {
    startTime: STARTED,
    executionTime: 5,
    executionIndex: index,
    executionStatus: "success",
    source,
  };
  return `[${JSON.stringify(facts).slice(0, -1)},"data":{"main":[[`;
}

const RUN_END = "]]}}]";
const DATA_HEAD = `"data":{"startData":{},"resultData":{"runData":{`;
const NODES = ["Webhook", "Generate", "Copy"].map((name) => ({ name, type: "n8n-nodes-base.code" }));
const WORKFLOW = { id: "w1", name: "bulk.import", nodes: NODES, connections: {} };
const DATA_END = `},"lastNodeExecuted":"Copy"}},"workflowData":${JSON.stringify(WORKFLOW)},"customData":{}}`;

const MB = 1_000_000;
const EXECUTIONS = 200;
const ORDINARY_BYTES = 7_500;

export const LARGE_EXECUTIONS: Readonly<Record<string, MadeUpExecution>> = {
  "20 MB": { id: 90, bytes: 20 * MB },
  "100 MB": { id: 120, bytes: 100 * MB },
};
const LARGE = Object.values(LARGE_EXECUTIONS);

export const largeHistory: readonly MadeUpExecution[] = Array.from({ length: EXECUTIONS }, (_, index) => {
  const id = EXECUTIONS - index;
  return LARGE.find((one) => one.id === id) ?? { id, bytes: ORDINARY_BYTES };
});
