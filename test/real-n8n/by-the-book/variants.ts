/**
 * For each rule of the audit, the book with one thing wrong: what breaks just this rule. The fast tests audit
 * them as they stand here, the lane on a real n8n as n8n gives them back. Pure.
 */
import { randomUUID } from "node:crypto";
import { code, node, type WorkflowNode } from "../workflow-parts.ts";
import { giveTools, subWorkflowCall, wire } from "./parts.ts";
import type { BookDefinition, BookKey } from "./workflows.ts";

/** The definitions of the book, to be changed in place. */
export type Book = Record<BookKey, BookDefinition>;

export interface Variant {
  /** The rule that it breaks. */
  rule: string;
  /** Tells several variants of one rule apart. */
  what: string;
  /** The workflow in which the finding must be. */
  where: BookKey;
  change: (book: Book, ids: Readonly<Record<BookKey, string>>) => void;
  /** Rules that cannot but be broken with it. */
  alsoBreaks?: readonly string[];
}

/** The id of a workflow that was deleted. n8n refuses to publish a call of it: it was there at that time. */
export const DELETED = "NoSuchWorkflow1";

/** @throws Error when the book has no such node: then the variant breaks nothing */
export function nodeOf(book: Book, key: BookKey, name: string): WorkflowNode {
  const found = book[key].nodes.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${key} has no node ${name}.`);
  return found;
}

/** Renames a node, in its connections too. */
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

/** Replaces a text in a node's parameters. @throws Error when it does not stand there */
function replaceIn(book: Book, key: BookKey, name: string, from: string, to: string): void {
  const found = nodeOf(book, key, name);
  const [before, after] = [JSON.stringify(from).slice(1, -1), JSON.stringify(to).slice(1, -1)];
  const text = JSON.stringify(found.parameters);
  if (!text.includes(before)) throw new Error(`${name} of ${key} does not hold ${from}.`);
  found.parameters = JSON.parse(text.replaceAll(before, after));
}

/** Puts nodes behind the last node of the error workflow, one after the other. */
function addAtEnd(book: Book, ...added: readonly WorkflowNode[]): void {
  book.errorHandler.nodes.push(...added);
  const names = ["Log Alert", ...added.map(({ name }) => name)];
  const wired = names.slice(1).map((name, index) => wire([names[index] ?? "", name]));
  Object.assign(book.errorHandler.connections, ...wired);
}

const call = (parameters: Record<string, unknown>): WorkflowNode =>
  node("Call It", "n8n-nodes-base.executeWorkflow", 1.2, parameters);

/** Rules that no variant breaks: of past runs, and of a trigger that needs an account. */
export const WITHOUT_VARIANT = ["n8n-3/newer-version", "n8n-3/task-time"];

/** The set of rules that a rule belongs to. */
export const ruleSetOf = (rule: string): "n8n-3" | "guide" => (rule.startsWith("n8n-3/") ? "n8n-3" : "guide");

export const variants: readonly Variant[] = [
  {
    rule: "architecture/tool-is-sub-workflow",
    what: "a tool that is a single node",
    where: "contacts",
    change: (book) => {
      const tool = node("tool.search_contact", "n8n-nodes-base.httpRequestTool", 4.2, {
        toolDescription: "Searches the contacts.",
        url: "http://contacts.example/",
      });
      book.contacts.nodes = book.contacts.nodes.map((each) => (each.name === tool.name ? tool : each));
    },
  },
  {
    rule: "architecture/no-cycle",
    what: "a sub-workflow that calls itself",
    where: "routeAction",
    change: (book, ids) => {
      nodeOf(book, "routeAction", "Run Get User").parameters.workflowId = locator(ids.routeAction);
    },
  },
  {
    rule: "architecture/called-workflow-exists",
    what: "a call of a workflow that was deleted",
    where: "routeAction",
    change: (book) => {
      nodeOf(book, "routeAction", "Run Get User").parameters.workflowId = locator(DELETED);
    },
  },
  {
    rule: "architecture/called-workflow-published",
    what: "a tool whose sub-workflow is a draft",
    where: "contacts",
    change: (book) => {
      book.searchContact.isDraft = true;
    },
  },
  {
    rule: "architecture/caller-policy",
    what: "a sub-workflow that nobody may call",
    where: "contacts",
    change: (book) => {
      book.searchContact.settings.callerPolicy = "none";
    },
  },
  {
    rule: "naming/tool-prefix",
    what: "a tool's sub-workflow without the prefix",
    where: "getUser",
    change: (book) => {
      book.getUser.name = "Get User";
    },
  },
  {
    rule: "naming/tool-node",
    what: "a tool node without action and entity",
    where: "server",
    change: (book) => renameNode(book, "server", "tool.get_user", "user"),
  },
  {
    rule: "naming/tool-collision",
    what: "two tools that n8n gives one name",
    where: "server",
    change: (book) => {
      const copy = { ...nodeOf(book, "server", "tool.get_user"), id: randomUUID(), name: "tool_get_user" };
      book.server.nodes.push(copy);
      Object.assign(book.server.connections, giveTools("Family Hub", copy.name));
    },
    alsoBreaks: ["naming/tool-node"],
  },
  {
    rule: "naming/parameters",
    what: "a parameter in camelCase",
    where: "searchContact",
    change: (book) => {
      for (const key of ["contacts", "searchContact"] as const)
        book[key] = JSON.parse(JSON.stringify(book[key]).replaceAll("contact_name", "contactName"));
    },
  },
  {
    rule: "naming/environment",
    what: "an environment variable without the prefix",
    where: "getUser",
    change: (book) => {
      nodeOf(book, "getUser", "Fetch User").parameters.url =
        "={{ $env.USER_SERVICE }}/users/{{ encodeURIComponent($json.user_id) }}";
    },
  },
  {
    rule: "naming/no-default-names",
    what: "a node as n8n named it",
    where: "getUser",
    change: (book) => renameNode(book, "getUser", "Fetch User", "HTTP Request1"),
  },
  {
    rule: "atdf/valid",
    what: "a description in prose",
    where: "contacts",
    change: (book) => {
      nodeOf(book, "contacts", "tool.search_contact").parameters.description = "Searches contacts.";
    },
  },
  {
    rule: "atdf/valid",
    what: "a block without when_to_use",
    where: "contacts",
    change: (book) => replaceIn(book, "contacts", "tool.search_contact", "when_to_use:", "never_used:"),
  },
  {
    rule: "atdf/inputs-agree",
    what: "a block that names another input than the node",
    where: "contacts",
    change: (book) =>
      replaceIn(book, "contacts", "tool.search_contact", "- name: contact_name", "- name: full_name"),
  },
  {
    rule: "atdf/version",
    what: "a block without version",
    where: "contacts",
    change: (book) => replaceIn(book, "contacts", "tool.search_contact", "version: 1.0.0\n", ""),
  },
  {
    rule: "output/standard-format",
    what: "an answer without meta",
    where: "searchContact",
    change: (book) => {
      nodeOf(book, "searchContact", "Success: Contacts").parameters.jsCode =
        'return [{ json: { status: "success", data: { message: "One contact was found." } } }];';
    },
  },
  {
    rule: "output/no-dead-path",
    what: "an IF with one output",
    where: "searchContact",
    change: (book) => {
      book.searchContact.connections["Inputs Are Valid"]?.main?.pop();
      book.searchContact.nodes = book.searchContact.nodes.filter(
        ({ name }) => name !== "Error: Invalid Input",
      );
    },
  },
  {
    rule: "output/no-dead-path",
    what: "a node that nothing leads to",
    where: "searchContact",
    change: (book) => {
      book.searchContact.nodes.push(code("Left Over", "return [];"));
    },
  },
  {
    rule: "output/text-key",
    what: "message in one answer, text in the other",
    where: "searchContact",
    change: (book) => replaceIn(book, "searchContact", "Success: Contacts", "message:", "text:"),
  },
  {
    rule: "output/error-codes",
    what: "a code in small letters",
    where: "searchContact",
    change: (book) =>
      replaceIn(book, "searchContact", "Error: Invalid Input", "VALIDATION_ERROR", "invalid_input"),
  },
  {
    rule: "output/error-codes",
    what: "two failures of one code",
    where: "getUser",
    change: (book) =>
      replaceIn(book, "getUser", "Error: User Service", "USER_SERVICE_FAILED", "VALIDATION_ERROR"),
  },
  {
    rule: "validation/before-effects",
    what: "a call before the check",
    where: "getUser",
    change: (book) => {
      const { connections } = book.getUser;
      Object.assign(
        connections,
        wire(
          ["Log Request", "Fetch User"],
          ["Inputs Are Valid", "Success: User Found", "Error: Invalid Input"],
        ),
        wire(["Fetch User", "Inputs Are Valid", "Error: User Service"]),
      );
    },
  },
  {
    rule: "critical-nodes/error-handling",
    what: "a call that stops the tool",
    where: "getUser",
    change: (book) => {
      delete nodeOf(book, "getUser", "Fetch User").onError;
      book.getUser.connections["Fetch User"]?.main?.pop();
      book.getUser.nodes = book.getUser.nodes.filter(({ name }) => name !== "Error: User Service");
    },
  },
  {
    rule: "critical-nodes/error-connected",
    what: "an error output that leads nowhere",
    where: "getUser",
    change: (book) => {
      book.getUser.connections["Fetch User"]?.main?.pop();
      book.getUser.nodes = book.getUser.nodes.filter(({ name }) => name !== "Error: User Service");
    },
  },
  {
    rule: "critical-nodes/error-connected",
    what: "a failure that goes on as if nothing had happened",
    where: "getUser",
    change: (book) => {
      nodeOf(book, "getUser", "Fetch User").onError = "continueRegularOutput";
      book.getUser.connections["Fetch User"]?.main?.pop();
      book.getUser.nodes = book.getUser.nodes.filter(({ name }) => name !== "Error: User Service");
    },
  },
  {
    rule: "error-workflow/set",
    what: "a tool without error workflow",
    where: "searchContact",
    change: (book) => {
      // As n8n has it when it is taken out: what is left out of the settings stays as it was.
      book.searchContact.settings.errorWorkflow = "";
    },
  },
  {
    rule: "error-workflow/exists",
    what: "an error workflow that was deleted",
    where: "searchContact",
    change: (book) => {
      book.searchContact.settings.errorWorkflow = DELETED;
    },
  },
  {
    rule: "error-workflow/sound",
    what: "an error workflow that does nothing",
    where: "errorHandler",
    change: (book) => {
      book.errorHandler.connections = {};
    },
  },
  {
    rule: "router/fallback-connected",
    what: "a Switch whose fallback leads nowhere",
    where: "routeAction",
    change: (book) => {
      book.routeAction.connections["Route By Action"]?.main?.pop();
      dropNode(book, "routeAction", "Error: Tool Not Found");
    },
  },
  {
    rule: "router/fallback-connected",
    what: "a Switch without fallback",
    where: "routeAction",
    change: (book) => {
      nodeOf(book, "routeAction", "Route By Action").parameters.options = {};
      book.routeAction.connections["Route By Action"]?.main?.pop();
      dropNode(book, "routeAction", "Error: Tool Not Found");
    },
  },
  {
    rule: "router/response-checked",
    what: "an answer that is handed on unseen",
    where: "routeAction",
    change: (book) => {
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
    },
  },
  {
    rule: "router/failure-caught",
    what: "a failure of the tool under another name",
    where: "routeAction",
    change: (book) =>
      replaceIn(book, "routeAction", "Error: Tool Failed", "TOOL_EXECUTION_FAILED", "SOMETHING_FAILED"),
  },
  {
    rule: "security/trigger-authentication",
    what: "a server for everybody",
    where: "contacts",
    change: (book) => {
      const trigger = nodeOf(book, "contacts", "Contacts Server");
      trigger.parameters.authentication = "none";
      delete trigger.credentials;
    },
  },
  {
    rule: "security/no-plain-secret",
    what: "a key in a header",
    where: "getUser",
    change: (book) => {
      Object.assign(nodeOf(book, "getUser", "Fetch User").parameters, {
        sendHeaders: true,
        headerParameters: { parameters: [{ name: "X-Api-Key", value: "n0tAR34lK3yButL00ksL1ke0ne" }] },
      });
    },
  },
  {
    rule: "security/mcp-client-credentials",
    what: "a client that signs in nowhere",
    where: "server",
    change: (book) => {
      const client = nodeOf(book, "server", "mcp.contacts");
      client.parameters.authentication = "none";
      delete client.credentials;
    },
  },
  {
    rule: "security/mcp-client-tools",
    what: "a client that lets everything through",
    where: "server",
    change: (book) => {
      const client = nodeOf(book, "server", "mcp.contacts");
      client.parameters.include = "all";
      delete client.parameters.includeTools;
    },
  },
  {
    rule: "security/no-sensitive-log",
    what: "a log of whole items",
    where: "searchContact",
    change: (book) =>
      replaceIn(
        book,
        "searchContact",
        "Log Request",
        'console.log("request " + $json.request_id)',
        "console.log(JSON.stringify($json))",
      ),
  },
  {
    rule: "traceability/request-id",
    what: "a sub-workflow that is called without it",
    where: "routeAction",
    change: (book) => {
      const call = nodeOf(book, "routeAction", "Run Get User");
      const { parameters } = subWorkflowCall("Run Get User", "", { user_id: "={{ $json.payload.user_id }}" });
      call.parameters.workflowInputs = parameters.workflowInputs;
    },
  },
  {
    rule: "traceability/executions-saved",
    what: "successes that are not saved",
    where: "searchContact",
    change: (book) => {
      book.searchContact.settings.saveDataSuccessExecution = "none";
    },
  },
  {
    rule: "traceability/steps-logged",
    what: "a tool that logs nothing",
    where: "searchContact",
    change: (book) => {
      renameNode(book, "searchContact", "Log Request", "Hand On");
      nodeOf(book, "searchContact", "Hand On").parameters.jsCode = "return $input.all();";
    },
  },
  {
    rule: "tags/present",
    what: "a tool without its tag",
    where: "searchContact",
    change: (book) => {
      book.searchContact.tags = ["production", "v1.0.0"];
    },
  },
  {
    rule: "tags/consistent",
    what: "a tool of another environment",
    where: "searchContact",
    change: (book) => {
      book.searchContact.tags = ["mcp-tool", "development", "v1.0.0"];
    },
  },
  {
    rule: "tags/version",
    what: "a server without a version",
    where: "contacts",
    change: (book) => {
      book.contacts.tags = ["mcp-server", "production"];
    },
  },
  {
    rule: "documentation/described",
    what: "a tool without a note",
    where: "searchContact",
    change: (book) => dropNode(book, "searchContact", "Read Me"),
  },
  {
    rule: "documentation/described",
    what: "a note that does not name an input",
    where: "searchContact",
    change: (book) => replaceIn(book, "searchContact", "Read Me", "contact_name", "the name"),
  },
  {
    rule: "n8n-3/removed-node",
    what: "a Function node",
    where: "errorHandler",
    change: (book) =>
      addAtEnd(book, node("Old", "n8n-nodes-base.function", 1, { functionCode: "return items;" })),
  },
  {
    rule: "n8n-3/removed-mode",
    what: "a sub-workflow from a URL",
    where: "errorHandler",
    change: (book) => addAtEnd(book, call({ source: "url", workflowUrl: "http://workflows.example/" })),
  },
  {
    rule: "n8n-3/once-for-each-item",
    what: "a sub-workflow for each item",
    where: "errorHandler",
    change: (book) => addAtEnd(book, call({ source: "parameter", workflowJson: "{}", mode: "each" })),
  },
  {
    rule: "n8n-3/removed-helper",
    what: "an expression that finds the paired item",
    where: "errorHandler",
    change: (book) => {
      const value = "={{ $getPairedItem('a', {}, {}) }}";
      const assignments = { assignments: [{ id: "1", name: "item", type: "string", value }] };
      addAtEnd(book, node("Old", "n8n-nodes-base.set", 3.4, { assignments }));
    },
  },
  {
    rule: "n8n-3/always-output-data",
    what: "an IF that always has output",
    where: "errorHandler",
    change: (book) => {
      const check = { ...node("Check It", "n8n-nodes-base.if", 2.2, {}), alwaysOutputData: true };
      addAtEnd(book, check, node("Go On", "n8n-nodes-base.noOp", 1, {}));
    },
  },
  {
    rule: "n8n-3/caller-policy",
    what: "a tool that any workflow may call",
    where: "getUser",
    change: (book) => {
      book.getUser.settings.callerPolicy = "any";
    },
  },
];
