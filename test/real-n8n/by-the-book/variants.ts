/**
 * For each rule of the audit, variants of the book that break only this rule. The fast tests audit
 * them as defined here, the real lane as n8n returns them. Pure.
 */
import { randomUUID } from "node:crypto";
import { code, node, type WorkflowNode } from "../workflow-parts.ts";
import { giveTools, subWorkflowCall, wire } from "./parts.ts";
import type { BookDefinition, BookKey } from "./workflows.ts";

/** The definitions of the book, to be changed in place. */
export type Book = Record<BookKey, BookDefinition>;

export interface Variant {
  /** The broken rule. */
  rule: string;
  /** Distinguishes several variants of one rule. */
  what: string;
  /** The workflow of the finding. */
  where: BookKey;
  change: (book: Book, ids: Readonly<Record<BookKey, string>>) => void;
  /** Rules that the variant unavoidably breaks too. */
  alsoBreaks?: readonly string[];
}

/** The id of a workflow that was deleted after its caller was published, as n8n would refuse to publish the call. */
export const DELETED = "NoSuchWorkflow1";

/** @throws Error when the book has no such node, so that the variant would break nothing */
export function nodeOf(book: Book, key: BookKey, name: string): WorkflowNode {
  const found = book[key].nodes.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${key} has no node ${name}.`);
  return found;
}

/** Renames a node, including its connections. */
function renameNode(book: Book, key: BookKey, from: string, to: string): void {
  nodeOf(book, key, from).name = to;
  const text = JSON.stringify(book[key].connections).replaceAll(JSON.stringify(from), JSON.stringify(to));
  book[key].connections = JSON.parse(text);
}

/** n8n's resource locator. */
function locator(workflowId: string): Record<string, unknown> {
  return { __rl: true, mode: "id", value: workflowId };
}

function dropNode(book: Book, key: BookKey, name: string): void {
  book[key].nodes = book[key].nodes.filter((each) => each !== nodeOf(book, key, name));
}

/** Replaces a text in a node's parameters. @throws Error when it is not there */
function replaceIn(book: Book, key: BookKey, name: string, from: string, to: string): void {
  const found = nodeOf(book, key, name);
  const [before, after] = [JSON.stringify(from).slice(1, -1), JSON.stringify(to).slice(1, -1)];
  const text = JSON.stringify(found.parameters);
  if (!text.includes(before)) throw new Error(`${name} of ${key} does not hold ${from}.`);
  found.parameters = JSON.parse(text.replaceAll(before, after));
}

/** Appends a chain of nodes to the error workflow. */
function addAtEnd(book: Book, ...added: readonly WorkflowNode[]): void {
  book.errorHandler.nodes.push(...added);
  const names = ["Log Alert", ...added.map(({ name }) => name)];
  const wired = names.slice(1).map((name, index) => wire([names[index] ?? "", name]));
  Object.assign(book.errorHandler.connections, ...wired);
}

const call = (parameters: Record<string, unknown>): WorkflowNode =>
  node("Call It", "n8n-nodes-base.executeWorkflow", 1.2, parameters);

/** Rules that no variant breaks: those about past runs, and one about a trigger that needs an account. */
export const WITHOUT_VARIANT = ["n8n-3/newer-version", "n8n-3/task-time"];

/** The rule set of a rule. */
export const ruleSetOf = (rule: string): "n8n-3" | "guide" => (rule.startsWith("n8n-3/") ? "n8n-3" : "guide");

const variant = (
  rule: string,
  what: string,
  where: BookKey,
  change: Variant["change"],
  alsoBreaks: readonly string[] = [],
): Variant => ({ rule, what, where, change, alsoBreaks });

export const variants: readonly Variant[] = [
  variant("architecture/tool-is-sub-workflow", "a tool that is a single node", "contacts", (book) => {
    const tool = node("tool.search_contact", "n8n-nodes-base.httpRequestTool", 4.2, {
      toolDescription: "Searches the contacts.",
      url: "http://contacts.example/",
    });
    book.contacts.nodes = book.contacts.nodes.map((each) => (each.name === tool.name ? tool : each));
  }),
  variant("architecture/no-cycle", "a sub-workflow that calls itself", "routeAction", (book, ids) => {
    nodeOf(book, "routeAction", "Run Get User").parameters.workflowId = locator(ids.routeAction);
  }),
  variant(
    "architecture/called-workflow-exists",
    "a call of a workflow that was deleted",
    "routeAction",
    (book) => {
      nodeOf(book, "routeAction", "Run Get User").parameters.workflowId = locator(DELETED);
    },
  ),
  variant(
    "architecture/called-workflow-published",
    "a tool whose sub-workflow is a draft",
    "contacts",
    (book) => {
      book.searchContact.isDraft = true;
    },
  ),
  variant("architecture/caller-policy", "a sub-workflow that nobody may call", "contacts", (book) => {
    book.searchContact.settings.callerPolicy = "none";
  }),
  variant("naming/tool-prefix", "a tool's sub-workflow without the prefix", "getUser", (book) => {
    book.getUser.name = "Get User";
  }),
  variant("naming/tool-node", "a tool node without action and entity", "server", (book) =>
    renameNode(book, "server", "tool.get_user", "user"),
  ),
  variant(
    "naming/tool-collision",
    "two tools that n8n gives one name",
    "server",
    (book) => {
      const copy = { ...nodeOf(book, "server", "tool.get_user"), id: randomUUID(), name: "tool_get_user" };
      book.server.nodes.push(copy);
      Object.assign(book.server.connections, giveTools("Family Hub", copy.name));
    },
    ["naming/tool-node"],
  ),
  variant("naming/parameters", "a parameter in camelCase", "searchContact", (book) => {
    for (const key of ["contacts", "searchContact"] as const)
      book[key] = JSON.parse(JSON.stringify(book[key]).replaceAll("contact_name", "contactName"));
  }),
  variant("naming/environment", "an environment variable without the prefix", "getUser", (book) => {
    nodeOf(book, "getUser", "Fetch User").parameters.url =
      "={{ $env.USER_SERVICE }}/users/{{ encodeURIComponent($json.user_id) }}";
  }),
  variant("naming/no-default-names", "a node as n8n named it", "getUser", (book) =>
    renameNode(book, "getUser", "Fetch User", "HTTP Request1"),
  ),
  variant("atdf/valid", "a description in prose", "contacts", (book) => {
    nodeOf(book, "contacts", "tool.search_contact").parameters.description = "Searches contacts.";
  }),
  variant("atdf/valid", "a block without when_to_use", "contacts", (book) =>
    replaceIn(book, "contacts", "tool.search_contact", "when_to_use:", "never_used:"),
  ),
  variant("atdf/inputs-agree", "a block that names another input than the node", "contacts", (book) =>
    replaceIn(book, "contacts", "tool.search_contact", "- name: contact_name", "- name: full_name"),
  ),
  variant("atdf/version", "a block without version", "contacts", (book) =>
    replaceIn(book, "contacts", "tool.search_contact", "version: 1.0.0\n", ""),
  ),
  variant("output/standard-format", "an answer without meta", "searchContact", (book) => {
    nodeOf(book, "searchContact", "Success: Contacts").parameters.jsCode =
      'return [{ json: { status: "success", data: { message: "One contact was found." } } }];';
  }),
  variant("output/no-dead-path", "an IF with one output", "searchContact", (book) => {
    book.searchContact.connections["Inputs Are Valid"]?.main?.pop();
    book.searchContact.nodes = book.searchContact.nodes.filter(({ name }) => name !== "Error: Invalid Input");
  }),
  variant("output/no-dead-path", "a node that nothing leads to", "searchContact", (book) => {
    book.searchContact.nodes.push(code("Left Over", "return [];"));
  }),
  variant("output/text-key", "message in one answer, text in the other", "searchContact", (book) =>
    replaceIn(book, "searchContact", "Success: Contacts", "message:", "text:"),
  ),
  variant("output/error-codes", "a code in small letters", "searchContact", (book) =>
    replaceIn(book, "searchContact", "Error: Invalid Input", "VALIDATION_ERROR", "invalid_input"),
  ),
  variant("output/error-codes", "two failures of one code", "getUser", (book) =>
    replaceIn(book, "getUser", "Error: User Service", "USER_SERVICE_FAILED", "VALIDATION_ERROR"),
  ),
  variant("validation/before-effects", "a call before the check", "getUser", (book) => {
    const { connections } = book.getUser;
    Object.assign(
      connections,
      wire(
        ["Log Request", "Fetch User"],
        ["Inputs Are Valid", "Success: User Found", "Error: Invalid Input"],
      ),
      wire(["Fetch User", "Inputs Are Valid", "Error: User Service"]),
    );
  }),
  variant("critical-nodes/error-handling", "a call that stops the tool", "getUser", (book) => {
    delete nodeOf(book, "getUser", "Fetch User").onError;
    book.getUser.connections["Fetch User"]?.main?.pop();
    book.getUser.nodes = book.getUser.nodes.filter(({ name }) => name !== "Error: User Service");
  }),
  variant("critical-nodes/error-connected", "an error output that leads nowhere", "getUser", (book) => {
    book.getUser.connections["Fetch User"]?.main?.pop();
    book.getUser.nodes = book.getUser.nodes.filter(({ name }) => name !== "Error: User Service");
  }),
  variant(
    "critical-nodes/error-connected",
    "a failure that goes on as if nothing had happened",
    "getUser",
    (book) => {
      nodeOf(book, "getUser", "Fetch User").onError = "continueRegularOutput";
      book.getUser.connections["Fetch User"]?.main?.pop();
      book.getUser.nodes = book.getUser.nodes.filter(({ name }) => name !== "Error: User Service");
    },
  ),
  variant("error-workflow/set", "a tool without error workflow", "searchContact", (book) => {
    // An empty value removes it, as n8n keeps settings that are left out.
    book.searchContact.settings.errorWorkflow = "";
  }),
  variant("error-workflow/exists", "an error workflow that was deleted", "searchContact", (book) => {
    book.searchContact.settings.errorWorkflow = DELETED;
  }),
  variant("error-workflow/sound", "an error workflow that does nothing", "errorHandler", (book) => {
    book.errorHandler.connections = {};
  }),
  variant("router/fallback-connected", "a Switch whose fallback leads nowhere", "routeAction", (book) => {
    book.routeAction.connections["Route By Action"]?.main?.pop();
    dropNode(book, "routeAction", "Error: Tool Not Found");
  }),
  variant("router/fallback-connected", "a Switch without fallback", "routeAction", (book) => {
    nodeOf(book, "routeAction", "Route By Action").parameters.options = {};
    book.routeAction.connections["Route By Action"]?.main?.pop();
    dropNode(book, "routeAction", "Error: Tool Not Found");
  }),
  variant("router/response-checked", "an answer that is handed on unseen", "routeAction", (book) => {
    Object.assign(
      book.routeAction.connections,
      wire(
        ["Run Get User", "Answer: Of Tool", "Error: Tool Failed"],
        ["Run Create Event", "Answer: Of Tool", "Error: Tool Failed"],
      ),
    );
    delete book.routeAction.connections["Answer Has Structure"];
    dropNode(book, "routeAction", "Answer Has Structure");
    dropNode(book, "routeAction", "Error: Structure");
  }),
  variant("router/failure-caught", "a failure of the tool under another name", "routeAction", (book) =>
    replaceIn(book, "routeAction", "Error: Tool Failed", "TOOL_EXECUTION_FAILED", "SOMETHING_FAILED"),
  ),
  variant("security/trigger-authentication", "a server for everybody", "contacts", (book) => {
    const trigger = nodeOf(book, "contacts", "Contacts Server");
    trigger.parameters.authentication = "none";
    delete trigger.credentials;
  }),
  variant("security/no-plain-secret", "a key in a header", "getUser", (book) => {
    Object.assign(nodeOf(book, "getUser", "Fetch User").parameters, {
      sendHeaders: true,
      headerParameters: { parameters: [{ name: "X-Api-Key", value: "n0tAR34lK3yButL00ksL1ke0ne" }] },
    });
  }),
  variant("security/mcp-client-credentials", "a client that signs in nowhere", "server", (book) => {
    const client = nodeOf(book, "server", "mcp.contacts");
    client.parameters.authentication = "none";
    delete client.credentials;
  }),
  variant("security/mcp-client-tools", "a client that lets everything through", "server", (book) => {
    const client = nodeOf(book, "server", "mcp.contacts");
    client.parameters.include = "all";
    delete client.parameters.includeTools;
  }),
  variant("security/no-sensitive-log", "a log of whole items", "searchContact", (book) =>
    replaceIn(
      book,
      "searchContact",
      "Log Request",
      'console.log("request " + $json.request_id)',
      "console.log(JSON.stringify($json))",
    ),
  ),
  variant("traceability/request-id", "a sub-workflow that is called without it", "routeAction", (book) => {
    const call = nodeOf(book, "routeAction", "Run Get User");
    const { parameters } = subWorkflowCall("Run Get User", "", { user_id: "={{ $json.payload.user_id }}" });
    call.parameters.workflowInputs = parameters.workflowInputs;
  }),
  variant("traceability/executions-saved", "successes that are not saved", "searchContact", (book) => {
    book.searchContact.settings.saveDataSuccessExecution = "none";
  }),
  variant("traceability/steps-logged", "a tool that logs nothing", "searchContact", (book) => {
    renameNode(book, "searchContact", "Log Request", "Hand On");
    nodeOf(book, "searchContact", "Hand On").parameters.jsCode = "return $input.all();";
  }),
  variant("tags/present", "a tool without its tag", "searchContact", (book) => {
    book.searchContact.tags = ["production", "v1.0.0"];
  }),
  variant("tags/consistent", "a tool of another environment", "searchContact", (book) => {
    book.searchContact.tags = ["mcp-tool", "development", "v1.0.0"];
  }),
  variant("tags/version", "a server without a version", "contacts", (book) => {
    book.contacts.tags = ["mcp-server", "production"];
  }),
  variant("documentation/described", "a tool without a note", "searchContact", (book) =>
    dropNode(book, "searchContact", "Read Me"),
  ),
  variant("documentation/described", "a note that does not name an input", "searchContact", (book) =>
    replaceIn(book, "searchContact", "Read Me", "contact_name", "the name"),
  ),
  variant("n8n-3/removed-node", "a Function node", "errorHandler", (book) =>
    addAtEnd(book, node("Old", "n8n-nodes-base.function", 1, { functionCode: "return items;" })),
  ),
  variant("n8n-3/removed-mode", "a sub-workflow from a URL", "errorHandler", (book) =>
    addAtEnd(book, call({ source: "url", workflowUrl: "http://workflows.example/" })),
  ),
  variant("n8n-3/once-for-each-item", "a sub-workflow for each item", "errorHandler", (book) =>
    addAtEnd(book, call({ source: "parameter", workflowJson: "{}", mode: "each" })),
  ),
  variant("n8n-3/removed-helper", "an expression that finds the paired item", "errorHandler", (book) => {
    const value = "={{ $getPairedItem('a', {}, {}) }}";
    const assignments = { assignments: [{ id: "1", name: "item", type: "string", value }] };
    addAtEnd(book, node("Old", "n8n-nodes-base.set", 3.4, { assignments }));
  }),
  variant("n8n-3/always-output-data", "an IF that always has output", "errorHandler", (book) => {
    const check = { ...node("Check It", "n8n-nodes-base.if", 2.2, {}), alwaysOutputData: true };
    addAtEnd(book, check, node("Go On", "n8n-nodes-base.noOp", 1, {}));
  }),
  variant("n8n-3/caller-policy", "a tool that any workflow may call", "getUser", (book) => {
    book.getUser.settings.callerPolicy = "any";
  }),
];
