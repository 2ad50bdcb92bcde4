/** What an earlier node made, or did not make: fields, types, JSON, files; expressions; code. */
import {
  expressionError,
  failing,
  made,
  nodeError,
  type OtherCase,
  ownError,
  thrown,
  WEBHOOK,
} from "./case.ts";

const undefinedOf = (member: string) =>
  thrown("TypeError", `Cannot read properties of undefined (reading '${member}') [line 2]`);

const code = (jsCode: string, mode?: string) => ({ jsCode, ...(mode === undefined ? {} : { mode }) });
const set = (name: string, value: string, type = "string") => ({
  assignments: { assignments: [{ id: "a", name, value, type }] },
});

const fields: readonly OtherCase[] = [
  {
    kind: "optional-read-is-innocent",
    source: "hold-out x05",
    steps: [
      WEBHOOK,
      made("Load", { note: "n" }),
      failing(
        "Use",
        "code",
        undefinedOf("name"),
        code("const a = $json.user?.name ?? '';\nconst b = $json.client.name;"),
      ),
    ],
    roots: ["Load"],
    symptoms: ["Use"],
    says: [/"client"/],
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
    kind: "two-reads-one-there",
    source: "contextqmd.com n8n-code-javascript ERROR_PATTERNS",
    steps: [
      WEBHOOK,
      made("Load", { seller: { address: { city: "Bern" } }, buyer: {} }),
      failing(
        "Label",
        "code",
        undefinedOf("city"),
        code(
          "const from = $json.seller.address.city;\nconst to = $json.buyer.address.city;\nreturn [{ json: { from, to } }]",
        ),
      ),
    ],
    roots: ["Load"],
    symptoms: ["Label"],
    says: [/"buyer\.address"/],
    neverSays: [/seller/],
  },
  {
    kind: "field-of-the-failing-item",
    source: "n8n-core: context.itemIndex",
    steps: [
      WEBHOOK,
      made("Load", { mail: null }, { mail: { to: "a" } }, { other: 1 }),
      failing(
        "Each",
        "code",
        { ...undefinedOf("to"), context: { itemIndex: 2 } },
        code("return { json: { to: $json.mail.to } }", "runOnceForEachItem"),
      ),
    ],
    roots: ["Load"],
    symptoms: ["Each"],
    says: [/item 3 of 3/],
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
  {
    kind: "summarize-no-field",
    source: "n8n-nodes-base Transform/Summarize/utils",
    steps: [
      WEBHOOK,
      made("List", { a: 1 }, { a: 2 }),
      failing("Sum", "summarize", nodeError("The field 'price' does not exist in any items"), {
        fieldsToSummarize: { values: [{ field: "price" }] },
      }),
    ],
    roots: ["List"],
    symptoms: ["Sum"],
    says: [/"price"/],
  },
  {
    kind: "xml-no-property",
    source: "n8n-nodes-base Xml",
    steps: [
      WEBHOOK,
      made("Fetch feed", { body: "<a/>" }),
      failing("To JSON", "xml", nodeError('Item has no JSON property called "data"'), {
        dataPropertyName: "data",
      }),
    ],
    roots: ["Fetch feed"],
    symptoms: ["To JSON"],
    says: [/"data"/],
  },
  {
    kind: "html-no-property",
    source: "n8n-nodes-base Html",
    steps: [
      WEBHOOK,
      made("Fetch page", { body: "<p>" }),
      failing("Extract", "html", nodeError('No property named "data" exists!'), { dataPropertyName: "data" }),
    ],
    roots: ["Fetch page"],
    symptoms: ["Extract"],
    says: [/"data"/],
  },
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
  {
    kind: "sheets-columns-changed",
    source: "#28286, #15135",
    steps: [
      WEBHOOK,
      made("Rows", { name: "a" }),
      failing(
        "Append row in sheet3",
        "googleSheets",
        nodeError("Column names were updated after the node's setup", {
          description:
            "Refresh the columns list in the 'Column to Match On' parameter. Updated columns: planted",
        }),
      ),
    ],
    roots: ["Append row in sheet3"],
    says: [/column/i],
    neverSays: [/planted/],
  },
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
  {
    kind: "data-table-gone",
    source: "n8n-nodes-base DataTable",
    steps: [
      WEBHOOK,
      made("Rows", { name: "a" }),
      failing("Insert row", "dataTable", nodeError('Data table with name "planted" not found')),
    ],
    roots: ["Insert row"],
    says: [/not (?:found|there)|exist/i],
  },
];

const json: readonly OtherCase[] = [
  {
    kind: "stringified-is-innocent",
    source: "hold-out x03",
    steps: [
      WEBHOOK,
      made("Load", { note: 'a "quoted" text', tier: "gold" }),
      failing("Post", "httpRequest", nodeError("JSON parameter needs to be valid JSON"), {
        jsonBody: '={ "note": {{ JSON.stringify($json.note) }}, "tier": {{ $json.tier }} }',
      }),
    ],
    roots: ["Load", "Post"],
    says: [/JSON/, /"tier"/],
    neverSays: [/"note"/],
  },
  {
    kind: "absent-in-quotes-is-innocent",
    source: "n8n tournament: what is not there is put in as nothing",
    steps: [
      WEBHOOK,
      made("Load", { text: "two\nlines" }),
      failing("Post", "httpRequest", nodeError('The value in the "JSON Body" field is not valid JSON'), {
        jsonBody:
          '={ "name": "{{ $json.name }}", "nick": {{ $json.nick ?? null }}, "text": "{{ $json.text }}" }',
      }),
    ],
    roots: ["Load", "Post"],
    says: [/"text"/, /line break/],
    neverSays: [/"name"|"nick"/],
  },
  {
    kind: "set-json-mode",
    source: "n8n-nodes-base Set/v2/helpers/utils",
    steps: [
      WEBHOOK,
      made("Load", { text: 'say "hi"' }),
      failing(
        "Shape",
        "set",
        nodeError("The 'JSON Output' in item 0 contains invalid JSON", { description: "planted" }),
        { mode: "raw", jsonOutput: '={ "text": "{{ $json.text }}" }' },
      ),
    ],
    roots: ["Load", "Shape"],
    says: [/JSON/, /"text"/],
  },
  {
    kind: "parse-of-a-variable",
    source: "hold-out x04",
    steps: [
      WEBHOOK,
      made("Load", { name: "Ann", raw: "{broken" }),
      failing(
        "Parse",
        "code",
        thrown(
          "SyntaxError",
          "Expected property name or '}' in JSON at position 1 (line 1 column 2) [line 3]",
        ),
        code("const name = $json.name;\nconst raw = $json.raw;\nreturn [{ json: JSON.parse(raw) }]"),
      ),
    ],
    roots: ["Load"],
    symptoms: ["Parse"],
    says: [/"raw"/],
    neverSays: [/"name"/],
  },
  {
    kind: "parse-of-what-is-not-there",
    source: "hold-out f40",
    steps: [
      WEBHOOK,
      failing(
        "Parse",
        "code",
        thrown("SyntaxError", '"undefined" is not valid JSON [line 1]'),
        code("return [{ json: JSON.parse($input.first().json.body.payload) }]"),
      ),
    ],
    roots: ["Webhook"],
    symptoms: ["Parse"],
    says: [/"body\.payload"/, /no /],
  },
  {
    kind: "parse-of-an-object",
    source: "contextqmd.com n8n-code-javascript ERROR_PATTERNS",
    steps: [
      WEBHOOK,
      made("Load", { data: { a: 1 } }),
      failing(
        "Parse",
        "code",
        thrown("SyntaxError", '"[object Object]" is not valid JSON [line 1]'),
        code("return [{ json: JSON.parse($json.data) }]"),
      ),
    ],
    roots: ["Load"],
    symptoms: ["Parse"],
    says: [/"data"/, /object/],
  },
  {
    kind: "parse-of-a-model-answer",
    source: "#22370: a model's answer in a code fence",
    steps: [
      WEBHOOK,
      made("Ask model", { output: '```json\n{"a":1}\n```', id: "x y" }),
      failing(
        "Read links",
        "code",
        thrown("SyntaxError", "Unexpected token '`', \"```json\n{\"... is not valid JSON [line 3]"),
        code(
          "const id = items[0].json.id;\nconst text = items[0].json.output;\nconst links = JSON.parse(text);",
        ),
      ),
    ],
    roots: ["Ask model"],
    symptoms: ["Read links"],
    says: [/"output"/, /JSON/],
  },
  {
    kind: "parser-of-an-agent",
    source: "#9312",
    steps: [
      WEBHOOK,
      made("Take question", { chatInput: "hello there" }),
      failing(
        "AI Agent",
        "@n8n/n8n-nodes-langchain.agent",
        {
          name: "OutputParserException",
          message:
            'Failed to parse. Text: "planted". Error: SyntaxError: Unexpected token I in JSON at position 0',
        },
        { text: "={{ $json.chatInput }}" },
      ),
    ],
    roots: ["AI Agent"],
    says: [/format|read|parse/],
    neverSays: [/chatInput|planted|Take question/],
  },
  {
    kind: "execute-workflow-json",
    source: "#5326",
    steps: [
      WEBHOOK,
      made("Take order", { a: 1 }),
      failing("Call", "executeWorkflow", ownError("JSON parameter need to be an valid JSON")),
    ],
    roots: ["Call"],
    says: [/JSON/],
  },
];

const types: readonly OtherCase[] = [
  {
    kind: "loose-conversion",
    source: "n8n-workflow filter-parameter",
    steps: [
      WEBHOOK,
      made("Load", { age: "old" }),
      failing(
        "Is adult",
        "if",
        nodeError(
          "Conversion error: the string 'planted' can't be converted to a number [condition 0, item 0]",
        ),
        {
          conditions: {
            conditions: [
              {
                leftValue: "={{ $json.age }}",
                rightValue: 18,
                operator: { type: "number", operation: "gt" },
              },
            ],
          },
        },
      ),
    ],
    roots: ["Load"],
    symptoms: ["Is adult"],
    says: [/"age"/, /number/],
    neverSays: [/planted/],
  },
  {
    kind: "switch-output",
    source: "n8n-nodes-base Switch",
    steps: [
      WEBHOOK,
      made("Load", { way: 9 }),
      failing("By way", "switch", nodeError("The ouput 9 is not allowed. It has to be between 0 and 3!"), {
        mode: "expression",
        output: "={{ $json.way }}",
      }),
    ],
    roots: ["By way", "Load"],
    says: [/output/],
  },
  {
    kind: "date-not-recognized",
    source: "n8n-nodes-base DateTime/V2",
    steps: [
      WEBHOOK,
      made("Load", { day: "31.31.2026" }),
      failing(
        "Format",
        "dateTime",
        nodeError('The date input format could not be recognized. Please set the "From Format" field'),
        { date: "={{ $json.day }}" },
      ),
    ],
    roots: ["Load"],
    symptoms: ["Format"],
    says: [/date/, /"day"/],
  },
  {
    kind: "wait-amount",
    source: "n8n-nodes-base Wait",
    steps: [
      WEBHOOK,
      made("Load", { delay: "soon" }),
      failing(
        "Pause",
        "wait",
        nodeError("Invalid wait amount. Please enter a number that is 0 or greater."),
        { amount: "={{ $json.delay }}" },
      ),
    ],
    roots: ["Load", "Pause"],
    says: [/"delay"|amount/],
  },
  {
    kind: "url-undefined-here",
    source: "n8n-nodes-base HttpRequestV3",
    steps: [
      WEBHOOK,
      made("Load", { link: "x" }),
      failing(
        "Get",
        "httpRequest",
        nodeError('Invalid URL: undefined. URL must start with "http" or "https".'),
        { url: "={{ $json.url }}" },
      ),
    ],
    roots: ["Load"],
    symptoms: ["Get"],
    says: [/"url"/],
  },
  {
    kind: "parameter-of-an-item",
    source: "n8n-workflow: context.itemIndex of a parameter",
    steps: [
      WEBHOOK,
      made("Load", { url: "https://a.example" }, { name: "b" }),
      failing(
        "Get",
        "httpRequest",
        nodeError("URL parameter must be a string, got undefined", { context: { itemIndex: 1 } }),
        { url: "={{ $json.url }}" },
      ),
    ],
    roots: ["Load"],
    symptoms: ["Get"],
    says: [/"url"/, /item 2 of 2/],
  },
];

const files: readonly OtherCase[] = [
  {
    kind: "no-file-at-all",
    source: "#21070",
    steps: [
      WEBHOOK,
      made("Merge", { url: "https://a.example" }),
      failing(
        "Direct file upload",
        "httpRequest",
        nodeError(
          "This operation expects the node's input data to contain a binary file 'VideoFile', but none was found [item 0]",
          { description: "Make sure that the previous node outputs a binary file" },
        ),
        { inputDataFieldName: "VideoFile" },
      ),
    ],
    roots: ["Merge"],
    symptoms: ["Direct file upload"],
    says: [/file/, /VideoFile/],
  },
  {
    kind: "no-file-of-that-name",
    source: "n8n-core binary-helper-functions",
    steps: [
      WEBHOOK,
      made("Download", { ok: true }),
      failing(
        "Extract",
        "extractFromFile",
        nodeError("The item has no binary field 'data' [item 0]", {
          description:
            "Check that the parameter where you specified the input binary field name is correct, and that it matches a field in the binary input",
        }),
        { binaryPropertyName: "data" },
      ),
    ],
    roots: ["Download"],
    symptoms: ["Extract"],
    says: [/file/, /data/],
  },
  {
    kind: "no-binary-on-item",
    source: "go-vikunja/n8n-vikunja-nodes#116",
    steps: [
      WEBHOOK,
      made("Make", { ok: true }),
      failing("PDF", "n8n-nodes-pdfkit.pdfkit", nodeError("No binary data exists on item!")),
    ],
    roots: ["Make", "PDF"],
    says: [/file|binary/],
  },
  {
    kind: "path-not-allowed",
    source: "n8n-core file-system-helper-functions",
    steps: [
      WEBHOOK,
      made("Take", { p: "/x" }),
      failing(
        "Read file",
        "readWriteFile",
        nodeError("Access to the file is not allowed.", { description: "Allowed paths: /planted" }),
      ),
    ],
    roots: ["Read file"],
    says: [/may not|allow/],
  },
  {
    kind: "file-missing-elsewhere",
    source: "n8n-workflow errors/abstract/node.error",
    steps: [
      WEBHOOK,
      made("Take", { p: "/x" }),
      failing(
        "Run script",
        "executeCommand",
        nodeError("The file or directory does not exist", {
          messages: ["ENOENT: no such file or directory, open '/planted'"],
        }),
      ),
    ],
    roots: ["Run script"],
    says: [/file|directory/],
  },
  {
    kind: "no-permission-elsewhere",
    source: "n8n-workflow errors/abstract/node.error",
    steps: [
      WEBHOOK,
      made("Take", { p: "/x" }),
      failing(
        "Pack",
        "compression",
        nodeError("Forbidden by access permissions, make sure you have the right permissions", {
          messages: ["EACCES: permission denied, open '/planted'"],
        }),
      ),
    ],
    roots: ["Pack"],
    says: [/may not|rights|allow/],
  },
];

const expressions: readonly OtherCase[] = [
  {
    kind: "branch-not-taken",
    source: "#6880, #35380",
    steps: [
      WEBHOOK,
      { name: "Is paid", type: "n8n-nodes-base.if", sent: [[], [{ id: 1 }]] },
      { name: "Code1", after: [["Is paid", 0]] },
      {
        ...failing(
          "Convert to File",
          "convertToFile",
          expressionError("Node 'Code1' hasn't been executed", {
            type: "no_execution_data",
            nodeCause: "Code1",
            itemIndex: 0,
            runIndex: 0,
          }),
          { sourceProperty: "={{ $('Code1').item.json.a }}" },
        ),
        after: [["Is paid", 1]],
      },
    ],
    roots: ["Code1", "Convert to File"],
    symptoms: ["Is paid"],
    says: [/Code1/, /did not run/],
  },
  {
    kind: "pairing-after-error-output",
    source: "#30050",
    steps: [
      WEBHOOK,
      made("Get contact", { a: 1 }, { a: 2 }),
      made("Pick", { b: 1 }),
      failing(
        "Use",
        "set",
        expressionError(
          "Paired item data for item from node 'Pick' is unavailable. Ensure 'Pick' is providing the required output.",
          { type: "paired_item_no_info", nodeCause: "Pick", itemIndex: 0 },
        ),
        set("m", "={{ $('Get contact').item.json.a }}"),
      ),
    ],
    roots: ["Pick"],
    symptoms: ["Use", "Get contact"],
    says: [/pair/],
  },
  {
    kind: "no-path-back",
    source: "n8n-docs#2027",
    steps: [
      WEBHOOK,
      { ...made("CodeB", { a: 1 }), after: ["Webhook"] },
      { ...made("CodeA", { a: 1 }), after: ["Webhook"] },
      failing(
        "Use",
        "code",
        expressionError("No path back to referenced node", {
          type: "paired_item_no_connection",
          nodeCause: "CodeB",
          itemIndex: 0,
        }),
        code("return $('CodeB').item.json"),
      ),
    ],
    roots: ["CodeB", "Use"],
    says: [/not connected/, /CodeB/],
    neverSays: [/without saying which/],
  },
  {
    kind: "several-matches",
    source: "n8n-workflow workflow-data-proxy",
    steps: [
      WEBHOOK,
      made("List", { a: 1 }, { a: 2 }),
      made("Merge", { b: 1 }),
      failing(
        "Use",
        "set",
        expressionError("Multiple matches found", {
          type: "paired_item_multiple_matches",
          nodeCause: "List",
          itemIndex: 0,
        }),
        set("m", "={{ $('List').item.json.a }}"),
      ),
    ],
    roots: ["List", "Use", "Merge"],
    says: [/several/],
    neverSays: [/without saying which/],
  },
  {
    kind: "syntax-of-an-expression",
    source: "n8n-workflow expression",
    steps: [
      WEBHOOK,
      made("Load", { a: 1 }),
      failing(
        "Use",
        "set",
        expressionError("invalid syntax", { itemIndex: 0 }),
        set("m", "={{ $json.a + }}"),
      ),
    ],
    roots: ["Use"],
    says: [/expression/, /syntax/],
  },
  {
    kind: "not-in-this-mode",
    source: "n8n-nodes-base Code/Sandbox, n8n-workflow workflow-data-proxy",
    steps: [
      WEBHOOK,
      made("Load", { a: 1 }),
      failing(
        "Each",
        "code",
        expressionError(
          "Can't use .all() here [line 1, for item 0]",
          {},
          { description: "This is only available in 'Run Once for All Items' mode", lineNumber: 1 },
        ),
        code("return $input.all()", "runOnceForEachItem"),
      ),
    ],
    roots: ["Each"],
    says: [/mode/],
  },
];

const codes: readonly OtherCase[] = [
  {
    kind: "module-with-line",
    source: "czlonkowski/n8n-mcp#480",
    steps: [
      WEBHOOK,
      failing(
        "Process & Aggregate",
        "code",
        thrown("Error", "Module 'crypto' is disallowed [line 2]"),
        code("const a = 1;\nconst c = require('crypto');"),
      ),
    ],
    roots: ["Process & Aggregate"],
    says: [/crypto/, /allow/],
  },
  {
    kind: "python-name",
    source: "n8n task-runner-python",
    steps: [
      WEBHOOK,
      failing("Compute", "code", thrown("NameError", "name 'total_net' is not defined"), {
        language: "pythonNative",
        pythonCode: "return [{'json': {'t': total_net}}]",
      }),
    ],
    roots: ["Compute"],
    says: [/total_net/, /defined/],
  },
  {
    kind: "python-key",
    source: "n8n task-runner-python",
    steps: [
      WEBHOOK,
      made("Load", { name: "a" }),
      failing("Compute", "code", thrown("KeyError", "'price'"), {
        language: "pythonNative",
        pythonCode: "return [{'json': {'t': _items[0]['json']['price']}}]",
      }),
    ],
    roots: ["Load", "Compute"],
    says: [/"price"|KeyError|key/],
  },
  {
    kind: "forgotten-return",
    source: "contextqmd.com n8n-code-javascript ERROR_PATTERNS",
    steps: [
      WEBHOOK,
      failing(
        "Tidy",
        "code",
        {
          name: "ValidationError",
          message: "Code doesn't return items properly",
          description: "Please return an array of objects, one for each item you would like to output.",
        },
        code("const items = $input.all();"),
      ),
    ],
    roots: ["Tidy"],
    says: [/return/],
  },
  {
    kind: "constant-assigned",
    source: "V8",
    steps: [
      WEBHOOK,
      failing(
        "Count",
        "code",
        thrown("TypeError", "Assignment to constant variable. [line 2]"),
        code("const n = 0;\nn = 1;\nreturn [];"),
      ),
    ],
    roots: ["Count"],
    says: [/TypeError|constant|its code|own code/],
  },
];

export const dataCases: readonly OtherCase[] = [
  ...fields,
  ...json,
  ...types,
  ...files,
  ...expressions,
  ...codes,
];
