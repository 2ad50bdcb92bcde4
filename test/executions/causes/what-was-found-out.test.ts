/** What a service found out is its answer, not its failure; and what an answer says of itself that is one. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../../src/executions/causes/execution-view.ts";
import { factsOf } from "../../../src/executions/causes/explain.ts";
import { HTTP, posting, SET, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, told } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const note: Step = {
  name: "Note",
  type: SET,
  parameters: { assignments: { assignments: [] } },
  sent: [[{ a: 1 }]],
};
const asked = (answer: unknown, method = "POST"): Step[] => [
  {
    name: "Webhook",
    type: "n8n-nodes-base.webhook",
    parameters: { httpMethod: "POST", path: "p", options: {} },
    sent: [[{ id: 1, text: "hi" }]],
  },
  {
    name: "Ask",
    type: "n8n-nodes-base.httpRequest",
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

function toldOf(now: unknown, before: unknown, method = "POST"): string {
  return told(asked(now, method), asked(before, method), asked(before, method));
}

describe("an answer with a word of failure, of which all is kept, is no failure", () => {
  test.each<[string, object, object]>([
    ["a model that classified a ticket", { label: "error", score: 0.9 }, { label: "question", score: 0.8 }],
    ["a translation", { text: "error" }, { text: "hello" }],
    [
      "a rule that says how severe an event is",
      { id: 1, level: "error", rule: "disk" },
      { id: 1, level: "info", rule: "disk" },
    ],
    ["a ticket of a kind", { id: 3, type: "failure", title: "x" }, { id: 2, type: "question", title: "y" }],
    [
      "a check of an address",
      { mail: "a@b.c", result: "undeliverable" },
      { mail: "a@b.c", result: "deliverable" },
    ],
    ["a check of a credit", { result: "rejected", limit: 0 }, { result: "accepted", limit: 100 }],
  ])("%s", (_name, now, before) => {
    expect(toldOf(now, before)).not.toMatch(ACCUSES);
  });

  test.each<[string, object, object]>([
    ["a coupon", { code: "X", status: "expired" }, { code: "X", status: "active" }],
    ["a customer", { id: 1, status: "inactive" }, { id: 1, status: "active" }],
  ])("nor is a record that was read: %s", (_name, now, before) => {
    expect(toldOf(now, before, "GET")).not.toMatch(ACCUSES);
  });
});

test("rows that an import skipped are not called an error", () => {
  expect(toldOf({ created: 3, skipped: 2, errors: 0 }, { created: 3, skipped: 0, errors: 0 })).not.toContain(
    "reports an error",
  );
});

test("the tests that a run of tests failed are what was asked for", () => {
  expect(toldOf({ run: 1, passed: 10, failed: 2 }, { run: 1, passed: 12, failed: 0 }, "GET")).not.toMatch(
    ACCUSES,
  );
});

test("a record that was read is no answer that refuses: an order that was cancelled", () => {
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
  expect(told(read("cancelled"), read("paid"), read("paid"))).not.toMatch(ACCUSES);
});

describe("an answer that only sounds like a failure", () => {
  test("an alert that nobody has acknowledged yet was read well", () => {
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
    expect(told(steps)).not.toMatch(ACCUSES);
  });

  test("a report that lists what bounced was read well", () => {
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
    expect(told(steps)).not.toMatch(ACCUSES);
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

  test.each(["reject", false])("that hands on a rejection (%s) has not been refused", (decision) => {
    const [before, other] = [decided("approve", "approved"), decided(true, "approved")];
    expect(told(decided(decision, "rejected"), before, other)).not.toMatch(ACCUSES);
  });

  test.each<[object, string]>([
    [{ rejected: true }, "rejected"],
    [{ approved_by_manager: false }, "declined"],
  ])("that hands on a flag %j has not been refused", (flag, status) => {
    const of = (json: object, state: string): Step[] => [
      webhook({ id: 1, ...json }),
      posting([{ status: state }]),
    ];
    expect(told(of(flag, status), of({}, "approved"), of({}, "approved"))).not.toMatch(ACCUSES);
  });

  test("in which the service rejects what was approved is told", () => {
    const before = decided("approve", "approved");
    expect(told(decided("approve", "rejected"), before, before)).toMatch(ACCUSES);
  });
});

describe("a search by POST", () => {
  test("finds rows that hold errors, which are what was asked for", () => {
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
    expect(told(steps)).not.toMatch(/^(?:likely|exact)/m);
  });
});

describe("a web page that was asked for", () => {
  test("and is read by the HTML node all went well with", () => {
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
    expect(told(page)).not.toContain("does not say that all went well");
  });
});

test("a mild report of the first item does not hide a failure of the second", () => {
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
  expect(told(steps)).toMatch(ACCUSES);
});

describe("a model's answer that was cut off", () => {
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
  ])("by the OpenAI node is told: %s", (_name, version, answer) => {
    expect(told(openAi(version, answer))).not.toContain("No problem is visible");
  });
});

test("ten requests with 25 long items each are judged in less than two seconds, beside two successes", () => {
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
  const began = performance.now();
  factsOf(view);
  expect(performance.now() - began).toBeLessThan(2_000);
}, 60_000);

test("a mutation of GraphQL that names the errors it asks for, and gets some, has failed", () => {
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
  expect(told(steps([{ message: "Price is too low" }]), steps([]), steps([]))).toContain("reports an error");
});

describe("an answer that refuses, where the successes' did not", () => {
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
    "is no refusal that was decided before, whatever the fields of an order are called: %s",
    (status) => {
      expect(told(of(status), of("active"), of("active"))).toMatch(ACCUSES);
    },
  );
});

describe("what runs a workflow, a function or a job", () => {
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
  ])("looks up no record: %s with %j answers %j", (type, parameters, now, before) => {
    const usual = run(type, parameters, before);
    expect(told(run(type, parameters, now), usual, usual)).toMatch(ACCUSES);
    expect(told(run(type, parameters, now))).not.toMatch(ACCUSES);
  });
});

test.each([
  ["code", "DECLINED", "OK"],
  ["approval", "denied", "granted"],
])("a %s says what became of a request", (name, now, before) => {
  const of = (word: string): Step[] => [webhook({ id: 1 }), posting([{ [name]: word }]), note];
  expect(told(of(now), of(before), of(before))).toMatch(ACCUSES);
});

describe("a request for data that was answered with a word of failure", () => {
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
  ])("failed if all data is missing that the successes were given: %j", (answer) => {
    expect(told(rates(answer), usual, usual)).toMatch(ACCUSES);
  });

  test("may have found a job that failed", () => {
    const done = rates({ id: 7, status: "done", error: null, result: { a: 1 } });
    const failed = rates({ id: 7, status: "failed", error: "disk full", result: null });
    expect(told(failed, done, done)).not.toMatch(ACCUSES);
  });

  test("failed if a text says so, whatever word is in the address", () => {
    const parameters = { url: "https://a/data/export" };
    const get: Step = { name: "Get", type: HTTP, parameters, sent: [[{ data: "ERROR: no such device" }]] };
    expect(told([webhook({ id: 1 }), get, note])).toMatch(ACCUSES);
  });
});

describe("a list in an answer", () => {
  test.each([
    { Messages: [{ Status: "error", Errors: [{ ErrorMessage: "bad address" }] }] },
    { Invoices: [{ InvoiceID: "1", ValidationErrors: [{ Message: "no such account" }] }] },
    { BatchItemResponse: [{ Fault: { Error: [{ Message: "duplicate" }] } }] },
    { choices: [{ index: 0, finish_reason: "length", message: { content: "a" } }] },
  ])("says what became of each part of what was to be done: %j", (answer) => {
    expect(told([webhook({ id: 1 }), posting([answer]), note])).toMatch(ACCUSES);
  });

  test("holds rows that were asked for, if it is one of the data", () => {
    const jobs = { data: { jobs: [{ id: 1, errors: ["x"] }] } };
    expect(told([webhook({ id: 1 }), posting([jobs]), note])).not.toMatch(ACCUSES);
  });
});
