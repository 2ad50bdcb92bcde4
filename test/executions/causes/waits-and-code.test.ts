/** What a Wait waited for, and what code does: what was commented out does nothing. */
import { describe, expect, test } from "vitest";
import { Omitted } from "../../../src/json/omitted.ts";
import { ACCUSES, explain, told } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const HTTP = "n8n-nodes-base.httpRequest";

const start = (...jsons: unknown[]): Step => ({
  name: "Webhook",
  type: "n8n-nodes-base.webhook",
  parameters: { httpMethod: "POST", path: "orders", options: {} },
  sent: [jsons],
});
const code = (jsCode: string, sent: unknown[]): Step => ({
  name: "Code",
  type: "n8n-nodes-base.code",
  settings: { typeVersion: 2 },
  parameters: { jsCode },
  sent: [sent],
});

/** The run that n8n keeps of a Wait begins when it goes on: the one that was put to wait is taken away. */
describe("a Wait until a time", () => {
  const waited = (
    dateTime: string,
    json: unknown,
    reached: string,
    wentOn: string,
    settings: object = {},
  ): string => {
    const steps: Step[] = [
      start(json),
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

  test("that is worked out from a time that is past is not past itself", () => {
    const createdAt = "2026-09-21T13:00:00.000Z";
    const dateTime = "={{ DateTime.fromISO($json.createdAt).plus({ days: 1 }) }}";
    expect(
      waited(dateTime, { createdAt }, "2026-09-21T13:05:00.000Z", "2026-09-22T13:00:00.050Z"),
    ).not.toContain("did not wait");
  });

  test("that names no zone is one of the workflow's zone", () => {
    // 12:00 in New York is 16:00Z.
    const json = { at: "2026-09-21T12:00:00" };
    const settings = { timezone: "America/New_York" };
    expect(
      waited("={{ $json.at }}", json, "2026-09-21T14:00:00.000Z", "2026-09-21T16:00:00.050Z", settings),
    ).not.toContain("did not wait");
  });

  test("was waited for, though n8n went on some minutes after it", () => {
    const json = { at: "2026-09-21T14:10:00.000Z" };
    expect(
      waited("={{ $json.at }}", json, "2026-09-21T13:10:00.000Z", "2026-09-21T14:13:20.000Z"),
    ).not.toContain("did not wait");
  });

  test("control: a time that was past when the execution began was not waited for", () => {
    const json = { at: "2026-09-21T14:00:00.000Z" };
    expect(waited("={{ $json.at }}", json, "2026-09-21T14:13:20.000Z", "2026-09-21T14:13:20.010Z")).toContain(
      "did not wait",
    );
  });
});

describe("what was commented out of code", () => {
  test.each([
    ["a strict comparison", "// if ($json.code === 200) return [];\nreturn $input.all();", { code: "200" }],
    ["a default", "// const pieces = $json.code || 5;\nreturn $input.all();", { code: 0 }],
    ["a truth", "// if (!$json.code) return [];\nreturn $input.all();", { code: "false" }],
  ])("does nothing: %s", (_name, jsCode, json) => {
    expect(told([start(json), code(jsCode, [json])])).not.toMatch(ACCUSES);
  });
});

describe("code", () => {
  test("that was commented out starts no request", () => {
    const jsCode =
      "/*\nconst answer = this.helpers.httpRequest({ url: 'https://shop/old' });\n*/\nreturn $input.all();";
    expect(told([start({ id: 1 }), code(jsCode, [{ id: 1 }])])).not.toMatch(ACCUSES);
  });

  test("that collects promises in a loop and awaits them with for await has awaited them", () => {
    const jsCode =
      "const answers = [];\nfor (const item of $input.all()) {\n  const pending = this.helpers.httpRequest({ url: item.json.url });\n  answers.push(pending);\n}\nconst out = [];\nfor await (const answer of answers) out.push({ json: answer });\nreturn out;";
    expect(told([start({ url: "https://a" }), code(jsCode, [{ ok: 1 }])])).not.toMatch(ACCUSES);
  });
});

describe("code that takes the newest of several rows", () => {
  const found = (rows: unknown[]): Step[] => [
    start({ mail: "a@b.c" }),
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

  test("does what it is there for, though there was only one row before", () => {
    expect(told(found([{ id: 3 }, { id: 2 }, { id: 1 }]), found([{ id: 1 }]))).not.toMatch(ACCUSES);
  });
});
