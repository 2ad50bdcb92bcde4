/** The lists of who may sign in and who may see data. */
import { describe, expect, test } from "vitest";
import { readAccessSettings } from "../../src/settings/index.ts";
import { expectProblem, problemOf } from "../support/setting-problems.ts";

const ID = "11111111-2222-3333-4444-555555555555";

test("the lists are empty by default", () => {
  const nobody = { emails: [], emailDomains: [], groups: [], objectIds: [] };
  expect(readAccessSettings({})).toEqual({ allowed: nobody, data: nobody });
});

describe.each(["ALLOWED", "DATA"] as const)("%s", (prefix) => {
  const rules = (settings: Record<string, string>) => {
    const { allowed, data } = readAccessSettings(settings);
    return prefix === "ALLOWED" ? allowed : data;
  };

  test("consists of four lists, separated by commas, semicolons or new lines", () => {
    expect(
      rules({
        [`${prefix}_EMAILS`]: "Ada@Example.com, grace@example.com",
        [`${prefix}_EMAIL_DOMAINS`]: "Example.com;example.org",
        [`${prefix}_GROUPS`]: "/staff/Engineering\nOn Call",
        [`${prefix}_OBJECT_IDS`]: `${ID}/${ID}`,
      }),
    ).toEqual({
      emails: ["ada@example.com", "grace@example.com"],
      emailDomains: ["example.com", "example.org"],
      groups: ["/staff/Engineering", "On Call"],
      objectIds: [`${ID}/${ID}`],
    });
  });

  test.each([
    ["EMAILS", "example.com"],
    ["EMAILS", "*@example.com"],
    ["EMAILS", "Hunter <hunter2@example.com>"],
    ["EMAILS", "hunter2@ex\u0430mple.com"],
    ["EMAIL_DOMAINS", "@hunter2.com"],
    ["EMAIL_DOMAINS", "*.hunter2.com"],
    ["EMAIL_DOMAINS", "*"],
    ["EMAIL_DOMAINS", "com"],
    ["EMAIL_DOMAINS", "https://hunter2.com"],
    ["EMAIL_DOMAINS", "hunter2\u3002com"],
    ["GROUPS", "x".repeat(257)],
    ["OBJECT_IDS", ID],
    ["OBJECT_IDS", `${ID}/*`],
    ["OBJECT_IDS", `${ID}:${ID}`],
  ])("%s with %j is refused with its number, and grants nothing", (list, entry) => {
    const good: Record<string, string> = {
      EMAILS: "ada@example.com",
      EMAIL_DOMAINS: "example.com",
      GROUPS: "staff",
      OBJECT_IDS: `${ID}/${ID}`,
    };
    const read = () => readAccessSettings({ [`${prefix}_${list}`]: `${good[list]}, ${entry}` });
    expectProblem(read, `${prefix}_${list}`, "hunter2");
    expect(problemOf(read).message).toContain("number 2");
  });

  test("a list of more than a thousand entries is refused", () => {
    const groups = Array.from({ length: 1001 }, (_, index) => `g${index}`).join(",");
    expectProblem(() => readAccessSettings({ [`${prefix}_GROUPS`]: groups }), `${prefix}_GROUPS`);
  });
});
