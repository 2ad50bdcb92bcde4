/**
 * Objects whose keys are user-chosen names: of nodes, of security schemes, of the fields that a schema
 * describes. Such a name does not make the value below it secret, as long as that value has the form expected
 * there; its contents are judged as usual. Pure.
 */
import { isObject } from "../../platform/is-object.ts";
import { pattern } from "../../platform/pattern.ts";
import { wordSet } from "../names/words.ts";

/**
 * `runs`: nodes and their runs. `types`: nodes and their types. `schemes`: OpenAPI's security schemes. `flows`:
 * of such a scheme. `requirements`: schemes that an operation requires. `schemas`: JSON Schema's properties.
 */
export type NameContext = "runs" | "types" | "schemes" | "flows" | "requirements" | "schemas";

const SCHEMA_TYPES = new Set<unknown>(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** JSON Schema 2020-12, and what OpenAPI 3.0 adds. */
const SCHEMA_KEYWORDS = wordSet(
  "$schema $id $ref $anchor $defs $comment definitions type title description format pattern enum const default example examples minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties properties patternProperties additionalProperties propertyNames required items prefixItems contains anyOf oneOf allOf not if then else dependentRequired dependentSchemas readOnly writeOnly deprecated nullable discriminator xml externalDocs contentEncoding contentMediaType",
);
export const SCHEMA_VALUES = wordSet("default example examples const enum");

export const isSchemaKeyword = (key: string): boolean => SCHEMA_KEYWORDS.has(key) || key.startsWith("x-");

const isSchemaType = (type: unknown): boolean =>
  Array.isArray(type)
    ? type.length > 0 && type.every((each) => SCHEMA_TYPES.has(each))
    : SCHEMA_TYPES.has(type);

function describesObjects(owner: object): boolean {
  return (
    ("type" in owner &&
      (owner.type === "object" || (Array.isArray(owner.type) && owner.type.includes("object")))) ||
    "$schema" in owner ||
    "additionalProperties" in owner ||
    ("required" in owner && Array.isArray(owner.required))
  );
}

const CONTEXTS: ReadonlyMap<string, NameContext> = new Map([
  ["runData", "runs"],
  ["nodeTypes", "types"],
  ["securitySchemes", "schemes"],
  ["securityDefinitions", "schemes"],
  ["security", "requirements"],
  ["$defs", "schemas"],
  ["definitions", "schemas"],
  ["schemas", "schemas"],
]);
const FIELDS = wordSet("properties patternProperties dependentSchemas");

export function contextUnder(
  key: string,
  owner: object,
  context: NameContext | undefined,
): NameContext | undefined {
  if (FIELDS.has(key)) return describesObjects(owner) ? "schemas" : undefined;
  if (key === "flows") return "type" in owner && owner.type === "oauth2" ? "flows" : undefined;
  if (key === "scopes")
    return context === "flows" || "tokenUrl" in owner || "authorizationUrl" in owner ? "flows" : undefined;
  return CONTEXTS.get(key);
}

/** n8n's `ITaskData`, and a run as our own answers describe it. */
function isRun(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ("toJSON" in value) return true;
  return typeof value.executionTime === "number" && ("startTime" in value || "source" in value);
}

const isRuns = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isRun);

const NODE_TYPE = pattern()`
  ^(?:
    unknown|(?:@[a-z0-9][\w.-]{0,60}\/)?n8n-nodes-[\w-]{1,60}\.[A-Za-z]\w{0,80}
    |(?:@[a-z0-9][\w.-]{0,60}\/)?[\w-]{1,60}\.[a-z][A-Za-z]{1,80}
  )$
`;

const SCHEME_MEMBERS = pattern()`
  ^(?:
    type|description|name|in|scheme|bearerFormat|flows|flow|authorizationUrl|tokenUrl|refreshUrl|scopes
    |openIdConnectUrl|\$ref|x-[\w-]{1,60}
  )$
`;

/** OpenAPI 3.1 section 4.8.27, OpenAPI 2.0's Security Scheme Object. */
function isSecurityScheme(value: unknown): boolean {
  if (!isObject(value) || !Object.keys(value).every((key) => SCHEME_MEMBERS.test(key))) return false;
  if ("$ref" in value) return true;
  const { type } = value;
  if (type === "apiKey") return "in" in value && "name" in value;
  if (type === "oauth2") return "flows" in value || "flow" in value;
  if (type === "http") return "scheme" in value;
  if (type === "openIdConnect") return "openIdConnectUrl" in value;
  return type === "basic" || type === "mutualTLS";
}

/** `read:users`, or a URL: words, not a token. */
const SCOPE = /^(?:https:\/\/[\w./-]{1,200}|[A-Za-z]{1,40}(?:[:._*/-]{1,2}[A-Za-z]{0,40}){0,8})$/;

export function isSchema(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ("type" in value && isSchemaType(value.type)) return true;
  return ["$ref", "anyOf", "oneOf", "allOf", "enum", "const"].some((key) => key in value);
}

export function belongsIn(context: NameContext, value: unknown): boolean {
  switch (context) {
    case "runs":
      return isRuns(value);
    case "types":
      return typeof value === "string" && NODE_TYPE.test(value);
    case "schemes":
      return isSecurityScheme(value);
    case "flows":
      return (
        typeof value === "string" || (isObject(value) && ("tokenUrl" in value || "authorizationUrl" in value))
      );
    case "requirements":
      return Array.isArray(value) && value.every((scope) => typeof scope === "string" && SCOPE.test(scope));
    case "schemas":
      return isSchema(value);
  }
}

function isTarget(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value) || Object.keys(value).length !== 3) return false;
  const { node, type, index } = value;
  return typeof node === "string" && typeof type === "string" && typeof index === "number";
}

const isOutput = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.every(isTarget));

/**
 * n8n's connections of one node: `{ "main": [[{ "node": "Call", "type": "main", "index": 0 }]] }`, and nothing that
 * could hold a secret.
 */
function isConnections(value: object): boolean {
  const types: unknown[] = Object.values(value);
  return types.length > 0 && types.every((outputs) => Array.isArray(outputs) && outputs.every(isOutput));
}

/** The name of a node says nothing about the state that n8n stores under it. */
export const isNodeState = (value: object): boolean =>
  Array.isArray(value) ? isRuns(value) : isConnections(value);

/** A node as n8n stores it in a workflow (`INode`). */
export function isNode(object: object): object is { readonly type: string; readonly parameters: object } {
  return (
    "type" in object &&
    typeof object.type === "string" &&
    NODE_TYPE.test(object.type) &&
    "parameters" in object &&
    isObject(object.parameters)
  );
}

/** A node that stores conversations: the `sessionKey` in its parameters identifies a conversation. */
export function isMemoryNode(object: object): boolean {
  if ("sessionIdType" in object || "contextWindowLength" in object || "sessionTTL" in object) return true;
  return "type" in object && typeof object.type === "string" && /\.memory[A-Z]/.test(object.type);
}
