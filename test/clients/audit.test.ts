/**
 * The audit and the history index of a running Worker, as its operator reads them with the commands: tool calls,
 * refused and abandoned calls, revoked grants, and the progress of the index.
 */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { grant } from "../../scripts/operator/operator-client.ts";
import { inProject } from "../../scripts/project.ts";
import { type KeptEntry, keptEntry } from "../../src/activity-log/entry.ts";
import { indexReport } from "../../src/history/report/index-report.ts";
import { type AgentClient, connectModern } from "../support/agent-client.ts";
import { mcpPost, toolCall } from "../support/mcp-post.ts";
import { signIn, type TestOAuthClient } from "../support/oauth-client.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { OPERATOR_TOKEN, PASSPHRASE, SERVICE_TOKEN } from "../support/test-worker.ts";

const REQUEST_ID = "req-deep-failure";

const server = useRecordedWorker();
let client: AgentClient;

beforeAll(async () => {
  client = await connectModern(server.worker.mcpUrl, SERVICE_TOKEN, "auto");
});
afterAll(async () => {
  await client.close();
});
afterEach(() => server.n8n.faults.clear());

/** The output of a command, with its exit code. */
async function run(
  command: "audit" | "users" | "index" | "watch",
  args: readonly string[],
  token = OPERATOR_TOKEN,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = promisify(execFile)(
    process.execPath,
    [
      ...(command === "watch"
        ? [inProject("scripts", "watch-index.ts")]
        : [inProject("scripts", "admin.ts"), command]),
      ...["--url", server.worker.origin, ...args],
    ],
    { env: { ...process.env, N8N_OBSERVER_OPERATOR_TOKEN: token } },
  );
  return await child.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

const linesOf = (stdout: string): unknown[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

async function readAudit(...args: string[]): Promise<KeptEntry[]> {
  const { stdout } = await run("audit", ["--json", ...args]);
  return linesOf(stdout).map((line) => keptEntry.parse(line));
}

function post(token: string, name: string, args: object, signal?: AbortSignal): Promise<Response> {
  const init = mcpPost(token, toolCall(name, args));
  return fetch(server.worker.mcpUrl, { ...init, ...(signal === undefined ? {} : { signal }) });
}

/** Entries are stored after the answer, and each attempt to read them starts a process. */
const eventually = <T>(look: () => Promise<T>): Promise<T> =>
  vi.waitFor(look, { timeout: 20_000, interval: 100 });

const accessTokenOf = (signedIn: TestOAuthClient): string => signedIn.tokens()?.access_token ?? "";

describe("npm run admin audit", () => {
  test("records a trace with its user, outcome, bytes read and a digest of the request id", async () => {
    await client.call("trace_request", { requestId: REQUEST_ID });
    await client.call("get_execution", { id: "34" });
    const entries = await eventually(async () => {
      const found = await readAudit("--tool", "trace_request", "--request", REQUEST_ID);
      expect(found).toMatchObject([{ outcome: "success" }]);
      return found;
    });
    expect(entries).toMatchObject([
      { userId: "service-npm-run-ask", tool: "trace_request", ids: { requestIdDigest: expect.any(String) } },
    ]);
    expect(entries[0]).toHaveProperty("bytesRead", expect.any(Number));
    expect(entries[0]?.event === "tool_call" && entries[0].bytesRead).toBeGreaterThan(100_000);
    expect(JSON.stringify(entries)).not.toContain(REQUEST_ID);
    expect(await readAudit("--request", "req-of-nobody")).toEqual([]);
    // The operator's log has the same line.
    expect(server.worker.output()).toContain('"tool":"get_execution","ids":{"executionId":"34"}');
    const { stdout } = await run("audit", ["--since", "1h"]);
    expect(stdout).toMatch(
      /service-npm-run-ask +service-npm-run-ask +get_execution +success +executionId 34/,
    );
  });

  test("records a call whose client disconnected before the answer", async () => {
    server.n8n.faults.always({ kind: "hang" }, /executions\/33/);
    const leaving = new AbortController();
    const asked = post(SERVICE_TOKEN, "get_execution", { id: "33" }, leaving.signal).then((answer) =>
      answer.text(),
    );
    // Before the start of the call is stored.
    setTimeout(() => leaving.abort(), 100);
    await expect(asked).rejects.toThrow();
    await eventually(async () => {
      const entries = await readAudit("--tool", "get_execution");
      expect(entries.filter((entry) => "ids" in entry && entry.ids.executionId === "33")).toMatchObject([
        // On a busy machine the call has begun by then, and notices.
        { outcome: expect.stringMatching(/^(?:unfinished|INTERRUPTED)$/) },
      ]);
    });
  });

  test("refuses a wrong token, and says so", async () => {
    const { code, stdout, stderr } = await run("audit", [], `${OPERATOR_TOKEN}x`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("does not accept this token");
    expect(stderr).not.toContain(OPERATOR_TOKEN);
  });
});

describe("npm run admin index", () => {
  test("reports the progress of the index, and its requests to n8n", async () => {
    await client.call("trace_request", { requestId: REQUEST_ID });
    const [report] = linesOf((await run("index", ["--json"])).stdout).map((line) => indexReport.parse(line));
    expect(report).toMatchObject({ isWhole: true, lastFailure: null, syncedAt: expect.any(String) });
    expect(report?.costs?.people.executions).toBeGreaterThan(80);
    const { code, stdout } = await run("index", []);
    expect(code).toBe(0);
    expect(stdout).toContain(`newest known      execution ${report?.head?.id}, 20`);
    expect(stdout).toMatch(/^size +\d[\d.]* [KM]B of \d[\d.]* GB at most$/m);
    expect(stdout).not.toContain(REQUEST_ID);
  });

  test("refuses a wrong token and unknown arguments", async () => {
    expect(await run("index", [], `${OPERATOR_TOKEN}x`)).toMatchObject({ code: 1, stdout: "" });
    expect(await run("index", ["now"])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("npm run index", () => {
  test("shows the progress of the index, and ends once it is complete", async () => {
    await client.call("trace_request", { requestId: REQUEST_ID });
    const { code, stdout } = await run("watch", []);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d\d executions known, back to 20[-\d]{8} \d\d:\d\d UTC: all that n8n has\n$/);
    expect(await run("watch", [], `${OPERATOR_TOKEN}x`)).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("npm run admin users", () => {
  test("lists and revokes grants: the next call is refused, and the audit records the revocation", async () => {
    const signedIn = await signIn(server.worker.mcpUrl, PASSPHRASE, false);
    expect((await post(accessTokenOf(signedIn), "check_connection", {})).status).toBe(200);
    // A call beyond the token's scopes is refused before it runs, and recorded as well.
    expect((await post(accessTokenOf(signedIn), "search_executions", { text: "abc" })).status).toBe(403);
    await eventually(async () => {
      expect(await readAudit("--user", "owner", "--tool", "search_executions")).toMatchObject([
        { outcome: "INSUFFICIENT_SCOPE", bytesRead: 0, clientName: "n8n-observer test client" },
      ]);
    });

    const listed = linesOf((await run("users", ["--json"])).stdout).map((line) => grant.parse(line));
    expect(listed).toMatchObject([
      { userId: "owner", clientName: "n8n-observer test client", scopes: ["n8n:read"] },
    ]);
    expect(listed[0]?.lastUsedAt).not.toBeNull();
    const grantId = listed[0]?.grantId ?? "";
    expect(await run("users", ["revoke", grantId])).toMatchObject({
      code: 0,
      stdout: `Revoked grant ${grantId} of owner.\n`,
    });
    expect((await post(accessTokenOf(signedIn), "check_connection", {})).status).toBe(401);
    expect((await run("users", ["revoke", grantId])).code).toBe(1);
    expect((await run("users", [])).stdout).toContain("Nobody is signed in");
    await eventually(async () => {
      expect(
        (await readAudit()).filter((entry) => entry.event === "sign_in" && entry.grantId === grantId),
      ).toMatchObject([
        { outcome: "token_issued" },
        { outcome: "revoked", via: "operator", userId: "owner" },
      ]);
    });
  });
});
