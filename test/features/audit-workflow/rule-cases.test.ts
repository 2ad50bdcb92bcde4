/** Rules on what can be written in several ways, and on what only looks like a fault. */
import { describe, expect, test } from "vitest";
import { answerOf, MEMBERS } from "../../../src/features/audit-workflow/answers.ts";
import { isCheck, isCritical, withoutComments } from "../../../src/features/audit-workflow/node-kinds.ts";
import { plainSecrets } from "../../../src/features/audit-workflow/plain-secrets.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { wire } from "../../real-n8n/by-the-book/parts.ts";
import { nodeOf as bookNode } from "../../real-n8n/by-the-book/variants.ts";
import { code, node, type WorkflowNode } from "../../real-n8n/workflow-parts.ts";
import { nodeOf } from "../../support/workflow-builder.ts";
import { auditBook, bookIds, newBook } from "./audited-book.ts";

type Book = ReturnType<typeof newBook>;

/** The findings in the changed book, by rule and node. */
function found(change: (book: Book) => void): string[] {
  const book = newBook();
  change(book);
  return auditBook(book).findings.map((each) => `${each.rule} at ${each.node}`);
}

function unjudged(change: (book: Book) => void): string[] {
  const book = newBook();
  change(book);
  return auditBook(book).unjudged.map((each) => `${each.rule} at ${each.node}`);
}

/** Replaces the node with the success answer. */
function answerWith(answer: Omit<WorkflowNode, "name">) {
  return (book: Book): void => {
    const place = book.searchContact.nodes.findIndex(({ name }) => name === "Success: Contacts");
    book.searchContact.nodes[place] = { ...answer, name: "Success: Contacts" };
  };
}
const STANDARD = "output/standard-format at Success: Contacts";
const set = (typeVersion: number, parameters: Record<string, unknown>) =>
  answerWith(node("", "n8n-nodes-base.set", typeVersion, parameters));
const js = (source: string) => answerWith(code("", source));

const fields = (...names: string[]) =>
  names.map((name) => ({ name, value: name === "status" ? "success" : "={{ $json.x }}" }));
const ALL = ["status", "data.message", "meta.timestamp"];

describe("the standard answer", () => {
  test.each([
    ["Edit Fields", set(3.4, { assignments: { assignments: fields(...ALL) } })],
    [
      "Edit Fields with an object",
      set(3.4, {
        assignments: {
          assignments: [
            ...fields("status", "data"),
            { name: "meta", type: "object", value: "={{ { timestamp: $now } }}" },
          ],
        },
      }),
    ],
    [
      "Edit Fields in JSON",
      set(3.4, {
        mode: "raw",
        jsonOutput: '={ "status": "success", "data": {}, "meta": { "timestamp": "{{ $now }}" } }',
      }),
    ],
    [
      "Edit Fields in an expression",
      set(3.4, {
        mode: "raw",
        jsonOutput: "={{ { status: 'success', data: $json, meta: { timestamp: $now } } }}",
      }),
    ],
    [
      "Edit Fields 3.2",
      set(3.2, {
        fields: { values: ALL.map((name) => ({ name, type: "stringValue", stringValue: "success" })) },
        include: "none",
      }),
    ],
    ["Set", set(2, { keepOnlySet: true, values: { string: fields(...ALL) } })],
    [
      "code with a variable",
      js(
        "const status = 'success'; const data = {}; const meta = { timestamp: new Date() };\nreturn [{ json: { status, data, meta } }];",
      ),
    ],
    [
      "code that chooses",
      js(
        "const ok = true; return { status: ok ? 'success' : 'error', data: { message: '' }, meta: { timestamp: 1 } };",
      ),
    ],
    [
      "Python",
      answerWith(
        node("", "n8n-nodes-base.code", 2, {
          language: "python",
          pythonCode: 'return [{"json": {"status": "success", "data": {}, "meta": {"timestamp": "now"}}}]',
        }),
      ),
    ],
  ])("is recognized in %s", (_what, change) => {
    expect(found(change)).toEqual([]);
    expect(unjudged(change)).toEqual([]);
  });

  test.each([
    ["Edit Fields without meta", set(3.4, { assignments: { assignments: fields("status", "data") } })],
    [
      "Edit Fields that say meta.timestamp without a path",
      set(3.4, {
        assignments: { assignments: fields("status", "data", "meta.timestamp") },
        options: { dotNotation: false },
      }),
    ],
    ["meta without timestamp", js("return [{ json: { status: 'success', data: {}, meta: { at: 1 } } }];")],
    ["a status of its own", js("return [{ json: { status: 'ok', data: {}, meta: { timestamp: 1 } } }];")],
    [
      "keys in comments alone",
      js("/* status: 1, data: 1, */ return [{ json: { x: 1 } }]; // meta: { timestamp: 1 }"),
    ],
    [
      "an HTTP Request",
      answerWith({
        ...node("", "n8n-nodes-base.httpRequest", 4.2, { url: "http://x.example" }),
        onError: "continueRegularOutput",
      }),
    ],
    ["Stop and Error", answerWith(node("", "n8n-nodes-base.stopAndError", 1))],
  ])("is missing in %s", (_what, change) => {
    expect(found(change)).toContain(STANDARD);
  });

  test.each([
    [
      "Edit Fields that keep what came",
      set(3.4, { assignments: { assignments: fields("status") }, includeOtherFields: true }),
    ],
    ["Set that keeps what came", set(1, { values: { string: fields("status") } })],
    ["an expression for all", set(3.4, { mode: "raw", jsonOutput: "={{ $json }}" })],
    ["meta from elsewhere", set(3.4, { assignments: { assignments: fields("status", "data", "meta") } })],
    ["a spread", js("return [{ json: { ...$json, status: 'success' } }];")],
    ["an item made elsewhere", js("const out = JSON.parse($json.text); return [{ json: out }];")],
    ["an unknown node", answerWith(node("", "n8n-nodes-base.xml", 1))],
  ])("is not judged in %s", (_what, change) => {
    expect(found(change)).toEqual([]);
    expect(unjudged(change)).toEqual([STANDARD]);
  });

  test("is also found before nodes that pass items on, and before disabled ones", () => {
    const end = (last: WorkflowNode) => (book: Book) => {
      book.searchContact.nodes.push(last);
      Object.assign(
        book.searchContact.connections,
        wire(["Success: Contacts", last.name], ["Error: Invalid Input", last.name]),
      );
    };
    for (const type of ["noOp", "merge", "respondToWebhook"]) {
      const change = end(node("Done", `n8n-nodes-base.${type}`, 1));
      expect([found(change), unjudged(change)]).toEqual([[], []]);
    }
    const disabled = { ...node("Done", "n8n-nodes-base.postgres", 1), disabled: true };
    expect(found(end(disabled))).toEqual([]);
    expect(found(end(node("Done", "n8n-nodes-base.postgres", 1)))).toContain(
      "output/standard-format at Done",
    );
  });

  test("is missing in a tool that ends where it begins", () => {
    const rules = found((book) => {
      book.searchContact.connections = {};
      book.searchContact.nodes = book.searchContact.nodes.filter(({ name }) =>
        ["Start", "Read Me"].includes(name),
      );
    });
    expect(rules).toContain("output/standard-format at Start");
  });

  test("is not required of what only a test trigger starts", () => {
    const change = (book: Book) => {
      book.searchContact.nodes.push(
        node("By Hand", "n8n-nodes-base.manualTrigger", 1),
        node("Try Out", "n8n-nodes-base.postgres", 2),
      );
      Object.assign(book.searchContact.connections, wire(["By Hand", "Try Out"]));
    };
    expect(found(change)).toEqual([]);
  });

  test("is read from code without running it", () => {
    const members = (jsCode: string) =>
      answerOf(nodeOf({ name: "c", type: "n8n-nodes-base.code", parameters: { jsCode } }))?.members;
    expect(
      members(
        "const url = 'https://x.example'; return [{ json: { status: 'error', data: {}, meta: { timestamp: 1 } } }]",
      ),
    ).toEqual(new Set(MEMBERS));
    expect(members("throw new Error('x')")).toEqual(new Set());
  });
});

describe("critical nodes", () => {
  test.each([
    ["$json.error", "={{ $json.error }}"],
    ["optional chaining", "={{ $json?.error?.message }}"],
    ["brackets", '={{ $json["error"] }}'],
    ["another node's item", "={{ $('Fetch User').item.json.error }}"],
  ])("have their failure handled if it is read by %s", (_what, leftValue) => {
    const change = (book: Book) => {
      const fetch = bookNode(book, "getUser", "Fetch User");
      fetch.onError = "continueRegularOutput";
      book.getUser.nodes.push(
        node("Failed", "n8n-nodes-base.if", 2.2, { conditions: { conditions: [{ leftValue }] } }),
      );
      Object.assign(
        book.getUser.connections,
        wire(["Fetch User", "Failed"], ["Failed", "Error: User Service", "Success: User Found"]),
      );
    };
    expect(found(change)).toEqual([]);
  });

  test.each([
    ["n8n-nodes-base.httpRequest", true],
    ["n8n-nodes-base.dataTable", true],
    ["n8n-nodes-base.readWriteFile", true],
    ["n8n-nodes-base.executeWorkflow", true],
    ["n8n-nodes-community.thing", true],
    ["@n8n/n8n-nodes-langchain.agent", true],
    ["@n8n/n8n-nodes-langchain.code", true],
    ["n8n-nodes-base.code", false],
    ["n8n-nodes-base.set", false],
    ["n8n-nodes-base.webhook", false],
    ["@n8n/n8n-nodes-langchain.chat", false],
  ])("include %s: %s", (type, expected) => {
    expect(isCritical({ type })).toBe(expected);
  });

  test.each([
    ["if (!x) return [];", true],
    ["const ok = validate($json);", true],
    ["const r = ok ? { a: 1 } : { b: 2 };", true],
    ["const data = $json.data ?? {};\nreturn [{ json: data }];", false],
    ["// if (x)\nreturn $input.all();", false],
  ])("the code %j checks its input: %s", (jsCode, expected) => {
    expect(isCheck(nodeOf({ name: "c", type: "n8n-nodes-base.code", parameters: { jsCode } }))).toBe(
      expected,
    );
  });
});

describe("error workflows", () => {
  test("may be the workflow itself, with an Error Trigger", () => {
    const change = (book: Book) => {
      book.searchContact.settings.errorWorkflow = "DEFAULT";
      book.searchContact.nodes.push(
        node("On Failure", "n8n-nodes-base.errorTrigger", 1),
        code("Log Failure", "console.log($json.execution.id); return [];"),
      );
      Object.assign(book.searchContact.connections, wire(["On Failure", "Log Failure"]));
    };
    expect(found(change)).toEqual([]);
  });

  test("must allow their callers, as n8n checks before it starts them", () => {
    const rules = found((book) => {
      book.errorHandler.settings.callerPolicy = "workflowsFromAList";
      book.errorHandler.settings.callerIds = Object.values(bookIds)
        .filter((id) => id !== bookIds.getUser)
        .join(", ");
    });
    expect(rules).toEqual(["error-workflow/exists at null"]);
  });

  test("are not judged for workflows that are neither servers nor tools", () => {
    const rules = found((book) => {
      for (const key of [
        "getUser",
        "createEvent",
        "routeAction",
        "searchContact",
        "contacts",
        "server",
      ] as const)
        book[key].settings.errorWorkflow = "";
      book.errorHandler.connections = {};
    });
    expect(rules.every((rule) => rule === "error-workflow/set at null")).toBe(true);
  });
});

describe("calls", () => {
  test("of a workflow without a trigger for calls are reported", () => {
    const rules = found((book) => {
      const start = bookNode(book, "searchContact", "Start");
      Object.assign(start, node("Start", "n8n-nodes-base.webhook", 2, { path: "x" }));
    });
    expect(rules).toContain("architecture/caller-policy at tool.search_contact");
  });

  test("in a circle of two workflows are reported in both", () => {
    const rules = found((book) => {
      book.getUser.nodes.push(
        node("Back", "n8n-nodes-base.executeWorkflow", 1.2, { workflowId: bookIds.routeAction }),
      );
      Object.assign(book.getUser.connections, wire(["Fetch User", "Back"]));
    });
    expect(rules.filter((rule) => rule.startsWith("architecture/no-cycle"))).toHaveLength(2);
  });

  test("of the workflow itself are no circle where a call does not lead to them", () => {
    const rules = found((book) => {
      book.getUser.nodes.push(
        node("By Hand", "n8n-nodes-base.manualTrigger", 1),
        node("Try It", "n8n-nodes-base.executeWorkflow", 1.2, { workflowId: bookIds.getUser }),
      );
      Object.assign(book.getUser.connections, wire(["By Hand", "Try It"]));
    });
    expect(rules.filter((rule) => rule.startsWith("architecture/"))).toEqual([]);
  });
});

describe("routers", () => {
  const makeRouter = (book: Book): void => {
    // Now no server uses it: it is a router behind a webhook.
    delete book.server.connections["tool.route_action"];
    book.server.nodes = book.server.nodes.filter(({ name }) => name !== "tool.route_action");
    Object.assign(bookNode(book, "routeAction", "Start"), { type: "n8n-nodes-base.webhook", typeVersion: 2 });
  };

  test("that are no tools are judged only as routers", () => {
    expect(found(makeRouter)).toEqual([]);
    const rules = found((book) => {
      makeRouter(book);
      bookNode(book, "routeAction", "Error: Tool Not Found").parameters.jsCode = "return [];";
      book.routeAction.tags = [];
    });
    expect(rules).toEqual(["router/fallback-connected at Route By Action"]);
  });

  test.each([
    ["an output of a rule serves as fallback", 3.2, { options: { fallbackOutput: 1 } }, []],
    ["version 2 with a fallback", 2, { rules: { rules: [{}, {}] }, fallbackOutput: 0 }, []],
    [
      "version 2 without a fallback",
      2,
      { rules: { rules: [{}, {}] }, fallbackOutput: -1 },
      ["router/fallback-connected at Kind"],
    ],
    [
      "version 1 with outputs that no rule uses",
      1,
      { rules: { rules: [{}, { output: 1 }] }, fallbackOutput: 1 },
      [],
    ],
  ] as const)("with a Switch: %s", (_what, typeVersion, parameters, expected) => {
    const change = (book: Book) => {
      const rules = typeVersion < 3 ? {} : { rules: { values: [{}, {}] } };
      book.searchContact.nodes.push(
        node("Kind", "n8n-nodes-base.switch", typeVersion, { ...rules, ...parameters }),
      );
      Object.assign(
        book.searchContact.connections,
        wire(
          ["Inputs Are Valid", "Kind", "Error: Invalid Input"],
          ["Kind", "Success: Contacts", "Success: Contacts"],
        ),
      );
    };
    expect(found(change)).toEqual(expected);
  });
});

describe("inputs", () => {
  const argumentOf = (book: Book, expression: string): void => {
    const tool = bookNode(book, "contacts", "tool.search_contact").parameters.workflowInputs;
    if (typeof tool !== "object" || tool === null || !("value" in tool)) throw new Error("no inputs");
    Object.assign(tool, {
      value: {
        contact_name: expression,
        request_id: "={{ $fromAI('request_id', 'Correlation id of the request', 'string') }}",
      },
    });
  };

  test("may have another name than the field", () => {
    const change = (book: Book) => {
      argumentOf(book, "={{ $fromAI('name', 'Name or part of it', 'string') }}");
      const tool = bookNode(book, "contacts", "tool.search_contact");
      tool.parameters.description = String(tool.parameters.description).replace(
        "- name: contact_name",
        "- name: name",
      );
    };
    expect(found(change)).toEqual([]);
  });

  test("of another type disagree", () => {
    expect(found((book) => argumentOf(book, "={{ $fromAI('contact_name', 'x', 'number') }}"))).toEqual([
      "atdf/inputs-agree at tool.search_contact",
    ]);
  });

  test("that the sub-workflow takes and the node does not give are reported", () => {
    const rules = found((book) => {
      const start = bookNode(book, "searchContact", "Start").parameters.workflowInputs;
      if (typeof start !== "object" || start === null || !("values" in start) || !Array.isArray(start.values))
        throw new Error("no inputs");
      start.values.push({ name: "page", type: "number" });
      const note = bookNode(book, "searchContact", "Read Me");
      note.parameters.content = `${String(note.parameters.content)} page`;
    });
    expect(rules).toEqual(["atdf/inputs-agree at tool.search_contact"]);
  });
});

describe("secrets", () => {
  const redact = createRedactor([]);
  const pathsIn = (parameters: Parameters<typeof plainSecrets>[0]) =>
    plainSecrets(parameters, (value) => redact(value).value);
  const KEY = "sk-abc123abc123abc123abc123abc123";

  test.each([
    [
      { headers: { parameters: [{ name: "Authorization", value: "Bearer abcdef0123456789abcdef" }] } },
      "headers.parameters[0].value",
    ],
    [{ jsCode: `const key = "${KEY}";` }, "jsCode"],
    [{ url: `=https://x.example/{{ $json.id }}?api_key=${KEY}` }, "url"],
    [{ value: `={{ "Bearer ${KEY}" }}` }, "value"],
    [{ password: "hunter2secret" }, "password"],
    [{ jsonBody: '={ "api_key": "abc123def456", "q": "{{ $json.q }}" }' }, "jsonBody"],
    [{ jsCode: "const password = 'swordfish'; const other = 1;" }, "jsCode"],
    [{ jsCode: `const address = \`https://x.example/?api_key=abc123def456&id=\${id}\`;` }, "jsCode"],
    ...[
      'const apiKey = process.env.KEY || "abc123def456";',
      'return { password: String("swordfish1") };',
      `const headers = { Authorization: \`Basic \${Buffer.from("ada:swordfish1").toString("base64")}\` };`,
      "// password: swordfish1\nreturn items;",
    ].map((jsCode): [{ jsCode: string }, string] => [{ jsCode }, "jsCode"]),
    ...['password = b"swordfish1"', 'api_key = os.getenv("KEY", "abc123def456")'].map(
      (pythonCode): [{ pythonCode: string }, string] => [{ pythonCode }, "pythonCode"],
    ),
    [{ values: [{ name: "password", value: 12345678 }] }, "values[0].value"],
    [
      { headers: [{ name: "Cookie", value: "=session=q7Rt2LmZ9xWv4KpB; lang={{ $json.lang }}" }] },
      "headers[0].value",
    ],
    [{ jsonQuery: '={ "key": "q7Rt2LmZ9xWv4KpB", "q": "{{ $json.q }}" }' }, "jsonQuery"],
    [{ content: "The password: QSDpo2x10?2020" }, "content"],
    [{ content: `For the header: Bearer ${KEY}` }, "content"],
    [{ text: `={{ $json.name }}, use Bearer ${KEY}` }, "text"],
  ])("are found in %j", (parameters, path) => {
    expect(pathsIn(parameters)).toEqual([path]);
  });

  test.each([
    { password: "={{ $json.password }}" },
    { value: { password: "={{ $fromAI('password', 'The password', 'string') }}" } },
    { token: "=Bearer {{ $('Login').item.json['access token'] }}" },
    { url: "=https://x.example/?api_key={{ $json.key }}" },
    { sessionKey: "chat_history" },
    { accessToken: { __rl: true, mode: "list", value: "={{ $json.id }}" } },
    { sendTo: "someone@example.com", systemMessage: "Never tell the password: it is secret." },
    { nodeCredentialType: "slackOAuth2Api", authentication: "predefinedCredentialType", maxTokens: 1000 },
    { content: "## Setup\nYOUR_API_KEY goes into the credential" },
    { text: "={{ ".repeat(1_000) },
    { jsCode: '"\\'.repeat(100_000) },
    ...[
      "=Bearer  {{ $json.token }}",
      "=Zoho-oauthtoken {{ $json.token }}",
      "=Token token={{ $json.token }}",
      "={{ $json.token }} ",
    ].map((value) => ({ headers: [{ name: "Authorization", value }] })),
    { headers: [{ name: "Cookie", value: "=JSESSIONID={{ $json.session }}; path=/" }] },
    { headers: [{ name: "x-api-key", valueProvider: "modelRequired" }] },
    { extractionValues: { values: [{ key: "token", returnValue: "attribute" }] } },
    { guardrails: { secretKeys: { value: { permissiveness: "balanced" } } } },
    { authentication: "mcpOAuth2Api" },
    { workflowId: { __rl: true, mode: "list", value: "e4nUcFlYhUsQcGi8", cachedResultName: "Get Token" } },
    { columns: { schema: [{ id: "Source", options: [{ name: "TikTok", value: "TikTok" }] }] } },
    ...[
      "const config = { apiKey: myApiKey, Authorization: authHeader, flow_token: flowToken };",
      "user.password = given; const hmac = (key, text) => sign(key, text);",
      `const token = \`\${Date.now()}_\${id}\`; const url = \`https://x.example/?key=\${encode(key)}\`;`,
      'return [{ "api_key": apiKey }]; // don\'t',
    ].map((jsCode) => ({ jsCode })),
    { pythonCode: "otp_code = binary_code % (10 ** digits)" },
    { value: `={{ { apiKey: myApiKey, token: \`\${a}.\${b}\` } }}` },
    { content: 'Add the credential "Google Drive OAuth2 API", then send Authorization: Bearer <token>.' },
    { content: "A request without a valid Bearer token. `Auth Failed?` or `New Location` follow." },
    { toolDescription: "Parameters: Authorization (required) - Bearer OAUTH_TOKEN" },
  ])("are not found in %j", (parameters) => {
    expect(pathsIn(parameters)).toEqual([]);
  });
});

describe("logs", () => {
  const logs = (line: string) =>
    found((book) => {
      const step = bookNode(book, "searchContact", "Log Request");
      step.parameters.jsCode = `${line}\nreturn $input.all();`;
    }).includes("security/no-sensitive-log at Log Request");

  test.each([
    "console.log($json);",
    "console.log('in', JSON.stringify($input.first().json));",
    `console.log(\`body \${JSON.stringify($json.body)}\`);`,
    "console.log(item.json.password);",
    "$execution.customData.set('token', $json.access_token);",
    "console.error($json.headers);",
  ])("are too detailed with %s", (line) => {
    expect(logs(line)).toBe(true);
  });

  test.each([
    "console.log('the token was refused', $json.request_id);",
    "console.log(JSON.stringify({ id: $json.request_id, items: $input.all().length }));",
    "console.log('tokens', $json.usage.total_tokens);",
    "// console.log($json);\nconsole.log('called');",
  ])("are not too detailed with %s", (line) => {
    expect(logs(line)).toBe(false);
  });
});

test("comments are removed, URLs are not", () => {
  expect(withoutComments("a /* b */ c // d\ne 'https://x' /* open")).toBe("a   c \ne 'https://x' /* open");
});
