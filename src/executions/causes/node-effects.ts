/** What a node does: whether it changes something outside, only looks something up, or depends on its items. Pure. */
import type { WorkflowNode } from "../../n8n/schemas.ts";
import { pattern } from "../../platform/pattern.ts";
import { type ExecutionView, parameterOf, ranAfter } from "./execution-view.ts";
import { textsOf } from "./field-references.ts";

/** They change nothing outside of n8n. */
export const SHAPES = pattern()`
  \.(?:
    set|code|function|functionItem|dateTime|crypto|merge|aggregate|summarize|sort|limit|splitOut
    |itemLists|compression|convertToFile|extractFromFile|html|markdown|xml|editImage|renameKeys
    |compareDatasets|removeDuplicates|executionData|if|filter|switch|wait|noOp
  )$
`;
const ACTIONS =
  /^(?:send|create|post|insert|update|upsert|append|add|delete|remove|publish|reply|upload|invite|move|push|put|pay|write)/i;
const MESSAGES = pattern()`
  \.(?:
    emailSend|gmail|slack|telegram|discord|microsoftTeams|microsoftOutlook|twilio|mattermost|matrix
    |whatsApp|pushover|sendGrid|mailgun|mailjet|rocketchat|googleChat|httpRequest
  )$
`;
const READS = new Set(["", "get", "head", "options"]);
const CHANGES_ROWS = /^=?\s{0,20}(?:insert|update|delete|merge|replace|upsert|call)\b/i;

/** The default operation, which n8n does not store, of nodes without a resource. */
const DEFAULTS: readonly (readonly [operation: string, types: RegExp])[] = [
  ["insert", /\.(?:postgres|mySql|microsoftSql|snowflake|dataTable)$/],
  [
    "create",
    pattern()`
    \.(?:
      supabase|asana|clickUp|github|googleCalendar|googleChat|hubspot|jira|linear|matrix|microsoftTeams
      |notion|pipedrive|shopify|todoist|trello|wordpress|zendesk
    )$
  `,
  ],
  ["send", /\.(?:emailSend|gmail|microsoftOutlook|discord|twilio|mailjet|whatsApp)$/],
  ["post", /\.(?:slack|telegram|mattermost|rocketchat)$/],
  ["push", /\.pushover$/],
  ["upload", /\.(?:googleDrive|dropbox)$/],
  ["read", /\.(?:googleSheets|airtable|nocoDb|baserow|mongoDb|readWriteFile|stripe|s3|awsS3|ftp)$/],
];

/** Resources that all nodes create by default. */
const SENT_BY_DEFAULT = /^(?:message|channelMessage|chatMessage|sms|mail|draft|databasePage)$/;

/** Stored, or known from its type; null if it cannot be told. */
export function operationOf(node: WorkflowNode | undefined): string | null {
  const stored = parameterOf(node, "operation");
  if (typeof stored === "string") return stored;
  const resource = parameterOf(node, "resource");
  if (resource !== undefined) return SENT_BY_DEFAULT.test(String(resource)) ? "send" : null;
  return DEFAULTS.find(([, types]) => types.test(typeOf(node)))?.[0] ?? null;
}

/** The type of the same node when it is not a tool of an agent. */
const typeOf = (node: WorkflowNode | undefined): string =>
  (node?.type ?? "").replace(/Tool$/, "").replace(/\.toolHttpRequest$/, ".httpRequest");

/** Whether a node changes something outside: it sends, writes or deletes. */
export function acts(node: WorkflowNode | undefined): boolean {
  const type = typeOf(node);
  if (SHAPES.test(type)) return false;
  const method = parameterOf(node, "method") ?? parameterOf(node, "requestMethod");
  if (/\.httpRequest$/.test(type)) return typeof method === "string" && !READS.has(method.toLowerCase());
  const query = parameterOf(node, "query");
  if (/\.graphql$/.test(type)) return /^\s{0,20}mutation\b/.test(String(query ?? ""));
  const operation = operationOf(node) ?? "";
  return ACTIONS.test(operation) || (operation === "executeQuery" && CHANGES_ROWS.test(String(query ?? "")));
}

const READING = /^(?:get|list|search|find|select|read|look|query|executeQuery|download|count|fetch|exists)/i;

const RUNS = /\.(?:executeWorkflow|awsLambda|code|function|ssh|executeCommand)$/;

/** Whether a node only looks something up; unknown for nodes that run code, a command or a workflow. */
export const reads = (node: WorkflowNode | undefined): boolean =>
  !acts(node) && READING.test(operationOf(node) ?? (RUNS.test(typeOf(node)) ? "" : "get"));

/** Whether a node sends a message that only its parameters determine. */
export const isMessage = (node: WorkflowNode | undefined): boolean =>
  acts(node) && MESSAGES.test(node?.type ?? "");

/** Whether the node, or one that began after it, changes something outside. */
export const actsFrom = (view: ExecutionView, name: string): boolean =>
  [name, ...ranAfter(view, name)].some((one) => acts(view.nodes.get(one)));

const READS_ITEM =
  /[$_](?:json|input|binary|data|itemIndex|position|node|runIndex)\b|[$_]items?\b|\$fromAI|\.item\b|\.itemMatching\(|\bitems?\b|Math\.random/;
/** Parameters by which a node takes all of an item, or its file. */
const TAKES_ITEM = /autoMap|binary|inputData|attachment/i;

/** Whether what a node does may differ from item to item. */
export function dependsOnItem(node: WorkflowNode | undefined): boolean {
  const texts = textsOf(node?.parameters);
  return texts.some((text) => READS_ITEM.test(text)) || TAKES_ITEM.test(JSON.stringify(node?.parameters));
}
