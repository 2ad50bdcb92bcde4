/**
 * For each rule of the audit, the book with one thing wrong: what breaks just this rule. The fast tests audit
 * them as they stand here, the lane on a real n8n as n8n gives them back. Pure.
 */
import { randomUUID } from "node:crypto";
import { node, type WorkflowNode } from "../workflow-parts.ts";
import { giveTools } from "./parts.ts";
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
  /** Whether n8n refuses to save or publish it, so that only the fast tests can see it. */
  refusedByN8n?: true;
}

/** @throws Error when the book has no such node: then the variant breaks nothing */
export function nodeOf(book: Book, key: BookKey, name: string): WorkflowNode {
  const found = book[key].nodes.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${key} has no node ${name}.`);
  return found;
}

/** Renames a node, in its connections too. */
export function renameNode(book: Book, key: BookKey, from: string, to: string): void {
  nodeOf(book, key, from).name = to;
  const text = JSON.stringify(book[key].connections).replaceAll(JSON.stringify(from), JSON.stringify(to));
  book[key].connections = JSON.parse(text);
}

/** n8n's resource locator. */
export function locator(workflowId: string): Record<string, unknown> {
  return { __rl: true, mode: "id", value: workflowId };
}

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
      nodeOf(book, "routeAction", "Run Get User").parameters.workflowId = locator("NoSuchWorkflow1");
    },
    refusedByN8n: true,
  },
  {
    rule: "architecture/called-workflow-published",
    what: "a tool whose sub-workflow is a draft",
    where: "contacts",
    change: (book) => {
      book.searchContact.isDraft = true;
    },
    refusedByN8n: true,
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
];
