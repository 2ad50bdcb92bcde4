/**
 * What n8n 3.0 removes or changes in a workflow, according to n8n's page of breaking changes and the rules of its own
 * migration report (packages/cli/src/modules/breaking-changes/rules/v3). Where these contradict each other, a message
 * says "may". Pure.
 */
import { textAt } from "../../../json/members.ts";
import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { MINUTE_MS } from "../../../platform/durations.ts";
import { MAIN } from "../../../workflows/graph.ts";
import { countRegularOutputs, errorOutputOf } from "../../../workflows/node-outputs.ts";
import { isExpression, textsIn } from "../../../workflows/node-parameters.ts";
import { EXECUTE_WORKFLOW } from "../../../workflows/node-types.ts";
import { withoutComments } from "../node-kinds.ts";
import { longestMs, toSentence } from "../past-runs.ts";
import { type AuditRule, type Fault, faultUnless, type NotJudged } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

const BASE = "n8n-nodes-base.";
const LANGCHAIN = "@n8n/n8n-nodes-langchain.";
const CODE = `${BASE}code`;
const NO_SUCCESSOR = "Replace it: n8n names no successor.";

/** What to use instead, and the removed types. */
const REMOVED_NODES: readonly (readonly [fix: string, prefix: string, types: string])[] = [
  ["Use a Schedule Trigger.", BASE, "cron interval"],
  ["Use a Code node.", BASE, "function functionItem"],
  ["Use an HTML node.", BASE, "htmlExtract"],
  ["Use Aggregate, Limit, Remove Duplicates, Sort, Split Out or Summarize.", BASE, "itemLists"],
  ["Use Convert to File or Extract from File.", BASE, "iCal moveBinaryData readPDF"],
  ["Use Read/Write Files from Disk.", BASE, "readBinaryFile readBinaryFiles writeBinaryFile"],
  ["Use the newer OpenAI node.", BASE, "openAi"],
  ["Use an n8n Trigger.", BASE, "workflowTrigger"],
  ["Use the newer OpenAI node.", LANGCHAIN, "openAiAssistant"],
  ["Use an OpenAI Chat Model.", LANGCHAIN, "lmOpenAi"],
  ["Use a Chat Trigger.", LANGCHAIN, "manualChatTrigger"],
  ["Use a Chat Memory Manager.", LANGCHAIN, "memoryChatRetriever"],
  ["Use an HTTP Request node as the tool.", LANGCHAIN, "toolHttpRequest"],
  ["Use the verified community node SerpApi.", LANGCHAIN, "toolSerpApi"],
  ["Use a Default Data Loader.", LANGCHAIN, "documentBinaryInputLoader documentJsonInputLoader"],
  ["Use the newer node of the vector store.", LANGCHAIN, "vectorStoreInMemoryInsert vectorStoreInMemoryLoad"],
  ["Use the newer node of the vector store.", LANGCHAIN, "vectorStorePineconeInsert vectorStorePineconeLoad"],
  ["Use the newer node of the vector store.", LANGCHAIN, "vectorStoreSupabaseInsert vectorStoreSupabaseLoad"],
  [NO_SUCCESSOR, BASE, "orbit"],
  [NO_SUCCESSOR, LANGCHAIN, "code documentGithubLoader memoryMotorhead memoryZep"],
  [NO_SUCCESSOR, LANGCHAIN, "vectorStoreZep vectorStoreZepInsert vectorStoreZepLoad"],
];
const FIXES = new Map(
  REMOVED_NODES.flatMap(([fix, prefix, types]) => types.split(" ").map((type) => [prefix + type, fix])),
);

const REMOVED_AGENTS =
  "conversationalAgent openAiFunctionsAgent planAndExecuteAgent reActAgent sqlAgent".split(" ");

/** n8n's default for the time that the task of a Code node may take. */
const MAX_TASK_MS = MINUTE_MS;
export const RUNS_UNREAD = "Its past runs were not read.";

export const n8n3Rules: readonly AuditRule[] = [
  {
    id: "n8n-3/removed-node",
    severity: "error",
    message: "n8n 3.0 does not have this type of node.",
    fix: NO_SUCCESSOR,
    ...eachNode(({ type }) => {
      const fix = FIXES.get(type);
      return fix === undefined ? undefined : { evidence: `The node's type is ${type}.`, fix };
    }),
  },
  {
    id: "n8n-3/removed-mode",
    severity: "error",
    message: "n8n 3.0 does not have the mode that the node uses.",
    fix: "Use an AI Agent of the newest version.",
    ...eachNode((node) => {
      const { type, typeVersion, parameters } = node;
      const source = type === EXECUTE_WORKFLOW ? textAt(parameters, "source") : undefined;
      if (source === "localFile" || source === "url")
        return { evidence: `source is ${source}.`, fix: "Choose a stored sub-workflow: source Database." };
      if (type !== `${LANGCHAIN}agent` || typeVersion >= 2) return undefined;
      // n8n does not save a mode that is the default of the version.
      const mode = textAt(parameters, "agent") ?? (typeVersion <= 1.5 ? "conversationalAgent" : "toolsAgent");
      return REMOVED_AGENTS.includes(mode) ? { evidence: `agent is ${mode}.` } : undefined;
    }),
  },
  {
    id: "n8n-3/once-for-each-item",
    severity: "warning",
    message: "n8n 3.0 may not have the mode Run once for each item: n8n's own sources differ.",
    fix: "Put a Loop Over Items node before it, and run it once with all items.",
    ...eachNode(({ type, parameters }) =>
      type === EXECUTE_WORKFLOW && textAt(parameters, "mode") === "each"
        ? { evidence: "mode is each." }
        : undefined,
    ),
  },
  {
    id: "n8n-3/removed-helper",
    severity: "error",
    message: "n8n 3.0 does not have the function that the node calls.",
    fix: 'Use $("Node").item instead of $getPairedItem; evaluate expressions in an Edit Fields node.',
    ...eachNode(({ type, parameters }) => {
      const removed = type === CODE ? /\$(getPairedItem|evaluateExpression)\b/ : /\$getPairedItem\b/;
      const place = [...textsIn(parameters)].find(
        ({ path, text }) =>
          (isExpression(text) || path.endsWith("Code")) && removed.test(withoutComments(text)),
      );
      return place === undefined ? undefined : { evidence: `Called in ${place.path}.` };
    }),
  },
  {
    id: "n8n-3/always-output-data",
    severity: "warning",
    message: "In n8n 3.0, Always Output Data adds an empty item only if all outputs are empty.",
    fix: "Check what follows the first output: it no longer runs when only another output has items.",
    ...eachNode((node, { graph }) => {
      const count = countRegularOutputs(node) + (errorOutputOf(node) === null ? 0 : 1);
      const isUsed = graph.outgoing(node.name, MAIN).some(({ output }) => output === 0);
      const isAffected = node.alwaysOutputData === true && count > 1 && isUsed;
      return isAffected
        ? { evidence: `alwaysOutputData is on, with ${counted(count, "output")}.` }
        : undefined;
    }),
  },
  {
    id: "n8n-3/caller-policy",
    severity: "warning",
    appliesTo: ["any"],
    message: "n8n 3.0 may refuse calls of the workflow: its migration report has no policy for any caller.",
    fix: "In the workflow's settings, allow the callers one by one, or those of its project.",
    judge: ({ workflow: { settings }, outline }) =>
      faultUnless(!outline.canBeCalled || settings.callerPolicy !== "any", "settings.callerPolicy is any."),
  },
  {
    id: "n8n-3/newer-version",
    severity: "warning",
    message:
      "n8n 3.0 runs the node as version 1.4, with at most ten emails a poll by default, and no drafts.",
    fix: "Use the newest version now, and set Max Emails per Poll.",
    ...eachNode(({ type, typeVersion }) =>
      type === `${BASE}gmailTrigger` && typeVersion < 1.4
        ? { evidence: `The node's version is ${typeVersion}.` }
        : undefined,
    ),
  },
  {
    id: "n8n-3/task-time",
    severity: "warning",
    message: "n8n 3.0 may abort the node: by default, a task has 60 seconds instead of 300.",
    fix: "Split the work, or set N8N_RUNNERS_TASK_TIMEOUT of n8n.",
    ...eachNode(({ name, type }, { pastRuns }) => {
      if (type !== CODE) return undefined;
      if (pastRuns === undefined) return { reason: RUNS_UNREAD };
      const longest = longestMs(pastRuns, name);
      if (longest === undefined) return { reason: "No execution that was read shows how long it takes." };
      return longest > MAX_TASK_MS
        ? { evidence: `A run took ${counted(Math.round(longest / 1_000), "second")}.` }
        : undefined;
    }),
  },
];

type NodeVerdict = Omit<Fault, "node"> | Omit<NotJudged, "node"> | undefined;
type JudgeNode = (node: WorkflowNodeWithParameters, subject: AuditSubject) => NodeVerdict;

/** Judges each node that can run, in any workflow, and says when a faulty one last did. */
function eachNode(judgeNode: JudgeNode): Pick<AuditRule, "appliesTo" | "judge"> {
  const judge: AuditRule["judge"] = (subject) =>
    subject.nodes.flatMap((node) => {
      const verdict = judgeNode(node, subject);
      if (verdict === undefined) return [];
      if ("reason" in verdict || subject.pastRuns === undefined) return [{ node: node.name, ...verdict }];
      const evidence = `${verdict.evidence} ${toSentence(subject.pastRuns, node.name)}`;
      return [{ node: node.name, ...verdict, evidence }];
    });
  return { appliesTo: ["any"], judge };
}
