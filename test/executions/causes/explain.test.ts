/** Each rule names the node and the reason, and shows no payload. */
import { describe, expect, test } from "vitest";
import { referencesIn } from "../../../src/executions/causes/field-references.ts";
import { explain } from "../../support/explain.ts";
import { undefinedRead } from "../../support/failing-steps.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const START: Step = { name: "Start", type: "n8n-nodes-base.webhook", sent: [[{ body: { a: 1 } }]] };
const code = (jsCode: string) => ({ jsCode });
const findingOf = (steps: readonly Step[], facts?: Readonly<Record<string, unknown>>) =>
  explain(steppedExecution(steps, facts)).finding;

describe("the root is named before the symptom", () => {
  const reader: Step = {
    name: "Use",
    parameters: code("return $json.shop.street.trim()"),
    error: undefinedRead("street"),
  };
  const passesOn: Step = { name: "Add", sent: [[{ id: 1, at: "noon" }]] };

  test("the node that left a field out is named, not one that passes items on", () => {
    const made: Step = { name: "Make", sent: [[{ id: 1 }]] };
    expect(findingOf([START, made, passesOn, reader])).toMatchObject({
      cause: "field_missing",
      node: "Make",
      failedNode: "Use",
      field: "shop",
      confidence: "exact",
    });
  });

  test("the node that dropped a field is named if an earlier node sent it", () => {
    const made: Step = { name: "Make", sent: [[{ id: 1, shop: { street: "x" } }]] };
    expect(findingOf([START, made, passesOn, reader])).toMatchObject({ node: "Add", field: "shop" });
  });

  test("no field is named if every item has it", () => {
    const made: Step = { name: "Make", sent: [[{ shop: { street: "x" } }]] };
    expect(findingOf([START, made, reader])).toMatchObject({ cause: "node_failed", node: "Use" });
  });

  test("a value of the wrong type is described by its type", () => {
    const made: Step = { name: "Make", sent: [[{ lines: { secret: "planted" } }]] };
    const calls: Step = {
      name: "Use",
      parameters: code("return $json.lines.map((line) => line)"),
      error: { ...undefinedRead("x"), message: "$json.lines.map is not a function [line 1]" },
    };
    const finding = findingOf([START, made, calls]);
    expect(finding).toMatchObject({ cause: "wrong_type", node: "Make", field: "lines" });
    expect(finding.sentence).toContain("an object");
    expect(finding.sentence).not.toContain("planted");
  });

  test("a name from payload in a thrown engine message is not shown", () => {
    const thrown = { ...undefinedRead("planted"), message: "net_planted is not defined" };
    const { said, ...finding } = findingOf([
      START,
      { name: "Use", parameters: code("return 1"), error: thrown },
    ]);
    expect(said).toContain("planted");
    expect(JSON.stringify(finding)).not.toContain("planted");
  });
});

describe("no innocent field or node is blamed", () => {
  const made: Step = {
    name: "Make",
    sent: [[{ note: 'a "quoted" text', tier: "gold", name: "Ann", raw: "{broken" }]],
  };
  const post = (jsonBody: string): Step => ({
    name: "Post",
    type: "n8n-nodes-base.httpRequest",
    parameters: { jsonBody },
    error: {
      name: "NodeOperationError",
      message: 'The value in the "JSON Body" field is not valid JSON',
    },
  });

  test.each([
    "const a = $json.user?.name;\nreturn $json.client.name",
    "const a = $json.user?.name ?? $json.client.name;",
    "const user = $json.user;\nconst a = user?.name;\nreturn $json.client.name",
  ])("a read with ?. is not blamed for another one: %s", (text) => {
    const error = undefinedRead("name", text.split("\n").length);
    const use: Step = { name: "Use", parameters: code(text), error };
    expect(findingOf([START, made, use])).toMatchObject({ cause: "field_missing", field: "client" });
  });

  test("a variable left empty by ?. is blamed when it is read", () => {
    const text = "const user = $json.account?.user;\nreturn user.name";
    const use: Step = { name: "Use", parameters: code(text), error: undefinedRead("name", 2) };
    expect(findingOf([START, made, use])).toMatchObject({ cause: "field_missing", field: "account" });
  });

  test.each([
    ['={ "note": {{ JSON.stringify($json.note) }}, "tier": {{ $json.tier }} }', "tier"],
    ['={ "nick": "{{ $json.nick }}", "note": "{{ $json.note }}" }', "note"],
    ['={ "nick": {{ $json.nick ?? null }}, "tier": {{ $json.tier }} }', "tier"],
    ['={ "nick": {{ $json.nick }}, "name": "{{ $json.name }}" }', "nick"],
    ['={ "nick": {{ $json.nick ?? null }}, "name": "{{ $json.name }}" }', undefined],
  ])("only the field that breaks a JSON body is named: %s", (jsonBody, field) => {
    const finding = findingOf([START, made, post(jsonBody)]);
    expect(finding).toMatchObject({ cause: "not_json", node: "Post" });
    expect(finding.field).toBe(field);
  });

  test("a field whose text has a quotation mark is not called missing", () => {
    const { evidence } = explain(
      steppedExecution([START, made, post('={ "note": "{{ $json.note }}", "tier": "{{ $json.tier }}" }')]),
    );
    expect(evidence.map(({ cause }) => cause)).toEqual(
      ["not_json", "failing_node"].slice(0, evidence.length),
    );
    expect(evidence[0]).toMatchObject({ cause: "not_json", node: "Make", field: "note" });
  });

  test("the argument of JSON.parse is named, not the first text that was read", () => {
    const parse: Step = {
      name: "Parse",
      parameters: code("const name = $json.name;\nconst raw = $json.raw;\nreturn JSON.parse(raw)"),
      error: {
        ...undefinedRead("x", 3),
        message: "Expected property name in JSON at position 1",
        description: "SyntaxError",
      },
    };
    expect(findingOf([START, made, parse])).toMatchObject({ cause: "not_json", field: "raw" });
  });

  test("only the item that n8n names is blamed", () => {
    const sent = [[{ to: null }, { to: { mail: "a" } }, { other: 1 }]];
    const each: Step = {
      name: "Each",
      type: "n8n-nodes-base.set",
      parameters: { value: "={{ $json.to.mail.trim() }}" },
      error: {
        name: "ExpressionError",
        message: "Cannot read properties of undefined (reading 'mail')",
        context: { itemIndex: 2 },
      },
    };
    const finding = findingOf([START, { name: "Make", sent }, each]);
    expect(finding).toMatchObject({ cause: "field_missing", field: "to" });
    expect(finding.sentence).toContain("item 3 of 3");
  });

  test("a missing node type is named if n8n says so, not if code throws the same words", () => {
    const message = "Unrecognized node type: n8n-nodes-acme.shop";
    const call = (error: Readonly<Record<string, unknown>>): Step => ({
      name: "Call",
      type: "n8n-nodes-base.executeWorkflow",
      parameters: { workflowId: { value: "w9" } },
      error,
    });
    const said = findingOf([START, call({ message })]);
    expect(said).toMatchObject({ cause: "node_not_installed", node: "Call" });
    expect(said.sentence).toContain("n8n-nodes-acme.shop");
    const thrown = findingOf([START, call({ message, name: "Error", executionId: "9" })]);
    expect(thrown.sentence).not.toContain("acme");
    const forged = findingOf([START, call({ message: "Unrecognized node type: planted secret" })]);
    expect(forged.sentence).not.toContain("planted");
  });
});

describe("a common error text of nodes is explained", () => {
  const says = (error: Readonly<Record<string, unknown>>) =>
    findingOf([START, { name: "Do", type: "n8n-nodes-base.someNode", error }]);

  test.each([
    ["The 'Site' parameter is empty", /not set, or came out empty/],
    ["At least one tag must be set", /not set, or came out empty/],
    ["User group with ID planted not found", /does not exist/],
    ["An assistant with the same name 'planted' already exists", /already exists/],
    ["The Response Data option planted is not supported!", /does not know or does not allow/],
    ["Invalid reference format. planted", /not of the form/],
    ["Multiple items match the selected column(s)", /several/],
    ["Operation did not return data", /returned nothing/],
  ])("%s", (message, sentence) => {
    const finding = says({ name: "NodeOperationError", message });
    expect(finding).toMatchObject({ node: "Do", confidence: "observed" });
    expect(finding.sentence).toMatch(sentence);
    expect(finding.sentence).not.toContain("planted");
  });

  test("but not if code throws it", () => {
    const thrown = { name: "WrappedExecutionError", message: "Order 7 not found [line 3]", lineNumber: 3 };
    expect(says(thrown)).toMatchObject({ cause: "node_failed" });
    const words = { ...thrown, message: "Authorization failed - please check your credentials" };
    expect(says(words)).toMatchObject({ cause: "node_failed" });
  });
});

describe("a success", () => {
  const CAUGHT: Step = {
    name: "Call",
    settings: { onError: "continueRegularOutput" },
    sent: [[{ error: "no" }]],
  };
  const after: Step = { name: "After", sent: [[{ ok: true }]] };

  test("that swallowed an error is reported", () => {
    expect(findingOf([START, CAUGHT, after])).toMatchObject({
      cause: "error_caught",
      node: "Call",
      confidence: "observed",
      sentence: expect.stringContaining("its output says that it failed"),
    });
  });

  test("whose error was handled by a branch is reported as handled", () => {
    const call: Step = {
      name: "Call",
      settings: { onError: "continueErrorOutput" },
      sent: [[], [{ error: "planted" }]],
    };
    const handled = findingOf([START, call, { ...after, after: [["Call", 1]] }]);
    expect(handled).toMatchObject({ cause: "error_handled", node: "Call" });
    expect(handled.sentence).toContain('went to "After"');
    expect(handled.sentence).not.toContain("swallowed");
    const lost = findingOf([START, call, { ...after, after: [["Call", 0]] }]);
    expect(lost).toMatchObject({ cause: "error_caught" });
    expect(lost.sentence).toContain("swallowed");
  });

  test("in which a node failed and n8n passed its input on is reported", () => {
    const call: Step = {
      name: "Insert",
      type: "n8n-nodes-base.postgres",
      settings: { onError: "continueErrorOutput" },
      sent: [[{ id: 1 }]],
      error: { name: "NodeOperationError", message: "planted" },
    };
    const { finding, evidence } = explain(steppedExecution([START, call, after]));
    expect(finding).toMatchObject({ cause: "error_caught", node: "Insert" });
    expect(finding.sentence).toContain("as if nothing had happened");
    expect(finding.sentence).not.toContain("planted");
    expect(evidence).toEqual([]);
  });

  test.each([
    ["error is a field of a node that does not go on", { ...CAUGHT, settings: {} }],
    ["an error stands beside other fields", { ...CAUGHT, sent: [[{ error: "none", id: 4, level: 2 }]] }],
    ["a service answered with an error of its own", { ...CAUGHT, type: "n8n-nodes-base.httpRequest" }],
    ["error is null", { ...CAUGHT, sent: [[{ error: null }]] }],
    [
      "an optional field is looked for with care",
      {
        name: "Call",
        type: "n8n-nodes-base.set",
        parameters: { value: "={{ $json.vip ?? '' }}" },
        sent: [[{ vip: null }]],
      },
    ],
  ] satisfies [string, Step][])("is not reported if %s", (_why, step) => {
    expect(findingOf([START, step, after])).toMatchObject({ cause: "nothing_found" });
  });

  test("in which all items were filtered out is an observation", () => {
    const filter: Step = { name: "Only", type: "n8n-nodes-base.filter", sent: [[], [{ id: 1 }]] };
    const finding = findingOf([START, filter, { name: "Ship" }]);
    expect(finding).toMatchObject({ cause: "dropped", node: "Only", confidence: "observed" });
    expect(finding.sentence).not.toMatch(/fail|error/i);
  });

  test("without stored data is not called flawless", () => {
    expect(findingOf([{ name: "Start" }])).toMatchObject({ cause: "no_data", confidence: "observed" });
    const tooLarge = { dataTooLargeToDisplay: true };
    expect(findingOf([{ name: "Start" }], tooLarge)).toMatchObject({ cause: "too_large" });
  });

  test("whose data n8n withholds is not called flawless", () => {
    const withheld = {
      data: { redactionInfo: { isRedacted: true }, resultData: { runData: { Start: [{ source: [] }] } } },
    };
    expect(findingOf([START], withheld)).toMatchObject({ cause: "withheld" });
  });
});

describe("a failure that n8n itself classifies", () => {
  test.each([
    [{ name: "NodeApiError", httpCode: "404", message: "planted" }, "http_status", /404/],
    [{ name: "NodeApiError", httpCode: "ECONNREFUSED", message: "planted" }, "connection", /ECONNREFUSED/],
    [
      {
        name: "NodeApiError",
        httpCode: "ECONNABORTED",
        messages: ["timeout of 300ms exceeded"],
        message: "planted",
      },
      "timeout",
      /within the node's time limit/,
    ],
    [{ name: "NodeSslError", message: "planted" }, "certificate", /certificate/],
    [
      { message: 'Credential with ID "x1" does not exist for type "planted".' },
      "credential",
      /does not exist/,
    ],
    [
      {
        name: "NodeOperationError",
        context: { type: "paired_item_no_info", nodeCause: "Start" },
        message: "planted",
      },
      "pairing",
      /paired/,
    ],
    [
      { name: "WrappedExecutionError", description: "SyntaxError", message: "Unexpected token 'planted'" },
      "code_syntax",
      /syntax/,
    ],
    [{ name: "planted", message: "planted" }, "node_failed", /failed/],
  ] satisfies [Record<string, unknown>, string, RegExp][])("%j is %s", (error, cause, says) => {
    const finding = findingOf([START, { name: "Call", error }]);
    expect(finding).toMatchObject({ cause });
    expect(finding.sentence).toMatch(says);
    expect(finding.sentence).not.toContain("planted");
  });

  test.each([
    [
      { message: "Workflow is not active and cannot be executed.", extra: { workflowId: "w9" } },
      "n8n-nodes-base.executeWorkflow",
      "sub_workflow_unavailable",
      /not published/,
    ],
    [
      { httpCode: "ECONNABORTED", messages: ["timeout of 300ms exceeded"], message: "planted" },
      "n8n-nodes-base.httpRequest",
      "timeout",
      /within 300 ms/,
    ],
  ] satisfies [Record<string, unknown>, string, string, RegExp][])(
    "%j of a node of type %s is %s",
    (error, type, cause, says) => {
      const parameters = { url: "http://x.example", options: { timeout: 300 } };
      const finding = findingOf([START, { name: "Call", type, parameters, error }]);
      expect(finding).toMatchObject({ cause });
      expect(finding.sentence).toMatch(says);
      expect(finding.sentence).not.toContain("planted");
    },
  );

  test.each([
    [
      {
        status: "canceled",
        data: { resultData: { error: { name: "ManualExecutionCancelledError", message: "x" }, runData: {} } },
      },
      "canceled_by_hand",
    ],
    [{ status: "waiting", waitTill: "3000-01-01T00:00:00.000Z" }, "waiting"],
    [{ status: "running", stoppedAt: null }, "running"],
    [{ status: "new", startedAt: null, stoppedAt: null }, "queued"],
    [{ status: "crashed" }, "crashed"],
  ] satisfies [Record<string, unknown>, string][])("%j is %s", (facts, cause) => {
    expect(findingOf([START], facts)).toMatchObject({ cause });
  });
});

test.each([
  ["$json.a.b", null, ["a", "b"]],
  ["$('Load it').first().json.a['b c']", "Load it", ["a", "b c"]],
  ['$node["Old"].json["a"]', "Old", ["a"]],
  ["$input.all()[0].json.a[0].b", null, ["a", "0", "b"]],
])("%s is parsed as a field reference", (text, node, path) => {
  expect(referencesIn(text)).toMatchObject([{ node, path, hasFallback: false, optionalAt: [] }]);
});

test("a variable is resolved to its value, and a fallback is noticed", () => {
  expect(referencesIn("const one = $('A').item.json;\nreturn one.b.c").at(-1)).toMatchObject({
    node: "A",
    path: ["b", "c"],
  });
  for (const text of ["$json.a?.b", "$json.a ?? 1", "$json.a || 1"])
    expect(referencesIn(text)[0]).toMatchObject({ hasFallback: true });
});

describe("code that reads static data of earlier runs", () => {
  const memory = "const memory = $getWorkflowStaticData('global');\n";
  const sends = "const fresh = $input.all().filter((one) => one.json.id > memory.lastId);\nreturn fresh";
  const only = (jsCode: string): Step => ({ name: "Only new", parameters: code(jsCode), sent: [[]] });
  const next: Step = { name: "Import", after: ["Only new"] };

  test("is named in the same sentence as its output", () => {
    const { sentence } = findingOf([START, only(memory + sends), next]);
    expect(sentence).toContain('"Only new" gave no items');
    expect(sentence).toContain('"Only new" reads what earlier runs stored ($getWorkflowStaticData)');
  });

  test("is not named if it only writes static data", () => {
    const stores = "memory.lastId = 7;\nmemory['at'] = Date.now();\nreturn []";
    expect(findingOf([START, only(memory + stores), next]).sentence).not.toContain("stored");
  });

  test("is named for an otherwise unexplained failure, and as evidence for an explained one", () => {
    const failing = (message: string, jsCode: string): Step => ({
      ...{ name: "Only new", parameters: code(memory + jsCode) },
      error: { ...undefinedRead("id", 2), message: `${message} [line 2]` },
    });
    const open = failing(
      "Cannot read properties of undefined (reading 'id')",
      "return memory.orders.last.id",
    );
    expect(findingOf([START, open])).toMatchObject({ cause: "node_failed", node: "Only new" });
    expect(findingOf([START, open]).sentence).toContain("earlier runs stored");
    const known = failing("missing is not defined", "return missing(memory.orders)");
    const { finding, evidence } = explain(steppedExecution([START, known]));
    expect(finding.sentence).not.toContain("stored");
    expect(evidence.map(({ cause }) => cause)).toContain("stored_data");
  });
});

test("an address that does not answer is told with the fields that it was made of", () => {
  const settings: Step = {
    name: "Settings",
    type: "n8n-nodes-base.httpRequest",
    sent: [[{ base: "https://shop" }]],
  };
  const asking: Step = {
    name: "Ask",
    type: "n8n-nodes-base.httpRequest",
    parameters: { url: "={{ $json.base }}/orders" },
    error: {
      name: "NodeApiError",
      message: "no",
      messages: ["connect ECONNREFUSED 10.0.0.7:443"],
      httpCode: "ECONNREFUSED",
    },
  };
  const { finding, evidence } = explain(steppedExecution([START, settings, asking]));
  expect(finding.cause).toBe("connection");
  expect(evidence.map(({ sentence }) => sentence)).toContain('"Ask" was given "base" from "Settings".');
});

test("a connection that fails is not told with the values that were to be sent", () => {
  const insert: Step = {
    name: "Insert",
    type: "n8n-nodes-base.postgres",
    parameters: { query: "insert into orders values ({{ $json.total }})" },
    error: { name: "NodeOperationError", message: "connect ECONNREFUSED 10.0.0.7:5432" },
  };
  const orders: Step = { name: "Orders", sent: [[{ total: 5 }]] };
  expect(explain(steppedExecution([START, orders, insert])).evidence.map(({ cause }) => cause)).not.toContain(
    "parameters",
  );
});

test("an archive that ends early is damaged; another node says so of a connection", () => {
  const failing = (type: string): Step => ({
    ...{ name: "Use", type },
    error: { name: "Error", message: "unexpected EOF" },
  });
  const causeOn = (type: string) => findingOf([START, failing(type)]).sentence;
  expect(causeOn("n8n-nodes-base.compression")).toContain("compression or encoding");
  expect(causeOn("@n8n/n8n-nodes-langchain.lmChatOllama")).not.toContain("compression or encoding");
});

test("what a service said in words alone is told with the names that it has in common with the node", () => {
  const asking: Step = {
    name: "Ask",
    type: "n8n-nodes-base.graphql",
    parameters: { query: "{ articles { vendorName } }" },
    error: { name: "NodeApiError", message: 'Cannot query field "vendorName" on type "Article".' },
  };
  expect(findingOf([START, asking]).sentence).toContain('its error names "vendorName".');
});

test("what a workflow says of itself when it stops is told without its own names", () => {
  const stop: Step = {
    name: "Give up",
    type: "n8n-nodes-base.stopAndError",
    parameters: { errorMessage: 'No "order_no" given' },
    error: { name: "NodeOperationError", message: 'No "order_no" given' },
  };
  expect(findingOf([START, stop]).sentence).not.toContain("names");
});
