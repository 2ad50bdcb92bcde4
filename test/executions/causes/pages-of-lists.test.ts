/** What is a page of a list, of which there are more, and what only sounds like one. */
import { describe, expect, test } from "vitest";
import { ACCUSES, explain, told } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const HTTP = "n8n-nodes-base.httpRequest";

const start = (...jsons: unknown[]): Step => ({
  name: "Webhook",
  type: "n8n-nodes-base.webhook",
  parameters: { httpMethod: "POST", path: "orders", options: {} },
  sent: [jsons],
});

describe("an order, which is no page", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ sku: `A${index}`, pieces: 1 }));
  const order = (count: number, total: number): Step[] => [
    start({ id: 1 }),
    {
      name: "Get order",
      type: HTTP,
      parameters: { url: "=https://shop/orders/{{ $json.id }}" },
      sent: [[{ id: 1, lines: lines(count), total }]],
    },
    {
      name: "Store",
      type: "n8n-nodes-base.dataTable",
      parameters: { columns: { mappingMode: "autoMapInputData" } },
      sent: [[{ id: 1 }]],
    },
  ];

  test("its total is an amount: five lines for 250 are all of them", () => {
    expect(told(order(5, 250), order(2, 90), order(3, 120))).not.toMatch(ACCUSES);
  });

  test("its total is an amount, also where no success is known", () => {
    const { finding } = explain(steppedExecution(order(5, 250)));
    expect(finding.sentence).not.toContain("there are more");
  });
});

describe("a thing that has pages", () => {
  test("is no page of a list: the first volume of a book", () => {
    const steps: Step[] = [
      start({ isbn: "1" }),
      {
        name: "Get book",
        type: HTTP,
        parameters: { url: "=https://books/{{ $json.isbn }}" },
        sent: [[{ title: "Faust", number: 1, pages: 320 }]],
      },
    ];
    expect(told(steps)).not.toContain("there are more");
  });
});

describe("a page that a service gives with its next and previous post", () => {
  test("is no page of a list", () => {
    const read = (next: object | null): Step[] => [
      start({ slug: "a" }),
      {
        name: "Get post",
        type: HTTP,
        parameters: { url: "=https://blog/{{ $json.slug }}" },
        sent: [[{ id: 1, title: "A", html: "<p>a</p>", next, previous: { slug: "z" } }]],
      },
      {
        name: "Mail",
        type: "n8n-nodes-base.emailSend",
        parameters: { subject: "={{ $json.title }}", html: "={{ $json.html }}" },
        sent: [[{ messageId: "m" }]],
      },
    ];
    expect(told(read({ slug: "b" }), read(null))).not.toMatch(ACCUSES);
  });
});

test("a list of a round length, beside a larger total, is a page whatever else the answer says", () => {
  const data = Array.from({ length: 100 }, (_, id) => ({ id }));
  const list = { name: "List", type: HTTP, parameters: { url: "https://a" } };
  const note = { name: "Note", type: "n8n-nodes-base.set", parameters: {}, sent: [[{ a: 1 }]] };
  const answer = { success: true, total: 250, data, took: 4 };
  expect(told([start({}), { ...list, sent: [[answer]] }, note])).toContain("total");
});
