/** The operator endpoints: no access without the token, and nothing there unless it is set. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { OPERATOR_TOKEN, PASSPHRASE, PUBLIC_URL, SERVICE_TOKEN } from "../secrets.ts";
import { callMcp, callTool, obtainAccessToken } from "../sign-in/client.ts";
import { askOperator, findEntry, readAudit, readLines, send, sendWith } from "./client.ts";

afterEach(() => reset());

const PATHS = ["audit", "index", "grants/list", "grants/revoke"];

describe("while OPERATOR_TOKEN_SHA256 is not set", () => {
  const UNSET = { OPERATOR_TOKEN_SHA256: "" };

  test.each([...PATHS, "", "other"])("/operator/%s does not exist, whatever is sent", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await sendWith(UNSET, askOperator(path, {}, { method }));
      const nowhere = await sendWith(UNSET, new Request(`${PUBLIC_URL}/nowhere`, { method }));
      expect(response.status).toBe(404);
      expect(await response.text()).toBe(await nowhere.text());
    }
  });
});

test("a malformed hash admits nobody", async () => {
  for (const hash of ["abc", OPERATOR_TOKEN, "0".repeat(63)]) {
    const response = await sendWith({ OPERATOR_TOKEN_SHA256: hash }, askOperator("audit"));
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain(hash);
  }
});

describe("without the token", () => {
  const hash = String(Reflect.get(env, "OPERATOR_TOKEN_SHA256"));

  test.each([
    ["no token", ""],
    ["a wrong one", `Bearer ${OPERATOR_TOKEN}x`],
    ["its beginning", `Bearer ${OPERATOR_TOKEN.slice(0, -1)}`],
    ["its hash", `Bearer ${hash}`],
    ["a service token", `Bearer ${SERVICE_TOKEN.readAndData}`],
    ["the passphrase", `Bearer ${PASSPHRASE}`],
    ["another scheme", `Basic ${btoa(`operator:${OPERATOR_TOKEN}`)}`],
  ])("with %s nothing is revealed, and the attempt is logged", async (_what, authorization) => {
    for (const path of PATHS) {
      const response = await send(askOperator(path, {}, { headers: { Authorization: authorization } }));
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain("grant");
    }
    expect(await findEntry({ outcome: "refused", via: "operator" })).toEqual({
      event: "sign_in",
      time: expect.any(String),
      outcome: "refused",
      via: "operator",
    });
  });

  test("a user's access token does not count", async () => {
    const token = await obtainAccessToken();
    const response = await send(askOperator("audit", {}, { headers: { Authorization: `Bearer ${token}` } }));
    expect(response.status).toBe(401);
  });

  test("a short token does not count, even if its hash is set", async () => {
    const short = "a-short-token";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(short));
    const settings = { OPERATOR_TOKEN_SHA256: Buffer.from(digest).toString("hex") };
    const headers = { Authorization: `Bearer ${short}` };
    expect((await sendWith(settings, askOperator("audit", {}, { headers }))).status).toBe(401);
  });

  test("a token in the address does not count", async () => {
    const request = askOperator(
      `audit?access_token=${OPERATOR_TOKEN}`,
      {},
      { headers: { Authorization: "" } },
    );
    expect((await send(request)).status).toBe(401);
  });
});

describe("with the token", () => {
  test("only POST is accepted", async () => {
    for (const path of PATHS) {
      for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
        expect((await send(askOperator(path, {}, { method }))).status).toBe(404);
    }
  });

  test("a web page gets no access, not even by CORS", async () => {
    const response = await send(askOperator("audit", {}, { headers: { Origin: PUBLIC_URL } }));
    expect(response.status).toBe(403);
    const fine = await send(askOperator("audit"));
    expect(fine.headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(fine.headers.get("Set-Cookie")).toBeNull();
    expect(fine.headers.get("Cache-Control")).toBe("no-store");
  });

  test.each([
    ["a cursor in words", { cursor: "next" }],
    ["a cursor with SQL", { cursor: "1.1) OR 1=1 --" }],
    ["a cursor that is too long", { cursor: `${"9".repeat(40)}.1` }],
    ["a date in words", { since: "yesterday" }],
    ["a member that is not known", { limit: 1_000_000 }],
    ["a list", []],
  ])("%s is refused without being quoted", async (_what, body) => {
    const response = await send(askOperator("audit", body));
    expect(response.status).toBe(400);
    expect(await response.text()).not.toMatch(/OR 1=1|yesterday|9999/);
  });

  test("a form and an oversized body are refused", async () => {
    const headers = { "Content-Type": "text/plain" };
    expect((await send(askOperator("audit", {}, { headers }))).status).toBe(400);
    expect((await send(askOperator("audit", { userId: "x".repeat(5_000) }))).status).toBe(413);
  });

  test("it gives no access to tools", async () => {
    expect((await callMcp({ Authorization: `Bearer ${OPERATOR_TOKEN}` })).status).toBe(401);
  });

  test("an address that calls too often is limited even with the token, and another is not", async () => {
    const from = (address: string, path = "none") =>
      send(askOperator(path, {}, { headers: { "CF-Connecting-IP": address } }));
    let admitted = 0;
    while (admitted < 250 && (await from("198.51.100.1")).status === 404) admitted += 1;
    // A period may have ended meanwhile.
    expect(admitted).toBeGreaterThanOrEqual(120);
    expect(admitted).toBeLessThan(250);
    const refused = await from("198.51.100.1", "audit");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
    expect((await from("198.51.100.2", "audit")).status).toBe(200);
  }, 20_000);
});

describe("the audit log", () => {
  test("contains a sign-in from passphrase to token, and no secret", async () => {
    const token = await obtainAccessToken();
    await findEntry({ outcome: "token_issued" });
    const entries = await readAudit();
    expect(entries.map((entry) => ("outcome" in entry ? entry.outcome : entry.event))).toEqual([
      "signed_in",
      "token_issued",
    ]);
    expect(entries).toMatchObject([
      { via: "passphrase", userId: "owner", clientId: expect.any(String) },
      { userId: "owner", clientName: "Test client", grantId: token.split(":")[1] },
    ]);
    const text = JSON.stringify(entries);
    expect(text).not.toContain(PASSPHRASE);
    expect(text).not.toContain(token.split(":")[2]);
  });

  test("does not quote unknown tool names, and contains failed calls", async () => {
    const planted = "canary-0f8fad5b";
    for (const [name, args] of [
      [planted, { id: planted }],
      ["get_execution", { id: "34567" }],
    ] as const)
      await (await send(callTool(SERVICE_TOKEN.readOnly, name, args))).text();
    expect(await findEntry({ tool: "unknown", userId: "service-reader" })).toMatchObject({
      clientId: "service-reader",
      outcome: "TOOL_NOT_FOUND",
      ids: {},
    });
    expect(await findEntry({ tool: "get_execution", outcome: "EXECUTION_NOT_FOUND" })).toMatchObject({
      ids: { executionId: "34567" },
      bytesRead: 0,
    });
    expect(JSON.stringify(await readAudit())).not.toContain(planted);
  });

  test("contains each of several simultaneous calls, though they are stored together", async () => {
    const ids = ["34561", "34562", "34563"];
    await Promise.all(
      ids.map(async (id) => {
        const answer = await send(callTool(SERVICE_TOKEN.readOnly, "get_execution", { id }));
        await answer.text();
      }),
    );
    const stored = await vi.waitFor(async () => {
      const entries = (await readAudit()).filter(
        // A line of an earlier call may be stored only now.
        (entry) => !("ids" in entry) || ids.includes(entry.ids.executionId ?? ""),
      );
      if (entries.length < ids.length) throw new Error("not stored yet");
      return entries;
    });
    expect(stored.map((entry) => ("ids" in entry ? entry.ids.executionId : undefined)).toSorted()).toEqual(
      ids,
    );
    expect(stored).toMatchObject(ids.map(() => ({ outcome: "EXECUTION_NOT_FOUND" })));
  });

  test("continues from its cursor, and an invented cursor reveals no more than the window", async () => {
    await obtainAccessToken();
    const { time } = await findEntry({ outcome: "token_issued" });
    const made = `${Date.parse(time) + 1}.0`;
    expect(await readAudit({ cursor: made })).toEqual([]);
    expect(await readAudit({ cursor: "0.0", since: new Date(Date.parse(time) + 1).toISOString() })).toEqual(
      [],
    );
    expect(await readAudit({ cursor: "0.0" })).toHaveLength(2);
    const { cursor } = await readLines(await send(askOperator("audit")));
    expect(cursor).toBeNull();
  });

  test("can be filtered by user and by tool", async () => {
    await obtainAccessToken();
    await findEntry({ outcome: "token_issued" });
    expect(await readAudit({ userId: "owner" })).toHaveLength(2);
    expect(await readAudit({ userId: "someone" })).toEqual([]);
    expect(await readAudit({ tool: "get_execution" })).toEqual([]);
    expect(await readAudit({ requestId: "req-1" })).toEqual([]);
  });
});
