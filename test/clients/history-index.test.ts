/** The history index in the running Worker fills itself, serves all users, and survives a restart. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { connectModern } from "../support/agent-client.ts";
import {
  findTestPlace,
  removeTestPlace,
  SERVICE_TOKEN,
  startTestWorker,
  type TestPlace,
  type TestWorker,
} from "../support/test-worker.ts";

const OTHER_TOKEN = "service-token-of-another-user-0123456789";
const EXECUTIONS = 3_000;
const PATIENCE_MS = 60_000;

let n8n: RecordedN8n;
let place: TestPlace;

beforeAll(async () => {
  n8n = await startRecordedN8n({ multiplyTo: EXECUTIONS });
  place = await findTestPlace();
});
afterAll(async () => {
  await n8n.close();
  await removeTestPlace(place);
});

const checks = z.object({ checks: z.array(z.object({ check: z.string(), detail: z.string() })) });
const coverage = z.object({
  found: z.boolean(),
  coverage: z.object({ readNow: z.number(), complete: z.boolean() }),
});

async function started(settings: Record<string, string>): Promise<TestWorker> {
  return await startTestWorker(n8n, { other: OTHER_TOKEN }, { settings, place });
}

async function call<T extends z.ZodType>(
  worker: TestWorker,
  token: string,
  name: string,
  args: Record<string, unknown>,
  schema: T,
): Promise<z.infer<T>> {
  const client = await connectModern(worker.mcpUrl, token, "auto");
  try {
    return schema.parse((await client.call(name, args)).envelope.data);
  } finally {
    await client.close();
  }
}

async function indexOf(worker: TestWorker): Promise<string> {
  const { checks: lines } = await call(worker, SERVICE_TOKEN, "check_connection", {}, checks);
  return lines.find(({ check }) => check === "history index")?.detail ?? "";
}

async function untilWhole(worker: TestWorker): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(500))
    if ((await indexOf(worker)).includes("all that n8n has")) return;
  throw new Error(`The index is incomplete: ${await indexOf(worker)}`);
}

/** The recorded executions that still run, which are read each time. */
const MOST_RUNNING = 100;

test("after the first call the index fills itself, and any user's first trace is a look-up, even after a restart", async () => {
  const [, , request] = n8n.scenariosOfCopy(n8n.copies - 2);
  const args = { requestId: request?.requestId };
  const worker = await started({ INDEX_INTERVAL: "10" });
  try {
    await untilWhole(worker);
    const first = await call(worker, OTHER_TOKEN, "trace_request", args, coverage);
    expect(first).toMatchObject({ found: true, coverage: { complete: true } });
    expect(first.coverage.readNow).toBeLessThanOrEqual(MOST_RUNNING);
  } finally {
    await worker.stop();
  }
  n8n.requests.length = 0;
  const again = await started({ INDEX_INTERVAL: "off" });
  try {
    const later = await call(again, OTHER_TOKEN, "trace_request", args, coverage);
    expect(later).toMatchObject({ found: true, coverage: { complete: true } });
    expect(later.coverage.readNow).toBeLessThanOrEqual(MOST_RUNNING);
    expect(n8n.requests.filter(({ path }) => path.includes("cursor="))).toEqual([]);
  } finally {
    await again.stop();
  }
}, 180_000);
