/** The chain from a rejected or empty value to the node that made it, and to what is there instead. */
import { describe, expect, test } from "vitest";
import { comparedFacts } from "../../../src/executions/causes/compared.ts";
import { type ExplainContext, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { makerInCode } from "../../../src/executions/causes/field-makers.ts";
import { referencesIn } from "../../../src/executions/causes/field-references.ts";
import { likenessOf } from "../../../src/executions/causes/field-trace.ts";
import { resolvedFor } from "../../../src/executions/causes/parameter-reads.ts";
import { inOrder } from "../../../src/executions/causes/steps.ts";
import { toFinding } from "../../../src/executions/causes/wording/finding.ts";
import { compareExecutions } from "../../../src/executions/comparison/compare-executions.ts";
import { toErrorFacts } from "../../../src/executions/error-sentence.ts";
import type { ExecutionWithData } from "../../../src/n8n/schemas.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";
import { threadSeconds } from "../../support/thread-seconds.ts";

const BASE = "n8n-nodes-base.";
const inbound = (body: object): Step => ({ name: "Inbound", type: `${BASE}webhook`, sent: [[{ body }]] });
const set = (name: string, rows: Readonly<Record<string, string>>, ...sent: unknown[]): Step => ({
  name,
  type: `${BASE}set`,
  parameters: {
    assignments: { assignments: Object.entries(rows).map(([key, value]) => ({ name: key, value })) },
  },
  sent: [sent],
});
const refusal = (status: string) => ({
  name: "NodeApiError",
  message: "Bad request",
  httpCode: status,
  context: { itemIndex: 0 },
});
const call = (parameters: object, status: string | null): Step => ({
  name: "Create invoice",
  type: `${BASE}httpRequest`,
  parameters: { method: "POST", ...parameters },
  ...(status === null ? { sent: [[{ done: 1 }]] } : { error: refusal(status) }),
});
const successes = (...all: (readonly Step[])[]): ExplainContext => ({
  successes: all.map((steps) => viewOf(steppedExecution(steps, { id: "5" }))),
});
const trace = (steps: readonly Step[], context: ExplainContext = {}, facts = {}) =>
  explain(steppedExecution(steps, facts), context);

describe("a rejected request", () => {
  const map = set("Map fields", { customer: "={{ $json.body.customer.id }}" }, { customer: null });
  const good = set("Map fields", { customer: "={{ $json.body.customer.id }}" }, { customer: "C-1" });
  const post = { jsonBody: "={{ JSON.stringify({ customer: $json.customer }) }}" };
  const before = successes([inbound({ customer: { id: "C-1" } }), good, call(post, null)]);

  test("is explained by the field that an earlier node did not send, and what it sends instead", () => {
    const { finding, evidence } = trace(
      [inbound({ customer: { customerId: "C-2" } }), map, call(post, "400")],
      before,
    );
    expect(finding.sentence).toBe(
      '"Create invoice" was refused (400) because "Map fields" reads "body.customer.id", which "Inbound" did not send; in the last success (execution 5) it was there, and now there is "body.customer.customerId" instead.',
    );
    expect(finding.node).toBe("Inbound");
    expect(evidence.map(({ cause }) => cause)).toEqual(
      expect.arrayContaining(["http_status", "parameters", "failing_node"]),
    );
  });

  test("shows no new field that the workflow does not mention", () => {
    const { finding } = trace([inbound({ customer: { planted: "C-2" } }), map, call(post, "400")], before);
    expect(finding.sentence).toContain("and now there is another one");
    expect(finding.sentence).not.toContain("planted");
  });

  test.each(["401", "429", "503"])("is not explained by an empty value if the status is %s", (status) => {
    const { finding } = trace([inbound({ customer: {} }), map, call(post, status)], before);
    expect(finding.cause).not.toBe("parameter_empty");
  });

  test("is not explained by a value that was also empty in the last success", () => {
    const empty = successes([inbound({ customer: {} }), map, call(post, null)]);
    const { finding } = trace([inbound({ customer: {} }), map, call(post, "400")], empty);
    expect(finding.cause).toBe("http_status");
  });

  test("is not explained by an item that may not be the one that failed", () => {
    const items: Step = { name: "Orders", sent: [[{ order: null }, { order: "O-2" }]] };
    const step = call({ url: "=https://shop/{{ $json.order }}" }, "404");
    const at = (itemIndex?: number) => ({ ...step, error: { ...refusal("404"), context: { itemIndex } } });
    expect(trace([items, at(0)]).finding.cause).toBe("parameter_empty");
    expect([trace([items, at(1)]).finding.cause, trace([items, at()]).finding.cause]).toEqual([
      "http_status",
      "http_status",
    ]);
  });

  test("is certainly explained by an empty part of its URL", () => {
    const url = { url: "=https://shop/orders/{{ $json.body.order }}" };
    expect(trace([inbound({}), call(url, "404")]).finding).toMatchObject({
      cause: "parameter_empty",
      confidence: "exact",
    });
  });

  const refusedWith = (description: string, status = "422") => {
    const step = call(post, status);
    return trace([inbound({ customer: {} }), map, { ...step, error: { ...step.error, description } }])
      .finding;
  };

  test.each(["The customer is required.", "customer_id: must not be empty"])(
    "is likely explained by the field if the service says %s",
    (says) => {
      expect(refusedWith(says)).toMatchObject({ cause: "parameter_empty", confidence: "likely" });
      expect(refusedWith(says).sentence).toContain("was refused (422), probably because");
    },
  );

  test.each(["The given data was invalid.", "Request failed with status code 422"])(
    "is only possibly explained by the field if the service says no more than %s",
    (says) => {
      const finding = refusedWith(says);
      expect(finding).toMatchObject({ cause: "http_status", confidence: "exact" });
      expect(finding.sentence).toMatch(
        / answered 422: .*\. Perhaps because "Map fields" reads "body.customer.id", which "Inbound" did not send\.$/,
      );
    },
  );

  test.each(["The account is closed.", "Invalid id"])(
    "is not explained by the field if the service says %s",
    (says) => {
      expect(refusedWith(says).cause).toBe("http_status");
      expect(refusedWith(says).sentence).not.toContain("body.customer");
    },
  );

  test("is not explained by a field whose name is only part of a word of the service", () => {
    const step = call({ jsonBody: "={{ JSON.stringify({ id: $json.body.id }) }}" }, "422");
    const refused = (description: string) =>
      trace([inbound({}), { ...step, error: { ...step.error, description } }]).finding.cause;
    expect([refused("The order is void."), refused("id missing")]).toEqual([
      "http_status",
      "parameter_empty",
    ]);
  });

  test("is explained by the field also without a status, if a service says so", () => {
    const step = call(post, null);
    const error = { name: "NodeApiError", message: 'Variable "$customer" was not provided.' };
    const { finding } = trace([inbound({ customer: {} }), map, { ...step, sent: [], error }]);
    expect(finding.sentence).toContain('was refused, probably because "Map fields" reads "body.customer.id"');
    const { finding: own } = trace([
      inbound({ customer: {} }),
      map,
      { ...step, error: { ...error, name: "Error" } },
    ]);
    expect(own.cause).not.toBe("parameter_empty");
  });

  test("with 404 is not explained by an empty query parameter", () => {
    const url = { url: "=https://shop/orders/{{ $json.body?.language }}?lang={{ $json.body.lang }}" };
    expect(trace([inbound({ language: 7 }), call(url, "404")]).finding.cause).toBe("http_status");
    const { sentence } = trace([inbound({ language: 7 }), call(url, "400")]).finding;
    expect(sentence).toContain('Perhaps because it reads "body.lang", which "Inbound" did not send.');
  });

  test("is explained by rounding of a number above 2^53, but not of one below", () => {
    const url = { url: "=https://shop/orders/{{ $json.body.order }}" };
    const { finding } = trace([inbound({ order: 9_007_199_254_740_992 }), call(url, "404")]);
    expect(finding).toMatchObject({ cause: "number_rounded", node: "Inbound" });
    expect(trace([inbound({ order: 9_007_199_254_740_991 }), call(url, "404")]).finding.cause).toBe(
      "http_status",
    );
  });

  test("shows no key of a rounded number that the workflow does not mention", () => {
    const body = { url: "=https://shop/orders", jsonBody: "={{ $json.body.orders }}" };
    const { finding } = trace([
      inbound({ orders: { "Jane Doe": 9_007_199_254_740_992 } }),
      call(body, "400"),
    ]);
    expect(finding).toMatchObject({ cause: "number_rounded", value: 9_007_199_254_740_992 });
    expect(finding.sentence + (finding.field ?? "")).not.toContain("Jane");
  });

  test("with a day of another time zone is traced to the node that made the day", () => {
    const day = (value: string): Step =>
      set("Report day", { day: "={{ $now.toFormat('yyyy-MM-dd') }}" }, { day: value });
    const url = { url: "=https://shop/days/{{ $json.day }}" };
    const { finding } = trace([inbound({}), day("2025-12-31"), call(url, "404")]);
    expect(finding).toMatchObject({ cause: "day_by_zone", node: "Report day", confidence: "observed" });
    expect(trace([inbound({}), day("2026-01-01"), call(url, "404")]).finding.cause).toBe("http_status");
  });

  test("inside a sub-workflow is traced to the caller's node", () => {
    const trigger: Step = {
      name: "Called",
      type: `${BASE}executeWorkflowTrigger`,
      sent: [[{ order: null }]],
    };
    const calling: Step = {
      name: "Run it",
      type: `${BASE}executeWorkflow`,
      parameters: { workflowInputs: { value: { order: "={{ $json.body.order }}" } } },
      error: { message: "no", executionId: "7" },
    };
    const caller = viewOf(steppedExecution([inbound({ n: 1 }), calling], { id: "6" }));
    const { finding } = trace([trigger, call({ url: "=https://shop/{{ $json.order }}" }, "404")], { caller });
    expect(finding.sentence).toBe(
      '"Create invoice" was refused (404) because "Run it" reads "body.order", which "Inbound" in the workflow that called it (execution 6) did not send.',
    );
  });
});

describe("a field that came out empty", () => {
  const store = (expression: string): Step => set("Store", { a: expression }, { a: null });

  test.each([
    ["sku", "\ufeffsku", "an invisible character"],
    ["email", "Email", "upper and lower case"],
    ["order id", "order_id", "blanks, hyphens"],
  ])("is explained by a field of almost the same name: %s", (reads, is, says) => {
    const { finding } = trace([inbound({ [is]: "x" }), store(`={{ $json.body["${reads}"] }}`)]);
    expect(finding).toMatchObject({ cause: "field_empty", confidence: "likely" });
    expect(finding.sentence).toContain(says);
  });

  test("is only observed if the last success had none either", () => {
    const step = store("={{ $json.body.email }}");
    const { finding } = trace([inbound({ Email: "x" }), step], successes([inbound({ Email: "y" }), step]));
    expect(finding.confidence).toBe("observed");
  });

  test("is reported if a node did not pass it on, but not if it has a fallback", () => {
    const tax = set("Add tax", { gross: "={{ $json.body.net * 2 }}" }, { gross: 2 });
    const mail = (expression: string): Step => ({ ...call({ jsonBody: expression }, null), name: "Mail" });
    const { finding } = trace([
      inbound({ net: 1 }),
      { name: "Offer", sent: [[{ email: "a@b.example", body: { net: 1 } }]] },
      tax,
      mail("={{ JSON.stringify({ to: $json.email }) }}"),
    ]);
    expect(finding).toMatchObject({ confidence: "likely", node: "Mail" });
    expect(finding.sentence).toContain('"Offer", before it, sent one, and it was not passed on');
    const { finding: withFallback } = trace([
      { name: "Offer", sent: [[{ email: "a@b.example" }]] },
      tax,
      mail("={{ JSON.stringify({ to: $json.email ?? 'x' }) }}"),
    ]);
    expect(withFallback.cause).toBe("nothing_found");
  });
});

describe("the retry of an execution", () => {
  const customers: Step = { name: "Customers", sent: [[{ c: 1 }, { c: 2 }, { c: 3 }]] };
  const bill = (method: string, itemIndex?: number): Step => ({
    name: "Bill",
    type: `${BASE}httpRequest`,
    parameters: { method },
    ...(itemIndex === undefined
      ? { sent: [[{ n: 1 }, { n: 2 }, { n: 3 }]] }
      : { error: { ...refusal("503"), context: { itemIndex } } }),
  });
  const retry = (method: string, failedAt: number) =>
    trace([customers, bill(method)], {
      retried: viewOf(steppedExecution([customers, bill(method, failedAt)], { id: "6" })),
    }).finding;

  test("says what had been done already, even if the retry succeeded", () => {
    expect(retry("POST", 1).sentence).toContain(
      'the retry of execution 6, in which "Bill" had already done 1 of 3 items',
    );
  });

  test("repeated nothing if the request reads or failed at its first item", () => {
    expect([retry("GET", 1).cause, retry("POST", 0).cause]).not.toContain("retry_repeats");
  });
});

describe("code", () => {
  const paths = (code: string): string[] => referencesIn(code).map(({ path }) => path.join("."));

  test("is read through destructuring, callbacks and chained variables", () => {
    expect(paths("const { customer } = $json.body;\nreturn customer.id")).toContain("body.customer.id");
    expect(paths("const b = $json.body;\nconst c = b.customer;\nreturn c.id")).toContain("body.customer.id");
    expect(paths("return $input.all().map((row) => row.json.order.id)")).toEqual(["order.id"]);
    expect(paths("return others.map((row) => row.json.order.id)")).toEqual([]);
  });

  test.each([
    ["const b = $json.body;\nreturn [{ json: { customer: b.id } }]", ["customer"], "body.id"],
    ["const { id } = $json.body;\nreturn { json: { order: { id } } }", ["order", "id"], "body.id"],
    ["return { json: { customer: $json.body.id * 2 } }", ["customer"], undefined],
  ])("makes one field from another: %s", (code, path, from) => {
    expect(makerInCode(code, path)?.reference?.path.join(".")).toBe(from);
  });
});

test("the likeness of two names is classified", () => {
  expect(likenessOf("e mail", "e  mail ")).toBe("blanks");
  expect(likenessOf("email", "e-mail")).toBe("separators");
  expect(likenessOf("email", "mail")).toBeNull();
});

test("evidence is ordered from the root to the outcome, each fact once", () => {
  const status = { kind: "node_failed.nowhere", node: null, error: toErrorFacts({ message: "x" }) } as const;
  const at = { kind: "item", node: "A", item: { index: 0, count: 2 } } as const;
  const mended = { kind: "mended", node: null, executionId: "9" } as const;
  expect(inOrder([mended, status, at, status], true)).toEqual([at, status, mended]);
});

describe("edits since the last success", () => {
  const rows = (secret: string) => ({
    headerParameters: { parameters: [{ name: "X-Api-Key", value: secret }] },
  });
  const workflow = (parameters: object, zone: string): ExecutionWithData =>
    steppedExecution(
      [inbound({}), call(parameters, null), { name: "Beside", after: ["Inbound"], sent: [[{}]] }],
      {
        id: zone,
      },
    );
  const factsOf = (now: ExecutionWithData, before: ExecutionWithData) =>
    comparedFacts({
      isKnown: () => true,
      now,
      before,
      comparison: compareExecutions(now, before),
      node: "Create invoice",
    });
  const withSettings = (execution: ExecutionWithData, timezone: string): ExecutionWithData => ({
    ...execution,
    workflowData: { id: "w1", nodes: [], ...execution.workflowData, settings: { timezone } },
  });

  test("have the old and new value, with the row that names them", () => {
    const [fact] = factsOf(workflow(rows("new"), "7"), workflow(rows("old"), "5"));
    expect(fact).toMatchObject({
      kind: "edited",
      node: "Create invoice",
      was: { name: "X-Api-Key", value: "old" },
      value: { name: "X-Api-Key", value: "new" },
    });
    expect(toFinding(fact ?? { kind: "hint", node: "x" }).sentence).not.toMatch(/old|new\b/);
  });

  test("show options, numbers and fields, and no other text", () => {
    const places = (was: object, is: object): unknown => {
      const [fact] = factsOf(workflow(is, "7"), workflow(was, "5"));
      return fact?.kind === "edited" ? fact.places : undefined;
    };
    const query = (value: string, name = "limit"): object => ({
      queryParameters: { parameters: [{ name, value }] },
    });
    expect(places({ mode: "each" }, { mode: "once" })).toEqual(["parameters.mode (from each to once)"]);
    expect(places(query("200"), query("20"))).toEqual([
      'parameters.queryParameters › "limit" (from 200 to 20)',
    ]);
    expect(places(query("200", "apiKey"), query("20", "apiKey"))).toEqual([
      'parameters.queryParameters › "apiKey"',
    ]);
    expect(places({ text: "Ada" }, { text: "Bob" })).toEqual(["parameters.text"]);
    expect(places({ by: "={{ $json.a }}-{{ $json.b }}" }, { by: "={{ $json.a }}" })).toEqual([
      'parameters.by (it no longer reads "b")',
    ]);
  });

  test("of a sub-node, which runs after the node has begun, are told, and not what it then sends", () => {
    const serving = (model: string, sent: object, chain: Partial<Step>, id: string): ExecutionWithData => {
      const sub: Step = {
        name: "Model",
        parameters: { model },
        connection: "ai_languageModel",
        after: ["Create invoice"],
        sent: [[sent]],
      };
      return steppedExecution([inbound({}), { name: "Create invoice", after: ["Inbound"], ...chain }, sub], {
        id,
      });
    };
    const now = serving("o3-mini", { messages: [] }, { error: { message: "no" } }, "7");
    const before = serving("gpt-4o-mini", { response: {} }, { sent: [[{}]] }, "5");
    expect(factsOf(now, before).map(({ kind, node }) => [kind, node])).toEqual([["edited", "Model"]]);
  });

  test("of connections say which inputs were swapped or which link was changed", () => {
    const both = (...after: readonly (readonly [string, number])[]): ExecutionWithData =>
      steppedExecution([
        inbound({}),
        { name: "Left", after: ["Inbound"], sent: [[{}]] },
        { name: "Right", after: ["Inbound"], sent: [[{}]] },
        { name: "Create invoice", after, sent: [[{}]] },
      ]);
    const [one, other] = [["Left", 0] as const, ["Right", 0] as const];
    const [swapped] = factsOf(both(other, one), both(one, other));
    expect(swapped).toMatchObject({ kind: "edited.connections", node: "Create invoice", swapped: "inputs" });
    const [changed] = factsOf(both(one), both(other));
    expect(changed).toMatchObject({ swapped: null, made: [{ from: "Left" }], gone: [{ from: "Right" }] });
    expect(factsOf(both(one, other), both(one, other))).toEqual([]);
  });

  test("of the workflow's settings are reported if a setting differs", () => {
    const [now, before] = [workflow({}, "7"), workflow({}, "5")];
    expect(factsOf(withSettings(now, "UTC"), withSettings(before, "Europe/Berlin"))).toMatchObject([
      { kind: "edited.settings", settings: ["timezone"], was: { timezone: "Europe/Berlin" } },
    ]);
    expect(factsOf(withSettings(now, "UTC"), withSettings(before, "UTC"))).toEqual([]);
  });
});

test("parameters are resolved for an item, empty ones first, and keyed by the field's name", () => {
  const node = {
    name: "Create invoice",
    type: `${BASE}httpRequest`,
    parameters: {
      url: "=https://shop/{{ $json.body.order }}",
      query: "{{ $json.a + 1 }}",
      bodyParameters: { parameters: [{ name: "token", value: "={{ $json.body.password }}" }] },
    },
  };
  expect(resolvedFor(node, { body: { order: 5 } })).toEqual([
    { parameter: "token", expression: "$json.body.password", values: { password: null } },
    { parameter: "url", expression: "$json.body.order", values: { order: 5 } },
    { parameter: "query", expression: "$json.a + 1" },
  ]);
});

test.each([
  ["one long word", "a".repeat(16_000)],
  ["reads of the time", "$now.".repeat(3_200)],
])("code of %s is read in linear time", (_name, jsCode) => {
  const code: Step = { name: "Code", type: `${BASE}code`, parameters: { jsCode }, sent: [[{ a: 1 }]] };
  // It took ten seconds while every letter was tried as a start.
  expect(threadSeconds(() => trace([inbound({ id: 1 }), code]))).toBeLessThan(2);
});
