/** A result that a service found is not its failure; and responses that do report a failure. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { HTTP, posting, SET, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, findings } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const note: Step = {
  name: "Note",
  type: SET,
  parameters: { assignments: { assignments: [] } },
  sent: [[{ a: 1 }]],
};
const asked = (answer: unknown, method = "POST"): Step[] => [
  webhook({ id: 1, text: "hi" }),
  {
    name: "Ask",
    type: HTTP,
    parameters: { method, url: "=https://a/{{ $json.id }}" },
    sent: [[answer]],
  },
  {
    name: "Keep",
    type: "n8n-nodes-base.postgres",
    parameters: { operation: "upsert", columns: { mappingMode: "autoMapInputData" } },
    sent: [[answer]],
  },
];

function findingsAfter(now: unknown, before: unknown, method = "POST"): string {
  return findings(asked(now, method), asked(before, method), asked(before, method));
}

describe("a result with a word of failure, stored as a whole, is not reported as a failure", () => {
  test.each<[string, object, object]>([
    ["the class of a ticket by a model", { label: "error", score: 0.9 }, { label: "question", score: 0.8 }],
    ["a translation", { text: "error" }, { text: "hello" }],
    [
      "the severity of an event by a rule",
      { id: 1, level: "error", rule: "disk" },
      { id: 1, level: "info", rule: "disk" },
    ],
    ["the type of a ticket", { id: 3, type: "failure", title: "x" }, { id: 2, type: "question", title: "y" }],
    [
      "the check of an address",
      { mail: "a@b.c", result: "undeliverable" },
      { mail: "a@b.c", result: "deliverable" },
    ],
    ["the check of a credit", { result: "rejected", limit: 0 }, { result: "accepted", limit: 100 }],
  ])("%s", (_name, now, before) => {
    expect(findingsAfter(now, before)).not.toMatch(ACCUSES);
  });

  test.each<[string, object, object]>([
    ["a coupon", { code: "X", status: "expired" }, { code: "X", status: "active" }],
    ["a customer", { id: 1, status: "inactive" }, { id: 1, status: "active" }],
  ])("nor is a record that was read: %s", (_name, now, before) => {
    expect(findingsAfter(now, before, "GET")).not.toMatch(ACCUSES);
  });
});

test("rows skipped by an import are not reported as an error", () => {
  expect(
    findingsAfter({ created: 3, skipped: 2, errors: 0 }, { created: 3, skipped: 0, errors: 0 }),
  ).not.toContain("reports an error");
});

test("failed tests in a test run's report are not reported as a failure", () => {
  expect(
    findingsAfter({ run: 1, passed: 10, failed: 2 }, { run: 1, passed: 12, failed: 0 }, "GET"),
  ).not.toMatch(ACCUSES);
});

test("a cancelled order that was read is not reported as a rejection", () => {
  const read = (status: string): Step[] => [
    webhook({ id: 4 }),
    {
      name: "Get order",
      type: HTTP,
      parameters: { url: "=https://shop/orders/{{ $json.id }}" },
      sent: [[{ id: 4, status, customer: "Ada" }]],
    },
    {
      name: "Append row",
      type: "n8n-nodes-base.googleSheets",
      parameters: { operation: "append", columns: { mappingMode: "autoMapInputData" } },
      sent: [[{ id: 4, status, customer: "Ada" }]],
    },
  ];
  expect(findings(read("cancelled"), read("paid"), read("paid"))).not.toMatch(ACCUSES);
});

describe("a response that only sounds like a failure is not reported", () => {
  test("such as an alert that nobody has acknowledged", () => {
    const steps: Step[] = [
      webhook({ alert: "a-1" }),
      {
        name: "Get alert",
        type: HTTP,
        parameters: { url: "=https://api.opsgenie.com/v2/alerts/{{ $json.alert }}" },
        sent: [
          [{ data: { id: "a-1", message: "disk full", acknowledged: false, status: "open" }, took: 0.1 }],
        ],
      },
      {
        name: "Tell",
        type: "n8n-nodes-base.slack",
        parameters: { text: "={{ $json.data.message }}" },
        sent: [[{ ok: true }]],
      },
    ];
    expect(findings(steps)).not.toMatch(ACCUSES);
  });

  test("such as a report that lists bounced mails", () => {
    const report = { sent: ["a@b.c", "d@e.f"], bounced: ["g@h.i"] };
    const steps: Step[] = [
      webhook({ day: "today" }),
      { name: "Get report", type: HTTP, parameters: { url: "https://mail/report" }, sent: [[report]] },
      {
        name: "Keep",
        type: "n8n-nodes-base.dataTable",
        parameters: { columns: { mappingMode: "autoMapInputData" } },
        sent: [[{ id: 1 }]],
      },
    ];
    expect(findings(steps)).not.toMatch(ACCUSES);
  });
});

describe("an approval flow", () => {
  const decided = (decision: unknown, status: string): Step[] => [
    webhook({ id: 7, decision }),
    {
      name: "Tell HR",
      type: HTTP,
      parameters: { method: "POST", url: "=https://hr/leave/{{ $json.id }}/{{ $json.decision }}" },
      sent: [[{ id: 7, status }]],
    },
    {
      name: "Mail",
      type: "n8n-nodes-base.emailSend",
      parameters: { toEmail: "a@b.c", subject: "Your leave" },
      sent: [[{ messageId: "m" }]],
    },
  ];

  test.each(["reject", false])("that passes a rejection on (%s) is not reported", (decision) => {
    const [before, other] = [decided("approve", "approved"), decided(true, "approved")];
    expect(findings(decided(decision, "rejected"), before, other)).not.toMatch(ACCUSES);
  });

  test.each<[object, string]>([
    [{ rejected: true }, "rejected"],
    [{ approved_by_manager: false }, "declined"],
  ])("that passes the flag %j on is not reported", (flag, status) => {
    const of = (json: object, state: string): Step[] => [
      webhook({ id: 1, ...json }),
      posting([{ status: state }]),
    ];
    expect(findings(of(flag, status), of({}, "approved"), of({}, "approved"))).not.toMatch(ACCUSES);
  });

  test("in which the service rejects an approved request is reported", () => {
    const before = decided("approve", "approved");
    expect(findings(decided("approve", "rejected"), before, before)).toMatch(ACCUSES);
  });
});

describe("a search by POST", () => {
  test("is not reported as a failure if its results contain errors", () => {
    const hit = { _index: "app", _source: { service: "shop", errors: ["E42", "E43"] } };
    const steps: Step[] = [
      webhook({ since: "1h" }),
      {
        name: "Search logs",
        type: HTTP,
        parameters: {
          method: "POST",
          url: "https://es/app/_search",
          sendBody: true,
          specifyBody: "json",
          jsonBody: '{"query":{"match_all":{}}}',
        },
        sent: [
          [
            {
              took: 3,
              timed_out: false,
              _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
              hits: { total: { value: 1 }, hits: [hit] },
            },
          ],
        ],
      },
      {
        name: "Report",
        type: "n8n-nodes-base.code",
        parameters: {
          jsCode: "const found = $input.first().json.hits.hits;\nreturn [{ json: { count: found.length } }];",
        },
        sent: [[{ count: 1 }]],
      },
    ];
    expect(findings(steps)).not.toMatch(ACCUSES);
  });
});

describe("a requested web page", () => {
  test("is not reported if the HTML node reads it", () => {
    const page: Step[] = [
      { name: "Schedule", type: "n8n-nodes-base.scheduleTrigger", parameters: {}, sent: [[{}]] },
      {
        name: "Page",
        type: "n8n-nodes-base.httpRequest",
        parameters: { url: "https://a" },
        sent: [[{ data: "<!doctype html><html><body><h1>x</h1></body></html>" }]],
      },
      {
        name: "HTML",
        type: "n8n-nodes-base.html",
        parameters: {
          operation: "extractHtmlContent",
          extractionValues: { values: [{ key: "title", cssSelector: "h1" }] },
          options: {},
        },
        sent: [[{ title: "x" }]],
      },
    ];
    expect(findings(page)).not.toContain("does not say that all went well");
  });
});

test("a minor report in the first item does not hide a failure in the second", () => {
  const steps: Step[] = [
    webhook({ id: 1 }, { id: 2 }),
    posting([
      { done: true, skipped: 1 },
      { success: false, error: "no stock" },
    ]),
    {
      name: "Note",
      type: SET,
      parameters: { assignments: { assignments: [] } },
      sent: [[{ a: 1 }, { a: 1 }]],
    },
  ];
  expect(findings(steps)).toMatch(ACCUSES);
});

describe("a model's truncated answer", () => {
  const openAi = (typeVersion: number, answer: object): Step[] => [
    webhook({ text: "a long story" }),
    {
      name: "Message a model",
      type: "@n8n/n8n-nodes-langchain.openAi",
      settings: { typeVersion },
      parameters: {
        modelId: { __rl: true, value: "gpt-4o", mode: "list" },
        messages: { values: [{ content: "={{ $json.text }}" }] },
        options: { maxTokens: 50 },
      },
      sent: [[answer]],
    },
    {
      name: "Mail",
      type: "n8n-nodes-base.emailSend",
      parameters: {
        toEmail: "a@b.c",
        text: typeVersion < 2 ? "={{ $json.message.content }}" : "={{ $json.output[0].content[0].text }}",
      },
      sent: [[{ messageId: "m" }]],
    },
  ];

  test.each<[string, number, object]>([
    [
      "of a chat",
      1.8,
      {
        index: 0,
        message: { role: "assistant", content: "Once upon", refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "length",
      },
    ],
    [
      "of the Responses API",
      2,
      {
        output: [
          {
            id: "m1",
            type: "message",
            status: "incomplete",
            role: "assistant",
            content: [{ type: "output_text", text: "Once upon" }],
          },
        ],
      },
    ],
  ])("is reported for the OpenAI node: %s", (_name, version, answer) => {
    expect(findings(openAi(version, answer))).not.toContain("No problem is visible");
  });
});

test("ten requests with 25 long items are compared with two successes within two seconds", () => {
  const row = Object.fromEntries(
    Array.from({ length: 80 }, (_, column) => [`c${column}`, `v${column}`.padEnd(390, "x")]),
  );
  const rows = Array.from({ length: 25 }, (_, id) => ({ ...row, id }));
  const steps = [
    webhook(...rows),
    ...Array.from({ length: 10 }, (_, k) =>
      posting(
        rows.map((each) => ({ ...each, k })),
        `Post ${k}`,
      ),
    ),
  ];
  const successes = ["6", "5"].map((id) => viewOf(steppedExecution(steps, { id })));
  const view = viewOf(steppedExecution(steps), { successes });
  expect(threadSeconds(() => factsOf(view))).toBeLessThan(2);
}, 60_000);

test("a GraphQL mutation that requests userErrors and gets some has failed", () => {
  const query = "mutation($id: ID!) { productUpdate(id: $id) { product { id } userErrors { message } } }";
  const steps = (userErrors: unknown[]): Step[] => [
    webhook({ id: 1 }),
    {
      name: "Update",
      type: "n8n-nodes-base.graphql",
      parameters: { endpoint: "https://shop/graphql", query },
      sent: [[{ data: { productUpdate: { product: null, userErrors } } }]],
    },
  ];
  expect(findings(steps([{ message: "Price is too low" }]), steps([]), steps([]))).toContain(
    "reports an error",
  );
});

describe("a rejection that the last successes did not have", () => {
  const of = (status: string): Step[] => [
    webhook({
      id: 1,
      buyer_accepts_marketing: false,
      cancel_url: "https://shop/back",
      expires_at: "2027-01-01",
      invalid_count: 0,
    }),
    posting([{ id: 9, status }]),
    note,
  ];

  test.each(["rejected", "expired", "canceled", "invalid"])(
    "is not taken for an earlier decision because of similar field names: %s",
    (status) => {
      expect(findings(of(status), of("active"), of("active"))).toMatch(ACCUSES);
    },
  );
});

describe("a node that runs a workflow, a function or a job", () => {
  const run = (type: string, parameters: object, answer: object): Step[] => [
    webhook({ id: 1 }),
    { name: "Do", type: `n8n-nodes-base.${type}`, parameters, sent: [[answer]] },
    note,
  ];

  test.each<[string, object, object, object]>([
    ["executeWorkflow", {}, { id: 4, status: "failed" }, { id: 3, status: "done" }],
    ["executeWorkflow", {}, { id: 4, success: false }, { id: 3, success: true }],
    ["awsLambda", {}, { id: 4, status: "failed" }, { id: 3, status: "done" }],
    ["jenkins", { operation: "trigger" }, { id: 4, status: "failed" }, { id: 3, status: "done" }],
  ])("reports a failure, not a record: %s with %j answers %j", (type, parameters, now, before) => {
    const usual = run(type, parameters, before);
    expect(findings(run(type, parameters, now), usual, usual)).toMatch(ACCUSES);
    expect(findings(run(type, parameters, now))).not.toMatch(ACCUSES);
  });
});

test.each([
  ["code", "DECLINED", "OK"],
  ["approval", "denied", "granted"],
])("a %s in the response is the outcome of the request", (name, now, before) => {
  const of = (word: string): Step[] => [webhook({ id: 1 }), posting([{ [name]: word }]), note];
  expect(findings(of(now), of(before), of(before))).toMatch(ACCUSES);
});

describe("a read request whose response has a word of failure", () => {
  const rates = (answer: object): Step[] => [
    webhook({ id: 1 }),
    { name: "Rates", type: HTTP, parameters: { url: "https://api/rates" }, sent: [[answer]] },
    note,
  ];
  const usual = rates({ status: "ok", rates: { usd: 1 } });

  test.each([
    { status: "error", message: "Invalid API key" },
    { status: "error", error: "Invalid API key" },
    { status: "fail", message: "reserved range" },
    { status: "REQUEST_DENIED", error_message: "The key is expired", results: [] },
  ])("failed if it lacks all data that the successes got: %j", (answer) => {
    expect(findings(rates(answer), usual, usual)).toMatch(ACCUSES);
  });

  test("may have read a job that failed", () => {
    const done = rates({ id: 7, status: "done", error: null, result: { a: 1 } });
    const failed = rates({ id: 7, status: "failed", error: "disk full", result: null });
    expect(findings(failed, done, done)).not.toMatch(ACCUSES);
  });

  test("failed if its text says so, whatever word the URL contains", () => {
    const parameters = { url: "https://a/data/export" };
    const get: Step = { name: "Get", type: HTTP, parameters, sent: [[{ data: "ERROR: no such device" }]] };
    expect(findings([webhook({ id: 1 }), get, note])).toMatch(ACCUSES);
  });
});

describe("a list in a response", () => {
  test.each([
    { Messages: [{ Status: "error", Errors: [{ ErrorMessage: "bad address" }] }] },
    { Invoices: [{ InvoiceID: "1", ValidationErrors: [{ Message: "no such account" }] }] },
    { BatchItemResponse: [{ Fault: { Error: [{ Message: "duplicate" }] } }] },
    { choices: [{ index: 0, finish_reason: "length", message: { content: "a" } }] },
  ])("holds the outcome of each part of a request: %j", (answer) => {
    expect(findings([webhook({ id: 1 }), posting([answer]), note])).toMatch(ACCUSES);
  });

  test("holds requested rows if it is below data", () => {
    const jobs = { data: { jobs: [{ id: 1, errors: ["x"] }] } };
    expect(findings([webhook({ id: 1 }), posting([jobs]), note])).not.toMatch(ACCUSES);
  });
});
