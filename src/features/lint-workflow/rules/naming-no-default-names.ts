import { shortType } from "../../../workflows/node-types.ts";
import { type AuditRule, found } from "../rule.ts";

export const namingNoDefaultNames: AuditRule = {
  id: "naming/no-default-names",
  severity: "info",
  title: "No node has the name that n8n gave it.",
  reason: "In an execution, HTTP Request1 says nothing of what failed.",
  good: "Fetch User",
  bad: "HTTP Request1",
  appliesTo: ["server", "tool"],
  judge: ({ nodes }) =>
    found(
      ...nodes
        .filter(({ name, type }) => isDefaultName(name, type))
        .map(({ name, type }) => ({
          node: name,
          message: "The node has the name that n8n gave it.",
          evidence: `Its type is ${type}.`,
          fix: "Rename it after what it does.",
        })),
    ),
};

/** What n8n names nodes whose type's name does not say it. */
const OTHER_DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  set: ["edit fields", "set"],
  code: ["code", "code in javascript", "code in python"],
  splitInBatches: ["loop over items", "split in batches"],
  noOp: ["no operation, do nothing", "no operation"],
  executeWorkflow: ["execute workflow", "execute sub-workflow"],
  executeWorkflowTrigger: ["when executed by another workflow"],
  itemLists: ["item lists"],
  dateTime: ["date & time"],
  toolWorkflow: ["call n8n workflow tool", "call n8n sub-workflow tool"],
  mcpTrigger: ["mcp server trigger"],
  mcpClientTool: ["mcp client", "mcp client tool"],
  lmChatOpenAi: ["openai chat model"],
  agent: ["ai agent"],
  chainLlm: ["basic llm chain"],
  chainRetrievalQa: ["question and answer chain"],
  chainSummarization: ["summarization chain"],
  emailSend: ["send email"],
  rssFeedRead: ["rss read"],
  readWriteFile: ["read/write files from disk"],
  memoryBufferWindow: ["simple memory", "window buffer memory"],
  memoryPostgresChat: ["postgres chat memory"],
  outputParserStructured: ["structured output parser"],
  manualTrigger: ["when clicking ‘execute workflow’", "when clicking ‘test workflow’"],
  chatTrigger: ["when chat message received"],
};

/** Names that say what a node does as well as any could: nobody renames them. */
const SAYS_ENOUGH = new Set(["start", "stopAndError", "respondToWebhook", "merge", "errorTrigger"]);

function isDefaultName(name: string, type: string): boolean {
  const short = shortType(type);
  if (SAYS_ENOUGH.has(short) && !/\d$/.test(name)) return false;
  const plain = name.replace(/\d+$/, "").trim().toLowerCase();
  const defaults = Object.hasOwn(OTHER_DEFAULTS, short) ? OTHER_DEFAULTS[short] : undefined;
  return plain === inWords(short) || (defaults ?? []).includes(plain);
}

/** `httpRequest` → `http request`. */
function inWords(short: string): string {
  return short.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}
