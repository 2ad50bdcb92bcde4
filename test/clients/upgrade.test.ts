/**
 * This version opens the storage of older versions: users stay signed in, the activity log is read from its first
 * entry, and the history index answers, from its data or after rebuilding itself.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { readAuditPages, readIndexes } from "../../scripts/operator/operator-client.ts";
import { inProject } from "../../scripts/project.ts";
import type { KeptEntry } from "../../src/activity-log/entry.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { connectModern } from "../support/agent-client.ts";
import { findTestPlace, OPERATOR_TOKEN, removeTestPlace, SERVICE_TOKEN } from "../support/test-worker.ts";
import { startInWranglerDev } from "../support/wrangler-dev.ts";
import { type LeftStorage, readLeftStorage, timesIn, unpackStorage } from "./upgrade/storage-file.ts";

const REQUEST_ID = "req-deep-failure";

const tokens = z.object({ access_token: z.string(), refresh_token: z.string() });

describe.each([
  // Its index has another schema.
  ["84dc8fc", { isIndexKept: false }],
  // So has this one, the last version in which anybody who asked found any request id.
  ["2c07d90", { isIndexKept: false }],
] as const)("storage of version %s", (version, { isIndexKept }) => {
  let left: LeftStorage;
  let directory: string;
  let n8n: RecordedN8n;
  let worker: Awaited<ReturnType<typeof startInWranglerDev>>;

  beforeAll(async () => {
    left = await readLeftStorage(inProject("test", "clients", "upgrade", `${version}.json.gz`));
    ({ directory } = await findTestPlace());
    const state = join(directory, "state");
    await mkdir(state, { recursive: true });
    await unpackStorage(left, state, Date.now());
    n8n = await startRecordedN8n({ port: left.n8nPort });
    worker = await startInWranglerDev(n8n, { directory, port: left.workerPort });
  });
  afterAll(async () => {
    await worker?.stop();
    await n8n?.close();
    await removeTestPlace({ directory, port: left.workerPort });
  });

  test("is as old as when it was packed, however long ago that was", async () => {
    const now = left.leftAt + 400 * 24 * 60 * 60 * 1_000;
    const place = join(directory, "later");
    await unpackStorage(left, place, now);
    const kept = await timesIn(place);
    expect(kept.length).toBeGreaterThan(5);
    for (const time of kept) expect(time).toBeGreaterThan(now - 60_000);
  });

  const operator = () => ({ origin: worker.origin, token: OPERATOR_TOKEN });

  test("is of that version, and holds no payload", () => {
    expect(left.leftBy).toBe(version);
    const paths = Object.keys(left.files);
    for (const object of ["HistoryIndex", "ActivityLog", "GrantLedger"])
      expect(paths.some((path) => path.includes(`-${object}/`))).toBe(true);
    const bytes = Object.values(left.files).map((base64) => Buffer.from(base64, "base64").toString("latin1"));
    expect(bytes.join("\n")).not.toMatch(canaryPattern);
  });

  test("the activity log is read from its first entry", async () => {
    const entries: KeptEntry[] = [];
    for await (const page of readAuditPages(operator(), {})) entries.push(...page);
    expect(entries).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ event: "sign_in", outcome: "signed_in", clientId: left.clientId }),
        expect.objectContaining({
          event: "tool_call",
          tool: "trace_request",
          userId: "owner",
          outcome: "success",
        }),
        expect.objectContaining({
          event: "tool_call",
          tool: "get_execution",
          outcome: "EXECUTION_NOT_FOUND",
        }),
      ]),
    );
  });

  test("the history index opens or starts over", async () => {
    const [index] = await readIndexes(operator());
    expect(index).not.toHaveProperty("error");
    expect(index).toMatchObject({ known: isIndexKept ? expect.any(Number) : 0 });
    if (isIndexKept) expect(index).not.toMatchObject({ known: 0 });
  });

  test.each(["the access token", "a service token"])(
    "%s is still valid, and a trace is answered",
    async (which) => {
      const client = await connectModern(
        worker.mcpUrl,
        which === "a service token" ? SERVICE_TOKEN : left.accessToken,
        "auto",
      );
      const { isError, envelope } = await client.call("trace_request", { requestId: REQUEST_ID });
      await client.close();
      expect(isError).toBe(false);
      const truth = n8n.scenarios.find(({ requestId }) => requestId === REQUEST_ID);
      expect(truth).toBeDefined();
      expect(envelope.data).toMatchObject({ outcome: "error" });
    },
  );

  test("the refresh token is still valid", async () => {
    const refresh = async (token: string): Promise<Response> =>
      await fetch(`${worker.origin}/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          client_id: left.clientId,
          refresh_token: token,
        }),
      });
    const response = await refresh(left.refreshToken);
    expect(response.status).toBe(200);
    const issued = tokens.parse(await response.json());
    const client = await connectModern(worker.mcpUrl, issued.access_token, "auto");
    expect((await client.call("get_execution", { id: "34" })).isError).toBe(false);
    await client.close();
  });
});
