/**
 * Fills n8n quickly with ordinary executions, so that there is something to search through.
 * Adds exactly `count` executions, all ended, one for each returned request id.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { webhookPaths } from "./seed.ts";
import { type TestedN8n, webhookUrl } from "./tested-n8n.ts";

/** The number of parallel requests; n8n is not faster with more. */
const concurrency = 4;
/** The longest wait for the last execution to be stored, in milliseconds. */
const settlePatience = 60_000;

export async function fill(n8n: TestedN8n, count: number, prefix = "fill"): Promise<string[]> {
  const before = await n8n.executions.newestId();
  const requestIds = Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
  const pending = requestIds.values();
  const worker = async () => {
    for (const requestId of pending) await sendOne(n8n, requestId);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));

  const deadline = Date.now() + settlePatience;
  while (Date.now() < deadline) {
    const executions = await n8n.executions.listAfter(before);
    const ended = executions.filter(({ status }) => status === "success");
    if (ended.length === count) return requestIds;
    await sleep(200);
  }
  throw new Error(`Not all of the ${count} filler executions ended within ${settlePatience} ms.`);
}

async function sendOne(n8n: TestedN8n, requestId: string): Promise<void> {
  const response = await fetch(webhookUrl(n8n, webhookPaths.headerId), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ context: { requestId }, note: "An ordinary request." }),
  });
  await response.text();
  if (!response.ok) throw new Error(`A filler request was answered ${response.status}.`);
}
