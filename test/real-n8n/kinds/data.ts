/**
 * Failures caused by data: missing fields, wrong types, and what code does with them.
 */
import { code, node } from "../workflow-parts.ts";
import { codeForEach, filter, get, list, loop, merge, noOp, post, set, switchOn, when } from "./parts.ts";
import { type PlannedKind, wire } from "./stage.ts";

/** A customer without the address that later nodes need. */
const LOAD = code("Load customer", "return [{ json: { id: 7, name: 'Ana' } }]");
const LINES = [12, 4, 9, 3, 8, 11].map((price, at) => ({ line: at + 1, price }));
const TEN_LINES = [...LINES, { line: 7 }, ...[5, 6, 7].map((price) => ({ line: price + 3, price }))];

const failed = (name: string, ...nodes: ReturnType<typeof node>[]): PlannedKind => ({
  name,
  family: "failed",
  draft: { nodes },
});

export const dataKinds: readonly PlannedKind[] = [
  failed(
    "code-throws",
    set("Take order", { order: "={{ $json.body.order }}" }),
    code("Check stock", 'throw new Error("Stock of 17 is gone.")'),
  ),
  failed(
    "field-left-out",
    LOAD,
    code("Print label", "return [{ json: { to: $json.address.city.toUpperCase() } }]"),
  ),
  failed(
    "field-left-out-two-nodes-before",
    LOAD,
    set("Note time", { at: "noon" }, true),
    code("Print label", "return [{ json: { to: $json.address.city } }]"),
  ),
  failed(
    "field-left-out-by-name",
    LOAD,
    set("Greet", { greeting: "Hello" }),
    code(
      "Print label",
      "const customer = $('Load customer').first().json;\nreturn [{ json: { to: customer.address.city } }]",
    ),
  ),
  failed(
    "bad-json-body",
    code("Write note", `return [{ json: { note: 'a 12" pipe' } }]`),
    post("Send note", "http://127.0.0.1:1/notes", '={ "note": "{{ $json.note }}" }'),
  ),
  failed("expression-names-no-node", set("Sum up", { total: "={{ $('Gone').item.json.total }}" })),
  {
    name: "expression-node-not-run",
    family: "failed",
    draft: {
      nodes: [
        when("Is premium", {
          left: "={{ $json.body.tier }}",
          type: "string",
          operation: "equals",
          right: "premium",
        }),
        set("Premium price", { price: 10 }),
        set("Usual price", { usual: 12 }),
        set("Sum up", { total: "={{ $('Premium price').item.json.price }}" }),
      ],
      connections: wire(
        "Webhook > Is premium",
        "Is premium > Premium price",
        "Is premium.1 > Usual price",
        "Premium price > Sum up",
        "Usual price > Sum up",
      ),
    },
    sent: [{ tier: "basic" }],
  },
  failed(
    "pairing-lost",
    list("List lines", LINES.slice(0, 3)),
    code("Group lines", "return [{ json: { group: 'cheap' } }, { json: { group: 'dear' } }]"),
    set("Name line", { line: "={{ $('List lines').item.json.line }}" }),
  ),
  failed(
    "seventh-of-ten-items",
    list("List lines", TEN_LINES),
    codeForEach(
      "Price line",
      "if ($json.price === undefined) throw new Error('A line has no price');\nreturn { json: { sum: $json.price * 2 } }",
    ),
  ),
  {
    name: "third-turn-of-a-loop",
    family: "failed",
    draft: {
      nodes: [
        list("List rooms", [{ room: "A" }, { room: "B" }, { room: "C" }, { room: "D" }]),
        loop("Each room"),
        code(
          "Book room",
          "if ($json.room === 'C') throw new Error('Room is taken');\nreturn [{ json: { booked: $json.room } }]",
        ),
        noOp("Done"),
      ],
      connections: wire(
        "Webhook > List rooms",
        "List rooms > Each room",
        "Each room > Done",
        "Each room.1 > Book room",
        "Book room > Each room",
      ),
    },
  },
  failed(
    "set-wrong-type",
    list("Read sheet", [{ total: "twelve" }]),
    node("Clean total", "n8n-nodes-base.set", 3.4, {
      assignments: { assignments: [{ id: "t", name: "total", type: "number", value: "={{ $json.total }}" }] },
      options: {},
    }),
  ),
  failed(
    "if-wrong-type",
    list("Read sheet", [{ total: "many" }]),
    when("Is dear", { left: "={{ $json.total }}", type: "number", operation: "gt", right: 100 }),
    noOp("Ask boss"),
  ),
  failed(
    "filter-wrong-type",
    list("Read flags", [{ open: "perhaps" }]),
    filter("Only open", { left: "={{ $json.open }}", type: "boolean", operation: "true" }),
    noOp("Ship"),
  ),
  failed(
    "switch-wrong-type",
    list("Read kind", [{ kind: 5 }]),
    switchOn("By kind", "={{ $json.kind }}", ["5", "6"]),
    noOp("Ship"),
  ),
  {
    name: "merge-without-fields",
    family: "failed",
    draft: {
      nodes: [
        list("Orders", [{ id: 1 }]),
        list("Customers", [{ id: 1 }]),
        merge("Join", {
          mode: "combine",
          combineBy: "combineByFields",
          fieldsToMatchString: "",
          options: {},
        }),
      ],
      connections: wire("Webhook > Orders", "Webhook > Customers", "Orders > Join", "Customers > Join:1"),
    },
  },
  failed("code-returns-text", set("Take order", { order: 12 }), code("Answer", "return 'done'")),
  failed("code-syntax", code("Tidy", "const x = ;\nreturn []")),
  failed("code-unknown-variable", code("Add tax", "return [{ json: { gross: net * 1.19 } }]")),
  failed("code-module-refused", code("Call", "const axios = require('axios');\nreturn []")),
  failed(
    "bad-date",
    list("Read booking", [{ day: "31st of Juny" }]),
    node("Format day", "n8n-nodes-base.dateTime", 2, {
      operation: "formatDate",
      date: "={{ $json.day }}",
      format: "yyyy-MM-dd",
      options: {},
    }),
  ),
  failed(
    "bad-xml",
    list("Fetch feed", [{ data: "<feed><entry></feed>" }]),
    node("Parse feed", "n8n-nodes-base.xml", 1, { mode: "xmlToJson", options: {} }),
  ),
  failed(
    "sort-missing-field",
    list("Read scores", [{ points: 1 }, { points: 2 }]),
    node("Rank", "n8n-nodes-base.sort", 1, {
      sortFieldsUi: { sortField: [{ fieldName: "score", order: "descending" }] },
      options: {},
    }),
  ),
  {
    name: "html-for-json",
    family: "failed",
    draft: ({ services }) => ({
      nodes: [
        get("Fetch rates", `${services.url}/html`),
        code("Read rates", "const rates = JSON.parse($json.data);\nreturn [{ json: rates }]"),
      ],
    }),
  },
  {
    name: "url-from-missing-field",
    family: "failed",
    draft: {
      nodes: [
        code("Load settings", "return [{ json: { region: 'eu', key: 5 } }]"),
        get("Fetch orders", "={{ $json.host }}/orders"),
      ],
    },
  },
  {
    name: "url-undefined",
    family: "failed",
    draft: {
      nodes: [
        code("Load settings", "return [{ json: { region: 'eu', key: 5 } }]"),
        get("Fetch orders", "={{ $json.orders.url }}"),
      ],
    },
  },
];
