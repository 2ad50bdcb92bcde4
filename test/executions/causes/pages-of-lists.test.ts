/** Which answers are one page of a longer list, and which only look like one. */
import { describe, expect, test } from "vitest";
import { HTTP, webhook } from "../../support/everyday-steps.ts";
import { ACCUSES, explain, findings } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

describe("an order is not taken for a page of a list", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ sku: `A${index}`, pieces: 1 }));
  const order = (count: number, total: number): Step[] => [
    webhook({ id: 1 }),
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

  test("as its total is an amount: five lines for 250 are all of them", () => {
    expect(findings(order(5, 250), order(2, 90), order(3, 120))).not.toMatch(ACCUSES);
  });

  test("as its total is an amount, even if no success is known", () => {
    const { finding } = explain(steppedExecution(order(5, 250)));
    expect(finding.sentence).not.toContain("there are more");
  });
});

test("a book with a number of pages is not taken for a page of a list", () => {
  const steps: Step[] = [
    webhook({ isbn: "1" }),
    {
      name: "Get book",
      type: HTTP,
      parameters: { url: "=https://books/{{ $json.isbn }}" },
      sent: [[{ title: "Faust", number: 1, pages: 320 }]],
    },
  ];
  expect(findings(steps)).not.toContain("there are more");
});

test("a post with links to the next and previous one is not taken for a page of a list", () => {
  const read = (next: object | null): Step[] => [
    webhook({ slug: "a" }),
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
  expect(findings(read({ slug: "b" }), read(null))).not.toMatch(ACCUSES);
});

test("a list of round length beside a larger total is a page, whatever else the answer holds", () => {
  const data = Array.from({ length: 100 }, (_, id) => ({ id }));
  const list = { name: "List", type: HTTP, parameters: { url: "https://a" } };
  const note = { name: "Note", type: "n8n-nodes-base.set", parameters: {}, sent: [[{ a: 1 }]] };
  const answer = { success: true, total: 250, data, took: 4 };
  expect(findings([webhook({}), { ...list, sent: [[answer]] }, note])).toContain("total");
});
