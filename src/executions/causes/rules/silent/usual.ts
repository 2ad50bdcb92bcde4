/**
 * Shared by the rules about items. A run that treats its items as the last successes did is normal, however odd it
 * looks: such a finding stays an observation. Pure.
 */
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import type { NodeRun, WorkflowNode } from "../../../../n8n/schemas.ts";
import { pathTo } from "../../../comparison/field-keys.ts";
import { type ExecutionView, parameterOf, type SentItems, sentBy } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { textsOf } from "../../field-references.ts";
import type { Rule } from "../../rule.ts";

/**
 * @param find finds the facts; those that a success shows, too, become observations
 * @param alone the confidence if no success ran the node: `likely` only if the data alone shows the fault; `nothing`
 * also leaves out the facts that a success shows
 */
export const unlessUsual =
  (find: Rule, alone: "likely" | "observed" | "nothing" = "observed"): Rule =>
  (view) => {
    if (view.isWithheld || view.execution.status !== "success") return [];
    return find(view).flatMap((fact): Fact[] => {
      if (isNotable(fact, view, find, alone === "likely")) return [fact];
      return alone === "nothing" ? [] : [{ ...fact, confidence: "observed" }];
    });
  };

function isNotable({ node, kind }: Fact, view: ExecutionView, find: Rule, isAlone: boolean): boolean {
  const comparable = view.successes.filter(({ runs }) => node !== null && runs.has(node));
  const isSame = (one: Fact): boolean => one.kind === kind && one.node === node;
  return comparable.length === 0 ? isAlone : !comparable.some((success) => find(success).some(isSame));
}

const SHAPES =
  /\.(?:set|code|function|functionItem|dateTime|crypto|merge|aggregate|summarize|sort|limit|splitOut|itemLists|compression|convertToFile|extractFromFile|html|markdown|xml|editImage|renameKeys|compareDatasets|removeDuplicates|executionData|if|filter|switch|wait|noOp)$/;
const ACTIONS =
  /^(?:send|create|post|insert|update|upsert|append|add|delete|remove|publish|reply|upload|invite|move|push|put|pay|write)/i;
const MESSAGES =
  /\.(?:emailSend|gmail|slack|telegram|discord|microsoftTeams|microsoftOutlook|twilio|mattermost|matrix|whatsApp|pushover|sendGrid|mailgun|mailjet|rocketchat|googleChat|httpRequest)$/;
const READS = new Set(["", "get", "head", "options"]);
const CHANGES_ROWS = /^=?\s{0,20}(?:insert|update|delete|merge|replace|upsert|call)\b/i;

/** The default operation, which n8n does not store, of nodes without a resource. */
const DEFAULTS: readonly (readonly [operation: string, types: RegExp])[] = [
  ["insert", /\.(?:postgres|mySql|microsoftSql|snowflake|dataTable)$/],
  [
    "create",
    /\.(?:supabase|asana|clickUp|github|googleCalendar|googleChat|hubspot|jira|linear|matrix|microsoftTeams|notion|pipedrive|shopify|todoist|trello|wordpress|zendesk)$/,
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

const MAX_STEPS = 200;

/** Whether the node, or one that began after it, changes something outside. */
export function actsFrom(view: ExecutionView, name: string): boolean {
  const names = [...view.runs.keys()];
  return names.slice(names.indexOf(name)).some((one) => acts(view.nodes.get(one)));
}

const READS_ITEM =
  /[$_](?:json|input|binary|data|itemIndex|position|node|runIndex)\b|[$_]items?\b|\$fromAI|\.item\b|\.itemMatching\(|\bitems?\b|Math\.random/;
/** Parameters by which a node takes all of an item, or its file. */
const TAKES_ITEM = /autoMap|binary|inputData|attachment/i;

/** Whether what a node does may differ from item to item. */
export function dependsOnItem(node: WorkflowNode | undefined): boolean {
  const texts = textsOf(node?.parameters);
  return texts.some((text) => READS_ITEM.test(text)) || TAKES_ITEM.test(JSON.stringify(node?.parameters));
}

/** The items of a node's first run, at the output with the most items. */
export function largestOutputOf(view: ExecutionView, name: string): SentItems {
  const outputs = [0, 1, 2, 3].map((output) => sentBy(name, view.runs.get(name)?.[0], 0, output));
  return outputs.toSorted((one, other) => other.length - one.length)[0] ?? { items: [], length: 0 };
}

export const inputCountOf = (view: ExecutionView, name: string): number =>
  (view.runs.get(name) ?? []).reduce((sum, run) => sum + view.inputOf(run).length, 0);

type FindAtNode = (
  view: ExecutionView,
  name: string,
  node: WorkflowNode,
  runs: readonly NodeRun[],
) => Fact | null;

/** Visits every node that ran. */
export const ofNodes =
  (find: FindAtNode): Rule =>
  (view) =>
    [...view.runs].flatMap(([name, runs]) => {
      const node = view.nodes.get(name);
      return node === undefined || node.disabled === true ? [] : (find(view, name, node, runs) ?? []);
    });

const COMMENTS = /\/\*(?:[^*]|\*(?!\/)){0,2000}\*\/|(?<!:)\/\/[^\n]*/g;

const MAX_CODE = 100_000;

/** Code without its comments; very long code stays as it is. */
export const withoutComments = (code: string): string =>
  code.length > MAX_CODE ? code : code.replaceAll(COMMENTS, "");

export interface Step {
  readonly name: string;
  readonly run: number;
  readonly output: number;
}

/** The runs back to the trigger along first inputs, nearest first. */
export function pathBack(view: ExecutionView, from: NodeRun): Step[] {
  const way: Step[] = [];
  let source = from.source[0];
  while (source != null && way.length < MAX_STEPS) {
    const { previousNode: name, previousNodeRun: run = 0, previousNodeOutput: output = 0 } = source;
    way.push({ name, run, output });
    source = view.runs.get(name)?.[run]?.source[0];
  }
  return way;
}

interface HeldScalar {
  readonly value: ReadValue;
  readonly holder: Readonly<Record<string, ReadValue>>;
}

const MAX_HELD = 2_000;
const MAX_DEPTH = 6;

/** Texts, numbers and flags of all items that a node sent, by path; what lists hold is under one path. */
export function scalarsBy(view: ExecutionView, name: string): ReadonlyMap<string, readonly HeldScalar[]> {
  const found = new Map<string, HeldScalar[]>();
  let remaining = MAX_HELD;
  const collect = (value: ReadValue, path: string, holder: HeldScalar["holder"], depth: number): void => {
    remaining -= 1;
    if (remaining < 0 || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const one of value) collect(one, `${path}[]`, holder, depth + 1);
    else if (isReadObject(value))
      for (const [key, member] of Object.entries(value)) collect(member, pathTo(path, key), value, depth + 1);
    else found.set(path, [...(found.get(path) ?? []), { value, holder }]);
  };
  for (const [index, run] of (view.runs.get(name) ?? []).entries())
    for (const { json } of sentBy(name, run, index, 0).items) collect(json, "", {}, 0);
  return found;
}
