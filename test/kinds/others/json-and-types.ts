/** Values from an earlier node that are invalid JSON or of another type. */
import {
  causedBy,
  code,
  failing,
  made,
  nodeError,
  one,
  ownError,
  type ReportedCase,
  thrown,
  WEBHOOK,
} from "./case.ts";

export const json: readonly ReportedCase[] = [
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
    ...causedBy(
      "parse-of-a-variable",
      "hold-out x04",
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
      /"raw"/,
    ),
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
  causedBy(
    "parse-of-an-object",
    "contextqmd.com n8n-code-javascript ERROR_PATTERNS",
    made("Load", { data: { a: 1 } }),
    failing(
      "Parse",
      "code",
      thrown("SyntaxError", '"[object Object]" is not valid JSON [line 1]'),
      code("return [{ json: JSON.parse($json.data) }]"),
    ),
    /"data"/,
    /object/,
  ),
  causedBy(
    "parse-of-a-model-answer",
    "#22370: a model's answer in a code fence",
    made("Ask model", { output: '```json\n{"a":1}\n```', id: "x y" }),
    failing(
      "Read links",
      "code",
      thrown("SyntaxError", "Unexpected token '`', \"```json\n{\"... is not valid JSON [line 3]"),
      code(
        "const id = items[0].json.id;\nconst text = items[0].json.output;\nconst links = JSON.parse(text);",
      ),
    ),
    /"output"/,
    /JSON/,
  ),
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
  one(
    "execute-workflow-json",
    "#5326",
    ["Call", "executeWorkflow", ownError("JSON parameter need to be an valid JSON")],
    /JSON/,
  ),
];

export const types: readonly ReportedCase[] = [
  {
    ...causedBy(
      "loose-conversion",
      "n8n-workflow filter-parameter",
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
      /"age"/,
      /number/,
    ),
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
  causedBy(
    "date-not-recognized",
    "n8n-nodes-base DateTime/V2",
    made("Load", { day: "31.31.2026" }),
    failing(
      "Format",
      "dateTime",
      nodeError('The date input format could not be recognized. Please set the "From Format" field'),
      { date: "={{ $json.day }}" },
    ),
    /date/,
    /"day"/,
  ),
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
  causedBy(
    "url-undefined-here",
    "n8n-nodes-base HttpRequestV3",
    made("Load", { link: "x" }),
    failing(
      "Get",
      "httpRequest",
      nodeError('Invalid URL: undefined. URL must start with "http" or "https".'),
      { url: "={{ $json.url }}" },
    ),
    /"url"/,
  ),
  causedBy(
    "parameter-of-an-item",
    "n8n-workflow: context.itemIndex of a parameter",
    made("Load", { url: "https://a.example" }, { name: "b" }),
    failing(
      "Get",
      "httpRequest",
      nodeError("URL parameter must be a string, got undefined", { context: { itemIndex: 1 } }),
      { url: "={{ $json.url }}" },
    ),
    /"url"/,
    /item 2 of 2/,
  ),
];
