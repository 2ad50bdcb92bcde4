/** Files, expressions that read other nodes, and code. */
import {
  causedBy,
  code,
  expressionError,
  failing,
  made,
  nodeError,
  one,
  type ReportedCase,
  thrown,
  WEBHOOK,
} from "./case.ts";

const set = (name: string, value: string, type = "string") => ({
  assignments: { assignments: [{ id: "a", name, value, type }] },
});

export const files: readonly ReportedCase[] = [
  causedBy(
    "no-file-at-all",
    "#21070",
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
    /file/,
    /VideoFile/,
  ),
  causedBy(
    "no-file-of-that-name",
    "n8n-core binary-helper-functions",
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
    /file/,
    /data/,
  ),
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
  one(
    "path-not-allowed",
    "n8n-core file-system-helper-functions",
    [
      "Read file",
      "readWriteFile",
      nodeError("Access to the file is not allowed.", { description: "Allowed paths: /planted" }),
    ],
    /may not|allow/,
  ),
  one(
    "file-missing-elsewhere",
    "n8n-workflow errors/abstract/node.error",
    [
      "Run script",
      "executeCommand",
      nodeError("The file or directory does not exist", {
        messages: ["ENOENT: no such file or directory, open '/planted'"],
      }),
    ],
    /file|directory/,
  ),
  one(
    "no-permission-elsewhere",
    "n8n-workflow errors/abstract/node.error",
    [
      "Pack",
      "compression",
      nodeError("Forbidden by access permissions, make sure you have the right permissions", {
        messages: ["EACCES: permission denied, open '/planted'"],
      }),
    ],
    /may not|rights|allow/,
  ),
];

export const expressions: readonly ReportedCase[] = [
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

export const codes: readonly ReportedCase[] = [
  one(
    "module-with-line",
    "czlonkowski/n8n-mcp#480",
    [
      "Process & Aggregate",
      "code",
      thrown("Error", "Module 'crypto' is disallowed [line 2]"),
      code("const a = 1;\nconst c = require('crypto');"),
    ],
    /crypto/,
    /allow/,
  ),
  one(
    "python-name",
    "n8n task-runner-python",
    [
      "Compute",
      "code",
      thrown("NameError", "name 'total_net' is not defined"),
      {
        language: "pythonNative",
        pythonCode: "return [{'json': {'t': total_net}}]",
      },
    ],
    /total_net/,
    /defined/,
  ),
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
  one(
    "forgotten-return",
    "contextqmd.com n8n-code-javascript ERROR_PATTERNS",
    [
      "Tidy",
      "code",
      {
        name: "ValidationError",
        message: "Code doesn't return items properly",
        description: "Please return an array of objects, one for each item you would like to output.",
      },
      code("const items = $input.all();"),
    ],
    /return/,
  ),
  one(
    "constant-assigned",
    "V8",
    [
      "Count",
      "code",
      thrown("TypeError", "Assignment to constant variable. [line 2]"),
      code("const n = 0;\nn = 1;\nreturn [];"),
    ],
    /TypeError|constant|its code|own code/,
  ),
];
