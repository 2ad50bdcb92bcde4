/** A value that an error quotes is traced to the field it came from. */
import { describe, expect, test } from "vitest";
import { type ExplainContext, viewOf } from "../../../src/executions/causes/execution-view.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const THROWS = "const { sku } = $input.first().json;\nthrow new Error('Unknown ' + sku);";
const inbound = (body: object): Step => ({ name: "Inbound", type: `${BASE}webhook`, sent: [[{ body }]] });
const order = (sku: unknown): Step => ({
  name: "Order",
  type: `${BASE}set`,
  parameters: { assignments: { assignments: [{ name: "sku", value: "={{ $json.body.article }}" }] } },
  sent: [[{ sku }]],
});
const check = (message: string, jsCode = THROWS): Step => ({
  name: "Check",
  type: `${BASE}code`,
  parameters: { jsCode },
  error: { name: "WrappedExecutionError", description: "Error", message, lineNumber: 2 },
});

function repeatedIn(steps: readonly Step[], context: ExplainContext = {}) {
  const { evidence } = explain(steppedExecution(steps, { id: "7" }), context);
  return evidence.find(({ cause }) => cause === "error_repeats");
}

test("a value in an error is traced to its node and field", () => {
  const steps = [inbound({ article: "MUG-9" }), order("MUG-9"), check("Unknown MUG-9 [line 2]")];
  expect(repeatedIn(steps)).toMatchObject({
    node: "Inbound",
    field: "body.article",
    value: "MUG-9",
    confidence: "observed",
    sentence: 'The error of "Check" repeats the value of "sku", which "Inbound" sent as "body.article".',
  });
});

test("a value passed to a sub-workflow is traced to the caller", () => {
  const trigger: Step = {
    name: "Called",
    type: `${BASE}executeWorkflowTrigger`,
    sent: [[{ sku: "MUG-9" }]],
  };
  const calling: Step = {
    name: "Run it",
    type: `${BASE}executeWorkflow`,
    error: { message: "no", executionId: "7" },
  };
  const caller = viewOf(steppedExecution([order("MUG-9"), calling], { id: "6" }));
  expect(repeatedIn([trigger, check("Unknown MUG-9")], { caller })?.sentence).toBe(
    'The error of "Check" repeats the value of "sku", which "Order" in the workflow that called it (execution 6) sent.',
  );
});

test.each<[string, object]>([
  ["code", { type: `${BASE}code`, parameters: { jsCode: "return $input.all().map(upper);" } }],
  [
    "a Set node",
    {
      type: `${BASE}set`,
      parameters: {
        assignments: { assignments: [{ name: "sku", value: "={{ $json.sku.toUpperCase() }}" }] },
      },
    },
  ],
])("a value that %s changed under the same name is traced to that node", (_what, node) => {
  const sent = (sku: string) => [[{ sku, count: 1 }]];
  const inbound: Step = { name: "Inbound", type: `${BASE}webhook`, sent: sent("mug-9") };
  const normalize: Step = { ...{ name: "Normalize", type: "" }, ...node, sent: sent("MUG-9") };
  expect(repeatedIn([inbound, normalize, check("Unknown MUG-9")])?.sentence).toBe(
    'The error of "Check" repeats the value of "sku", which "Normalize" sent.',
  );
});

test("among several values, the first that the error quotes is named", () => {
  const code = `${THROWS}\n$json.size; $json.sku;`;
  const sent: Step = { ...order(""), sent: [[{ size: "blue, large", sku: "X-1" }]] };
  expect(repeatedIn([sent, check('Unknown "X-1" of "blue, large"', code)])?.field).toBe("sku");
  expect(repeatedIn([sent, check('No size blue, large of "X-1"', code)])?.field).toBe("sku");
});

test("among several values, the longest is named", () => {
  const code = `${THROWS}\n$json.name; $json.sku;`;
  const sent: Step = { ...order("MUG-9"), sent: [[{ name: "blue", sku: "MUG-9 blue" }]] };
  expect(repeatedIn([sent, check("Unknown MUG-9 blue", code)])?.field).toBe("sku");
});

describe("no field is named for", () => {
  test.each<[string, unknown, string, string?]>([
    ["a part of a longer word", "MUG-9", "Unknown MUG-90"],
    ["a short value that may be there by chance", "a", "Unknown a"],
    ["a word of the node's own code", "Unknown", "Unknown article"],
    ["a word of any error", "message", 'no "message"'],
    ["an ordinary word without quotes", "customer", "The customer has no address"],
    ["a row that the database lists as a whole", "MUG-9", "null value | Failing row contains (MUG-9, null)."],
    ["a value that the node does not read", "MUG-9", "Unknown MUG-9", "throw new Error('Unknown')"],
  ])("%s", (_what, sku, message, code) => {
    expect(repeatedIn([order(sku), check(message, code)])).toBeUndefined();
  });
});

test("a short value or a word of the code counts if the error quotes it", () => {
  expect(repeatedIn([order("a"), check('Unknown "a"')])?.field).toBe("sku");
  expect(repeatedIn([order("Unknown"), check("Unknown 'Unknown'")])?.field).toBe("sku");
});

describe("a key that the workflow does not mention is payload", () => {
  const sentenceFor = (json: object, jsCode: string) =>
    repeatedIn([{ ...order(""), sent: [[json]] }, check("Unknown MUG-9", jsCode)]);

  test("so the sentence tells of its field what is around it", () => {
    const phones = sentenceFor({ phones: { "491701234567": { sku: "MUG-9" } } }, `${THROWS}\n$json.phones`);
    expect(phones).toMatchObject({
      field: "phones",
      sentence: 'The error of "Check" repeats the value of a field of "phones", which "Order" sent.',
      value: { sku: "MUG-9" },
    });
    const person = sentenceFor({ "Jane Doe": "MUG-9" }, "throw new Error($json)");
    expect(person).toMatchObject({
      sentence: 'The error of "Check" repeats the value of a field that "Order" sent.',
      value: { "Jane Doe": "MUG-9" },
    });
    expect(person).not.toHaveProperty("field");
  });
});

const INSERT = { operation: "insert", columns: { mappingMode: "autoMapInputData" } };
const inserting = (message: string, parameters: object = INSERT, more: object = {}): Step => ({
  name: "Insert",
  type: `${BASE}supabase`,
  parameters,
  error: { name: "NodeApiError", httpCode: "400", message: "Bad request", description: message, ...more },
});
const rows = (...items: object[]): Step => ({ name: "Rows", type: `${BASE}code`, sent: [items] });

describe("a field that the error names", () => {
  test("is told of a node that maps all fields, with the item of whose value it says so", () => {
    const steps = [
      rows({ total: 1 }, { total: "n/a" }, { total: 3 }),
      inserting("failed to parse field [total] of type [float]: 'n/a'"),
    ];
    expect(repeatedIn(steps)).toMatchObject({
      sentence: 'The error of "Insert" repeats the value of a field that "Rows" sent in item 2 of 3.',
      value: { total: "n/a" },
    });
  });

  test("is told by the entry of the list that the answer names", () => {
    const errors = { errors: { records: { "2": { sku: ["is not in the catalogue"] } } } };
    const steps = [
      rows({ records: [{ sku: "A-1" }, { sku: "A-2" }, { sku: "A-3" }] }),
      inserting(
        "Bad request",
        { body: "={{ $json.records }}" },
        { messages: [`422 - ${JSON.stringify(errors)}`] },
      ),
    ];
    expect(repeatedIn(steps)).toMatchObject({
      sentence: 'The error of "Insert" names a field of "records[2]", which "Rows" sent.',
      value: { sku: "A-3" },
    });
  });

  test("is told without an item or an entry if several have it", () => {
    const says = inserting("no 'sku' as these", { ...INSERT, match: "sku" });
    expect(repeatedIn([rows({ sku: "A-1" }, { sku: "A-2" }), says])?.sentence).toBe(
      'The error of "Insert" names "sku", which "Rows" sent.',
    );
    const unnamed = inserting("no 'sku' as these");
    expect(repeatedIn([rows({ sku: "A-1" }, { sku: "A-2" }), unnamed])).toBeUndefined();
  });

  test.each<[string, string, object?]>([
    ["a member of the answer's JSON", '{"sku": "x", "at": 1}'],
    ["an attribute of a page", '<div class="sku">broken</div>'],
    ["a general name", "no 'name' given"],
    ["a field of a node that takes no fields", "no 'sku' given", { url: "https://a" }],
  ])("is not %s", (_what, message, parameters) => {
    expect(repeatedIn([rows({ sku: "A-1", name: "B" }), inserting(message, parameters)])).toBeUndefined();
  });
});

describe("what code throws", () => {
  const CLASSES =
    "return $input.all().map(({ json }) => { throw new Error('No tax class for ' + where(json)) })";

  test("repeats a name or code that the code itself has not, with its item", () => {
    const steps = [
      rows({ country: "DE" }, { country: "XK" }),
      check("No tax class for XK [line 2]", CLASSES),
    ];
    expect(repeatedIn(steps)).toMatchObject({
      sentence: 'The error of "Check" repeats the value of a field that "Rows" sent in item 2 of 2.',
      value: { country: "XK" },
    });
  });

  test.each(["No", "class", "for"])("repeats no word of its own, such as %s", (word) => {
    const steps = [rows({ country: word }), check("No tax class for XK [line 2]", CLASSES)];
    expect(repeatedIn(steps)).toBeUndefined();
  });
});

describe("an item is told only if it is certain", () => {
  const MENTIONED = { ...INSERT, match: "email" };
  test.each<[string, Step]>([
    ["of a node", inserting("missing value for 'email'", MENTIONED)],
    ["of a service", inserting('null value in column "email" of relation "users"', MENTIONED)],
  ])("so not of a field that is named, as the items that lack it are not compared: %s", (_what, step) => {
    const found = repeatedIn([rows({ email: "a@b.c" }, { id: 2 }), step]);
    expect(found?.sentence).toBe('The error of "Insert" names "email", which "Rows" sent.');
    expect(found).not.toHaveProperty("value");
  });

  test("unless n8n says which item it was", () => {
    const says = inserting("bad 'email'", INSERT, { context: { itemIndex: 1 } });
    expect(repeatedIn([rows({ email: "a@b.c" }, { email: "x" }, { id: 3 }), says])).toMatchObject({
      sentence: 'The error of "Insert" names a field that "Rows" sent in item 2 of 3.',
      value: { email: "x" },
    });
  });

  test("and not of a value while there are more items than were read", () => {
    const sent = Array.from({ length: 30 }, (_, at) => ({ sku: at === 2 || at === 27 ? "MUG-9" : "CUP-2" }));
    const code = "for (const { json } of $input.all())\nthrow new Error('Unknown ' + json.sku);";
    expect(repeatedIn([rows(...sent), check("Unknown MUG-9", code)])?.sentence).toBe(
      'The error of "Check" repeats the value of "sku", which "Rows" sent.',
    );
  });

  test("nor is an entry of a list whose other entries may lack the field", () => {
    const says = inserting("no 'sku' given", { body: "={{ $json.lines }}", also: "sku" });
    const found = repeatedIn([rows({ lines: [{ sku: "A-1" }, { qty: 2 }] }), says]);
    expect(found?.field).toBe("lines");
    expect(found).not.toHaveProperty("value");
  });
});

test("of a value that is there twice, the field that the workflow reads is told, with its item", () => {
  const sent = [{ sku: "X-1" }, { body: { article: "MUG-9" }, sku: "MUG-9" }];
  const code = "for (const { json } of $input.all()) { const { sku } = json;\nthrow new Error(sku); }";
  expect(repeatedIn([rows(...sent), check("Unknown MUG-9", code)])?.sentence).toBe(
    'The error of "Check" repeats the value of "sku", which "Rows" sent in item 2 of 2.',
  );
});

describe("no field is told for", () => {
  const ASKS = { body: "={{ $json.amount }}" };
  const ALL = "const all = $input.all();\n";
  test.each<[string, object, Step]>([
    ["the amount of a limit", { amount: 1_000 }, inserting("Limit of 1000 requests per day", ASKS)],
    ["the year of a time", { amount: 2026 }, inserting("failed at 2026-11-30 10:00:00", ASKS)],
    ["the name of a table", { orders: 5 }, inserting('relation "public.orders" does not exist')],
    ["a name that two fields have", { a: { email: "x" }, b: { email: "y" } }, inserting("bad 'email'")],
    ["a state in the answer", { state: "failed" }, inserting('{"status": "failed"}')],
    [
      "a variable in the engine's words",
      { email: "a@b.c" },
      check("Cannot destructure property 'email' of 'user' as it is undefined.", `${ALL}find(all).email`),
    ],
    [
      "a word of a sentence on the lines below",
      { state: "Failed" },
      check("Payment Failed for 17", `${ALL}throw new Error(\n  \`Payment Failed for \${id}\`,\n);`),
    ],
    [
      "a word of a sentence made before",
      { kind: "Total" },
      check("Not valid: Missing Total", "const it = ['Missing Total', $input.all()];\nthrow new Error(it);"),
    ],
  ])("%s", (_what, json, step) => {
    expect(repeatedIn([rows(json), step])).toBeUndefined();
  });

  test("but a number that code puts into its sentence is", () => {
    expect(repeatedIn([order(1017), check("Unknown 1017")])?.field).toBe("sku");
  });
});
