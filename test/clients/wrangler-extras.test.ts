/** What `wrangler dev` would add to the Worker by itself: nobody reads its storage or its requests that way. */
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

let n8n: RecordedN8n;
let place: TestPlace;
let worker: TestWorker;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  place = await findTestPlace();
  worker = await startTestWorker(n8n, {}, { place });
});
afterAll(async () => {
  await worker.stop();
  await n8n.close();
  await removeTestPlace(place);
});

describe("wrangler's explorer of the storage", () => {
  // It would show and change the registrations, grants and the index, without a sign-in.
  test.each([
    "/cdn-cgi/local/explorer",
    "/cdn-cgi/local/explorer/api",
    "/cdn-cgi/local/explorer/api/local/workers",
  ])("is not at %s", async (path) => {
    const response = await fetch(`${worker.origin}${path}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('"not_found"');
  });
});

describe("wrangler's store of traces", () => {
  // It would keep on disk which requests were made, with the queries of their URLs.
  test("does not exist after a call", async () => {
    const client = await connectModern(worker.mcpUrl, SERVICE_TOKEN, "auto");
    await client.call("trace_request", { requestId: "req-deep-failure" });
    await client.close();
    const kept = await readdir(`${place.directory}/state/v3`);
    expect(kept).toContain("do");
    expect(kept).not.toContain("observability");
  });
});
