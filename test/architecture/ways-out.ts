/**
 * Finds every way in which code could reach out: global functions and classes that open connections, members
 * of those names, modules, code made from text, and HTTP methods. It reads the syntax tree, so comments and
 * strings do not count, and an alias (`const f = fetch`) does.
 */
import { parseAst } from "vitest/node";

/** A mention in code. */
export interface Way {
  /** `fetch`, `.fetch`, `import node:net`, `method POST`, … */
  readonly what: string;
  /** Its offset in the text. */
  readonly at: number;
}

/** These can reach out, or give access to something that can. */
const GLOBALS = new Set([
  ...["fetch", "WebSocket", "WebSocketPair", "XMLHttpRequest", "EventSource", "WebTransport"],
  ...["RTCPeerConnection", "Worker", "SharedWorker", "importScripts", "navigator", "require", "process"],
  ...["globalThis", "self", "eval", "Function"],
]);
const MEMBERS = new Set([
  ...["fetch", "connect", "sendBeacon", "WebSocket", "XMLHttpRequest", "EventSource", "WebTransport"],
  ...["createConnection", "eval"],
]);
const HTTP_METHODS = /^(get|head|post|put|patch|delete|options|connect|trace|query)$/i;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

const member = (node: unknown, key: string): unknown => (isNode(node) ? node[key] : undefined);

/** True for a name that is only a property key, and refers to no variable. */
function isKey(parent: Node, role: string): boolean {
  if (parent.computed === true) return false;
  if (parent.type === "MemberExpression") return role === "property";
  return [
    "Property",
    "MethodDefinition",
    "PropertyDefinition",
    "TSPropertySignature",
    "TSMethodSignature",
  ].includes(parent.type)
    ? role === "key"
    : false;
}

/** The literal method in `{ method: … }` or `<form method=…>`. */
function methodOf(node: Node): string | undefined {
  const isJsx = node.type === "JSXAttribute";
  if (node.type !== "Property" && !isJsx) return undefined;
  const key = isJsx ? node.name : node.key;
  if ((member(key, "name") ?? member(key, "value")) !== "method" || node.computed === true) return undefined;
  const { value } = node;
  if (!isNode(value) || value.type !== "Literal") return undefined;
  return HTTP_METHODS.test(String(value.value)) ? String(value.value).toUpperCase() : undefined;
}

function waysAt(node: Node, parent: Node | undefined, role: string): string[] {
  const name = node.type === "Identifier" ? String(node.name) : "";
  if (GLOBALS.has(name) && (parent === undefined || !isKey(parent, role))) return [name];
  switch (node.type) {
    case "MemberExpression": {
      const property = String(member(node.property, "name") ?? member(node.property, "value"));
      return MEMBERS.has(property) ? [`.${property}`] : [];
    }
    case "ImportExpression":
      return [`import() ${String(member(node.source, "value") ?? "of what is computed")}`];
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration": {
      const source = member(node.source, "value");
      return typeof source === "string" && node.importKind !== "type" && !source.startsWith(".")
        ? [`import ${source}`]
        : [];
    }
    default: {
      const method = methodOf(node);
      return method === undefined ? [] : [`method ${method}`];
    }
  }
}

/** @param language that of the text */
export function waysOutOf(text: string, language: "js" | "ts" | "tsx"): Way[] {
  const found: Way[] = [];
  const visit = (value: unknown, parent: Node | undefined, role: string): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, parent, role);
    } else if (isNode(value)) {
      for (const what of waysAt(value, parent, role)) found.push({ what, at: value.start });
      for (const [key, child] of Object.entries(value)) visit(child, value, key);
    }
  };
  visit(parseAst(text, { lang: language }), undefined, "");
  return found;
}
