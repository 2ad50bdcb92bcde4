/** Fields that an earlier node did not send. */
import { causedBy, code, failing, made, nodeError, one, type ReportedCase, thrown, WEBHOOK } from "./case.ts";

const undefinedOf = (member: string) =>
  thrown("TypeError", `Cannot read properties of undefined (reading '${member}') [line 2]`);

export const fields: readonly ReportedCase[] = [
  {
    ...causedBy(
      "optional-read-is-innocent",
      "hold-out x05",
      made("Load", { note: "n" }),
      failing(
        "Use",
        "code",
        undefinedOf("name"),
        code("const a = $json.user?.name ?? '';\nconst b = $json.client.name;"),
      ),
      /"client"/,
    ),
    neverSays: [/"user"/],
  },
  {
    kind: "first-missing-member",
    source: "contextqmd.com n8n-code-javascript ERROR_PATTERNS: webhook data is below body",
    steps: [
      WEBHOOK,
      failing(
        "Greet",
        "code",
        undefinedOf("name"),
        code("const d = $input.first().json;\nreturn [{ json: { hi: d.customer.name } }]"),
      ),
    ],
    roots: ["Webhook"],
    symptoms: ["Greet"],
    says: [/"customer"/],
  },
  {
    ...causedBy(
      "two-reads-one-there",
      "contextqmd.com n8n-code-javascript ERROR_PATTERNS",
      made("Load", { seller: { address: { city: "Bern" } }, buyer: {} }),
      failing(
        "Label",
        "code",
        undefinedOf("city"),
        code(
          "const from = $json.seller.address.city;\nconst to = $json.buyer.address.city;\nreturn [{ json: { from, to } }]",
        ),
      ),
      /"buyer\.address"/,
    ),
    neverSays: [/seller/],
  },
  {
    ...causedBy(
      "field-of-the-failing-item",
      "n8n-core: context.itemIndex",
      made("Load", { mail: null }, { mail: { to: "a" } }, { other: 1 }),
      failing(
        "Each",
        "code",
        { ...undefinedOf("to"), context: { itemIndex: 2 } },
        code("return { json: { to: $json.mail.to } }", "runOnceForEachItem"),
      ),
      /item 3 of 3/,
    ),
    neverSays: [/is null/],
  },
  {
    kind: "sheets-own-fault",
    source: "#20946",
    steps: [
      WEBHOOK,
      made("Take row", { stack: "a", replace: 4 }),
      failing("Update row", "googleSheets", nodeError("dummy.stack.replace is not a function"), {
        value: "={{ $json.stack }}",
      }),
    ],
    roots: ["Update row"],
    says: [/failed/],
    neverSays: [/"stack"|Take row/],
  },
  {
    kind: "agent-own-fault",
    source: "#19712",
    steps: [
      WEBHOOK,
      made("Take question", { chatInput: "hi" }),
      failing(
        "Chain",
        "@n8n/n8n-nodes-langchain.chainLlm",
        { name: "TypeError", message: "Cannot read properties of null (reading 'length')" },
        { text: "={{ $json.chatInput }}" },
      ),
    ],
    roots: ["Chain"],
    says: [/failed/],
    neverSays: [/chatInput|Take question/],
  },
  causedBy(
    "summarize-no-field",
    "n8n-nodes-base Transform/Summarize/utils",
    made("List", { a: 1 }, { a: 2 }),
    failing("Sum", "summarize", nodeError("The field 'price' does not exist in any items"), {
      fieldsToSummarize: { values: [{ field: "price" }] },
    }),
    /"price"/,
  ),
  causedBy(
    "xml-no-property",
    "n8n-nodes-base Xml",
    made("Fetch feed", { body: "<a/>" }),
    failing("To JSON", "xml", nodeError('Item has no JSON property called "data"'), {
      dataPropertyName: "data",
    }),
    /"data"/,
  ),
  causedBy(
    "html-no-property",
    "n8n-nodes-base Html",
    made("Fetch page", { body: "<p>" }),
    failing("Extract", "html", nodeError('No property named "data" exists!'), { dataPropertyName: "data" }),
    /"data"/,
  ),
  {
    kind: "sheets-match-column",
    source: "n8n-nodes-base Google/Sheet update operation",
    steps: [
      WEBHOOK,
      made("Rows", { name: "a" }),
      failing(
        "Update row",
        "googleSheets",
        nodeError(
          "Column to match on not found in input item. Add a column to match on or set the 'Data Mode' to 'Define Below' to define the value to match on.",
        ),
        { columns: { matchingColumns: ["id"] } },
      ),
    ],
    roots: ["Update row", "Rows"],
    says: [/column/i],
  },
  one(
    "sheets-columns-changed",
    "#28286, #15135",
    [
      "Append row in sheet3",
      "googleSheets",
      nodeError("Column names were updated after the node's setup", {
        description:
          "Refresh the columns list in the 'Column to Match On' parameter. Updated columns: planted",
      }),
    ],
    /column/i,
  ),
  {
    kind: "sheet-not-found",
    source: "n8n-nodes-base Google/Sheet/v2/helpers/GoogleSheet",
    steps: [
      WEBHOOK,
      made("Rows", { name: "a" }),
      failing("Get rows", "googleSheets", nodeError("Sheet with ID 712260607 not found")),
    ],
    roots: ["Get rows"],
    says: [/not (?:found|there)|exist/i],
    neverSays: [/712260607/],
  },
  one(
    "data-table-gone",
    "n8n-nodes-base DataTable",
    ["Insert row", "dataTable", nodeError('Data table with name "planted" not found')],
    /not (?:found|there)|exist/i,
  ),
];
