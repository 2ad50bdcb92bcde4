/**
 * Fact: a run that failed in an execution that succeeded was handled by whoever called it: an agent goes on when a tool or
 * model fails. Agent 1.x and HTTP and MCP tools end as a success and say `There was an error: "…"`, as whatever they call
 * can: that is told as what their output says.
 */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import type { NodeRun } from "../../../n8n/schemas.ts";
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { outputsOf } from "../../node-runs.ts";
import { type ExecutionView, goesOn } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";
import { isHandedOn } from "./caught-errors.ts";

const SAYS_ERROR = /^(?:HTTP \d{3} )?There was an error(?: executing the tool)?: ?/;

export const failedTools: Rule = (view) =>
  [...view.runs].flatMap(([name, runs]) => {
    if (name === view.failed?.name) return [];
    const isCaught = goesOn(view.nodes.get(name)) !== null;
    // On the main line, whoever does not go on when it fails has ended the execution.
    if (!isCaught && !isSubNode(view, name, runs)) return [];
    const failed = runs.filter((run) => (hasFailed(run) && !(isCaught && isHandedOn(run))) || saysError(run));
    const [first] = failed;
    return first === undefined ? [] : [toFinding(view, name, failed, runs.length)];
  });

/** It hangs on another node, which called it. */
const isSubNode = (view: ExecutionView, name: string, runs: readonly NodeRun[]): boolean =>
  view.hangsOn(name) ||
  runs.some((run) =>
    [...outputsOf(run.data).keys(), ...Object.keys(run.inputOverride ?? {})].some(isOfAgents),
  );

const isOfAgents = (connectionType: string): boolean => connectionType.startsWith("ai_");

const hasFailed = (run: NodeRun): boolean => run.executionStatus === "error" || run.error !== undefined;

const textsIn = (json: ReadValue): string[] =>
  isReadObject(json)
    ? [json.response, json.error, json.output].filter((text): text is string => typeof text === "string")
    : [];

const jsonsOf = (run: NodeRun, type: string): ReadValue[] =>
  (outputsOf(run.data).get(type) ?? []).flatMap(({ items }) =>
    items.flatMap((item) => (isReadObject(item) && item.json !== undefined ? [item.json] : [])),
  );

const saysError = (run: NodeRun): boolean =>
  jsonsOf(run, "ai_tool").some((json) => textsIn(json).some((text) => SAYS_ERROR.test(text)));

function toFinding(view: ExecutionView, name: string, failed: readonly NodeRun[], runs: number): Finding {
  const [first] = failed;
  const caller = first?.source.find((source) => source !== null)?.previousNode;
  const isCalled = isSubNode(view, name, failed);
  const how = runs > 1 ? `${failed.length} of ${counted(runs, "time")}` : "";
  const by =
    caller === undefined || !view.nodes.has(caller)
      ? ""
      : isCalled
        ? `, which ${quoted(caller)} was told`
        : "";
  const isOfN8n = failed.some(hasFailed);
  return {
    cause: "tool_failed",
    node: name,
    sentence: `${quoted(name)}${isOfN8n ? "" : ": its output says that it"} failed${how === "" ? "" : ` ${how}`}${by}; the execution went on.`,
    confidence: isOfN8n ? "exact" : "observed",
  };
}
