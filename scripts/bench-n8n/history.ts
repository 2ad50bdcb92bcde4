/**
 * Creates the history of a busy n8n: mostly small requests, some with sub-workflows or loops, and now and then a bulky
 * one. Promises: afterwards n8n has exactly the given number of executions, and all new ones have ended.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { sumOf } from "../../src/platform/sum-of.ts";
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { fill } from "../../test/real-n8n/fill.ts";
import { type ExecutionItem, listExecutionsAfter } from "../../test/real-n8n/n8n-database.ts";
import { webhookPaths } from "../../test/real-n8n/seed.ts";

interface Kind {
  readonly path: string;
  /** How many executions n8n starts for a request. */
  readonly executions: number;
  /** How many of the requests of a round. */
  readonly requests: number;
  body(requestId: string): unknown;
}

const dates = { start: "2026-01-10T09:00:00Z", end: "2026-01-10T10:00:00Z", title: "Cena" };
const customer = {
  number: "C-20417",
  name: "Ana Núñez",
  mail: "ana@example.com",
  address: { street: "Calle Mayor 1", city: "Madrid", country: "ES" },
};
const order = {
  customer,
  lines: Array.from({ length: 8 }, (_, index) => ({ sku: `A-${index}`, quantity: 2, price: 12.5 })),
};

const ping: Kind = {
  ...{ path: webhookPaths.headerId, executions: 1, requests: 12 },
  body: (requestId) => ({ context: { requestId }, order }),
};
const KINDS: readonly Kind[] = [
  ping,
  {
    ...{ path: webhookPaths.calendar, executions: 2, requests: 3 },
    body: (requestId) => ({ context: { requestId }, ...dates, user: customer }),
  },
  {
    ...{ path: webhookPaths.orders, executions: 3, requests: 2 },
    body: (requestId) => ({ requestId, sku: "book", ...order }),
  },
  {
    ...{ path: webhookPaths.reminder, executions: 1, requests: 2 },
    body: (requestId) => ({ context: { requestId }, count: 6, size: 300 }),
  },
  {
    ...{ path: webhookPaths.bulk, executions: 1, requests: 1 },
    body: (requestId) => ({ context: { requestId }, items: 12, bytes: 1_000 }),
  },
];
const ROUND = KINDS.flatMap((kind) => Array.from({ length: kind.requests }, () => kind));
const EXECUTIONS_A_ROUND = sumOf(ROUND, ({ executions }) => executions);

/** Requests in flight; n8n is not faster with more. */
const CONCURRENCY = 4;
const SETTLE_PATIENCE_MS = 60_000;

async function send(n8n: RunningN8n, kind: Kind, requestId: string): Promise<void> {
  const response = await fetch(`${n8n.baseUrl}/webhook/${kind.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(kind.body(requestId)),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The webhook ${kind.path} answered ${response.status}.`);
}

async function sendRounds(n8n: RunningN8n, rounds: number): Promise<void> {
  const requests = Array.from({ length: rounds }, () => ROUND)
    .flat()
    .entries();
  const worker = async (): Promise<void> => {
    for (const [index, kind] of requests) await send(n8n, kind, `history-${index + 1}`);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function waitUntilEnded(list: () => ExecutionItem[], count: number): Promise<void> {
  const deadline = Date.now() + SETTLE_PATIENCE_MS;
  let ended = 0;
  while (Date.now() < deadline) {
    ended = list().filter(({ status }) => status === "success").length;
    if (ended === count) return;
    await sleep(200);
  }
  throw new Error(`${ended} of ${count} executions ended within ${SETTLE_PATIENCE_MS} ms.`);
}

/** @returns a function that sends a small request with a new id, which it returns */
export function newRequests(n8n: RunningN8n): () => Promise<string> {
  let sent = 0;
  return async () => {
    sent += 1;
    const requestId = `fresh-${sent}`;
    await send(n8n, ping, requestId);
    return requestId;
  };
}

/** @param count how many executions n8n has in all afterwards */
export async function buildHistory(n8n: RunningN8n, count: number): Promise<void> {
  const before = listExecutionsAfter(n8n, 0);
  const missing = count - before.length;
  if (missing < 0) throw new Error(`There are ${before.length} executions already.`);
  const rounds = Math.floor(missing / EXECUTIONS_A_ROUND);
  await sendRounds(n8n, rounds);
  const newest = Number(before.at(-1)?.id ?? 0);
  const sent = rounds * EXECUTIONS_A_ROUND;
  await waitUntilEnded(() => listExecutionsAfter(n8n, newest), sent);
  await fill(n8n, missing - sent);
}
