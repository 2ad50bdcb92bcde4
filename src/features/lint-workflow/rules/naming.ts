/** The guide's rules of how workflows, nodes, parameters and variables are named. Pure. */

import { toServer } from "../../../workflows/mcp-server-map.ts";
import { type NodeParameters, textsIn } from "../../../workflows/node-parameters.ts";
import { shortType } from "../../../workflows/node-types.ts";
import { type AuditRule, faultsAt, faultUnless } from "../rule.ts";
import { TOOL_PREFIX } from "../subject.ts";

/** `tool.<action>_<entity>`: one action, and an entity of one word or more. */
const TOOL_NODE_NAME = /^tool\.[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** `$env.NAME`, `$env["NAME"]`; in code `process.env.NAME` as well. */
const ENVIRONMENT = /(?:\$env|\bprocess\.env)(?:\.([A-Za-z_]\w*)|\[\s*["'`]([^"'`\]]{1,200})["'`]\s*\])/g;

export const namingRules: readonly AuditRule[] = [
  {
    id: "naming/tool-prefix",
    severity: "warning",
    title: `Sub-workflows that serve as tools begin with ${TOOL_PREFIX}.`,
    reason:
      "Otherwise nobody sees in a list of hundreds which workflows an agent can call, and somebody changes one unawares.",
    good: "SWF_Get_User",
    bad: "Get User",
    appliesTo: ["tool"],
    message: `The sub-workflow of a tool does not begin with ${TOOL_PREFIX}.`,
    fix: `Rename it so that it begins with ${TOOL_PREFIX}, for example SWF_Get_User.`,
    judge: ({ workflow, toolUses }) =>
      faultUnless(
        workflow.name.startsWith(TOOL_PREFIX),
        toolUses.map(({ node, serverName }) => `called by ${node} of ${serverName}`).join("; "),
      ),
  },
  {
    id: "naming/tool-node",
    severity: "warning",
    title: "Tool nodes are named tool.<action>_<entity>.",
    reason:
      "The node's name is what agents see and choose by: it has to say what the tool does, and to what.",
    good: "tool.get_user",
    bad: "Get the user",
    appliesTo: ["server"],
    message: "The tool node is not named tool.<action>_<entity>.",
    fix: "Rename it, for example tool.get_user. Agents then see tool_get_user.",
    judge: ({ workflowTools }) =>
      faultsAt(
        workflowTools.filter(({ name }) => !TOOL_NODE_NAME.test(name)),
        ({ name }) => `Its name is ${name}.`,
      ),
  },
  {
    id: "naming/tool-collision",
    severity: "error",
    title: "No two tools of a server have the same name once n8n has renamed them.",
    reason:
      "n8n replaces everything but letters, digits, _ and - by _, and a server with two tools of the same name answers nobody.",
    good: "tool.get_user and tool.list_users",
    bad: "tool.get_user and tool get_user: agents would see tool_get_user twice.",
    appliesTo: ["server"],
    message: "Two tools have the same name.",
    fix: "Rename one of the tool nodes.",
    judge: ({ outline, instance }) =>
      toServer(instance, outline).collisions.map((name) => ({
        node: outline.tools.findLast(({ mcpName }) => mcpName === name)?.node ?? null,
        evidence: `Agents see ${name} more than once.`,
      })),
  },
  {
    id: "naming/parameters",
    severity: "warning",
    title: "Parameters of tools are in snake_case.",
    reason: "Agents fill in what they have seen before: names in several styles get mixed up.",
    good: "user_id",
    bad: "userId, User-ID",
    appliesTo: ["server", "tool"],
    message: "A parameter is not in snake_case.",
    fix: "Rename it in the tool node, in the trigger of the sub-workflow and in the ATDF, for example user_id.",
    judge: ({ outline, roles }) => {
      const ofTools = outline.tools.flatMap(({ node, calls, inputs }) =>
        calls === undefined ? [] : inputs.map(({ name }) => ({ node, name })),
      );
      const ofTrigger = roles.has("tool") ? (outline.inputs?.inputs ?? []) : [];
      return [...ofTools, ...ofTrigger.map(({ name }) => ({ node: null, name }))]
        .filter(({ name }) => !SNAKE_CASE.test(name))
        .map(({ node, name }) => ({ node, evidence: `The parameter is ${name}.` }));
    },
  },
  {
    id: "naming/environment",
    severity: "info",
    title: "Environment variables begin with ENV_.",
    reason:
      "Otherwise nobody can tell in an expression what comes from the environment and differs between instances.",
    good: "$env.ENV_CALENDAR_URL",
    bad: "$env.CALENDAR_URL",
    appliesTo: ["server", "tool"],
    message: "An environment variable does not begin with ENV_.",
    fix: "Set it under a name that begins with ENV_, and use that.",
    judge: ({ nodes }) =>
      nodes.flatMap(({ name, parameters }) =>
        environmentVariables(parameters)
          .filter((variable) => !variable.startsWith("ENV_"))
          .map((variable) => ({ node: name, evidence: `The variable is ${variable}.` })),
      ),
  },
  {
    id: "naming/no-default-names",
    severity: "info",
    title: "No node has the name that n8n gave it.",
    reason: "In an execution, HTTP Request1 says nothing about what failed.",
    good: "Fetch User",
    bad: "HTTP Request1",
    appliesTo: ["server", "tool"],
    message: "The node has the name that n8n gave it.",
    fix: "Rename it after what it does.",
    judge: ({ nodes }) =>
      faultsAt(
        nodes.filter(({ name, type }) => isDefaultName(name, shortType(type))),
        ({ type }) => `Its type is ${type}.`,
      ),
  },
];

function environmentVariables(parameters: NodeParameters): string[] {
  const matches = [...textsIn(parameters)].flatMap(({ text }) => [...text.matchAll(ENVIRONMENT)]);
  return [...new Set(matches.flatMap(([, dotted, quoted]) => dotted ?? quoted ?? []))];
}

/** The names that n8n gives to nodes, beside the words of their type; those of one type are parted by `|`. */
const OTHER_DEFAULTS = new Map(
  Object.entries({
    set: "edit fields",
    code: "code in javascript|code in python",
    splitInBatches: "loop over items",
    noOp: "no operation, do nothing|no operation",
    executeWorkflow: "execute sub-workflow",
    executeWorkflowTrigger: "when executed by another workflow",
    dateTime: "date & time",
    toolWorkflow: "call n8n workflow tool|call n8n sub-workflow tool",
    mcpTrigger: "mcp server trigger",
    mcpClientTool: "mcp client",
    lmChatOpenAi: "openai chat model",
    agent: "ai agent",
    chainLlm: "basic llm chain",
    chainRetrievalQa: "question and answer chain",
    chainSummarization: "summarization chain",
    emailSend: "send email",
    rssFeedRead: "rss read",
    readWriteFile: "read/write files from disk",
    memoryBufferWindow: "simple memory|window buffer memory",
    memoryPostgresChat: "postgres chat memory",
    outputParserStructured: "structured output parser",
    manualTrigger: "when clicking ‘execute workflow’|when clicking ‘test workflow’",
    chatTrigger: "when chat message received",
  }),
);

/** Types whose name says what a node does as well as any other could: nobody renames these nodes. */
const SAYS_ENOUGH = new Set(["start", "stopAndError", "respondToWebhook", "merge", "errorTrigger"]);

function isDefaultName(name: string, type: string): boolean {
  if (SAYS_ENOUGH.has(type) && !/\d$/.test(name)) return false;
  const plain = name.replace(/\d+$/, "").trim().toLowerCase();
  // `httpRequest` → `http request`.
  const inWords = type.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return plain === inWords || OTHER_DEFAULTS.get(type)?.split("|").includes(plain) === true;
}
