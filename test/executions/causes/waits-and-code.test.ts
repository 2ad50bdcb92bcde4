/** Whether a Wait node waited, and what code does apart from its comments. */
import { describe, expect, test } from "vitest";
import { Omitted } from "../../../src/json/omitted.ts";
import { code, HTTP, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, explain, findings } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

/** n8n keeps only the run that begins when a Wait resumes, and drops the run that was put to wait. */
describe("a Wait until a time", () => {
  const waited = (
    dateTime: string,
    json: unknown,
    reached: string,
    wentOn: string,
    settings: object = {},
  ): string => {
    const steps: Step[] = [
      webhook(json),
      {
        name: "Wait",
        type: "n8n-nodes-base.wait",
        settings: { typeVersion: 1.1 },
        parameters: { resume: "specificTime", dateTime },
        sent: [[json]],
      },
    ];
    const workflowData = { ...steppedExecution(steps).workflowData, settings };
    const facts = { startedAt: reached, stoppedAt: wentOn, workflowData };
    const { data, ...others } = steppedExecution(steps, facts);
    const from = (name: string, time: string) => {
      const runs = data?.resultData?.runData?.[name] ?? [];
      return runs instanceof Omitted
        ? []
        : runs.map((run) => (run instanceof Omitted ? run : { ...run, startTime: Date.parse(time) }));
    };
    const runData = { Webhook: from("Webhook", reached), Wait: from("Wait", wentOn) };
    return explain({ ...others, data: { ...data, resultData: { ...data?.resultData, runData } } }).finding
      .sentence;
  };

  test("calculated from a past time is not itself past", () => {
    const createdAt = "2026-09-21T13:00:00.000Z";
    const dateTime = "={{ DateTime.fromISO($json.createdAt).plus({ days: 1 }) }}";
    expect(
      waited(dateTime, { createdAt }, "2026-09-21T13:05:00.000Z", "2026-09-22T13:00:00.050Z"),
    ).not.toContain("did not wait");
  });

  test("without a zone is in the workflow's time zone", () => {
    // 12:00 in New York is 16:00Z.
    const json = { at: "2026-09-21T12:00:00" };
    const settings = { timezone: "America/New_York" };
    expect(
      waited("={{ $json.at }}", json, "2026-09-21T14:00:00.000Z", "2026-09-21T16:00:00.050Z", settings),
    ).not.toContain("did not wait");
  });

  test("did wait, although n8n resumed some minutes late", () => {
    const json = { at: "2026-09-21T14:10:00.000Z" };
    expect(
      waited("={{ $json.at }}", json, "2026-09-21T13:10:00.000Z", "2026-09-21T14:13:20.000Z"),
    ).not.toContain("did not wait");
  });

  test("that was past when the execution began did not wait (control)", () => {
    const json = { at: "2026-09-21T14:00:00.000Z" };
    expect(waited("={{ $json.at }}", json, "2026-09-21T14:13:20.000Z", "2026-09-21T14:13:20.010Z")).toContain(
      "did not wait",
    );
  });
});

describe("commented-out code does nothing", () => {
  test.each([
    ["a strict comparison", "// if ($json.code === 200) return [];\nreturn $input.all();", { code: "200" }],
    ["a default", "// const pieces = $json.code || 5;\nreturn $input.all();", { code: 0 }],
    ["a truth", "// if (!$json.code) return [];\nreturn $input.all();", { code: "false" }],
  ])("such as %s", (_name, jsCode, json) => {
    expect(findings([webhook(json), code(jsCode, [json])])).not.toMatch(ACCUSES);
  });
});

describe("code", () => {
  test("in a block comment starts no request", () => {
    const jsCode =
      "/*\nconst answer = this.helpers.httpRequest({ url: 'https://shop/old' });\n*/\nreturn $input.all();";
    expect(findings([webhook({ id: 1 }), code(jsCode, [{ id: 1 }])])).not.toMatch(ACCUSES);
  });

  test("that collects promises and awaits them with for await has awaited them", () => {
    const jsCode =
      "const answers = [];\nfor (const item of $input.all()) {\n  const pending = this.helpers.httpRequest({ url: item.json.url });\n  answers.push(pending);\n}\nconst out = [];\nfor await (const answer of answers) out.push({ json: answer });\nreturn out;";
    expect(findings([webhook({ url: "https://a" }), code(jsCode, [{ ok: 1 }])])).not.toMatch(ACCUSES);
  });
});

describe("code that takes the newest of several rows", () => {
  const steps = (rows: unknown[]): Step[] => [
    webhook({ mail: "a@b.c" }),
    {
      name: "Newest first",
      type: "n8n-nodes-base.postgres",
      parameters: { operation: "executeQuery", query: "SELECT * FROM tickets ORDER BY created DESC" },
      sent: [rows],
    },
    code("return [$input.first()];", [rows[0]]),
    {
      name: "Answer",
      type: HTTP,
      parameters: { method: "POST", url: "=https://a/{{ $json.id }}" },
      sent: [[{ ok: true }]],
    },
  ];

  test("is not blamed, although the last success had only one row", () => {
    expect(findings(steps([{ id: 3 }, { id: 2 }, { id: 1 }]), steps([{ id: 1 }]))).not.toMatch(ACCUSES);
  });
});
