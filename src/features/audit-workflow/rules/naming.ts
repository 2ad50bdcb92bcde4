/** The guide's rules about names of workflows, nodes, parameters and variables. Pure. */
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

/** n8n's default node names that differ from the words of their type; alternatives are separated by `|`. */
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

/** Types whose default name is clear enough that nobody renames these nodes. */
const CLEAR_DEFAULTS = new Set(["start", "stopAndError", "respondToWebhook", "merge", "errorTrigger"]);

function isDefaultName(name: string, type: string): boolean {
  if (CLEAR_DEFAULTS.has(type) && !/\d$/.test(name)) return false;
  const plain = name.replace(/\d+$/, "").trim().toLowerCase();
  // `httpRequest` → `http request`.
  const inWords = type.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return plain === inWords || OTHER_DEFAULTS.get(type)?.split("|").includes(plain) === true;
}
