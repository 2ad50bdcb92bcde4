/**
 * Facts: n8n's own hints stand in a run's `hints[].message`; a disabled node hands on what it is given; a sub-workflow or tool that
 * answers `{ status: "error", … }` succeeded for n8n.
 */
import { isReadObject } from "../../../json/omitted.ts";
import type { NodeRun } from "../../../n8n/schemas.ts";
import { quoted } from "../../../platform/display-name.ts";
import { type ExecutionView, sentBy } from "../execution-view.ts";
import type { findAt } from "../field-origin.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";

const CALLS = /\.(?:executeWorkflow)$/;

/** The last, or only, answer of a called workflow. */
export const errorAsData: Rule = (view) => {
  if (view.isWithheld) return [];
  return [...view.runs].flatMap(([name, runs]) => {
    if (!CALLS.test(view.nodes.get(name)?.type ?? "")) return [];
    const says = runs.some((run, index) =>
      sentBy(name, run, index, 0).items.some(({ json }) => saysError(json)),
    );
    if (!says) return [];
    const child = runs.flatMap(({ metadata }) => metadata?.subExecution?.executionId ?? [])[0];
    const where = child === undefined ? "" : ` (execution ${child})`;
    const finding: Finding = {
      cause: "error_as_data",
      node: name,
      sentence: `${quoted(name)}: its output says that the sub-workflow it called${where} answered with an error of its own, which is a success to n8n.`,
      confidence: "observed",
      ...(child === undefined ? {} : { executionId: child }),
    };
    return [finding];
  });
};

/** `{ status: "error" }` with what it is about, or an error that the sub-workflow swallowed. */
function saysError(json: Parameters<typeof findAt>[0]): boolean {
  if (!isReadObject(json)) return false;
  if (json.status === "error" && ("data" in json || "error" in json || "message" in json)) return true;
  return typeof json.error === "string" && json.error !== "" && Object.keys(json).length === 1;
}

export const hints: Rule = ({ runs }) =>
  [...runs].flatMap(([name, own]) => {
    const messages = own.flatMap(hintsOf);
    const [first] = messages;
    return first === undefined
      ? []
      : [
          {
            cause: "hint",
            node: name,
            sentence: `n8n itself left a hint at ${quoted(name)}.`,
            confidence: "observed",
            value: first,
          } satisfies Finding,
        ];
  });

function hintsOf({ hints: own }: NodeRun): string[] {
  if (!Array.isArray(own)) return [];
  return own.flatMap((hint: unknown) => {
    const message = typeof hint === "object" && hint !== null && "message" in hint ? hint.message : undefined;
    return typeof message === "string" && message !== "" ? [message] : [];
  });
}

export const disabledNodes: Rule = (view: ExecutionView) =>
  [...view.runs.keys()].flatMap((name) =>
    view.nodes.get(name)?.disabled === true
      ? [
          {
            cause: "node_disabled",
            node: name,
            sentence: `${quoted(name)} is switched off: what came to it went on as it was.`,
            confidence: "observed",
          } satisfies Finding,
        ]
      : [],
  );
