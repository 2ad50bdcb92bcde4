/**
 * Fact: a waiting execution has `waitTill`; the year 3000 stands for "until somebody calls". What it waits for is the
 * Wait node's `resume` parameter, or the node that sent a message and waits for its answer (`sendAndWait`).
 */
import { quoted } from "../../../platform/display-name.ts";
import { type ExecutionView, parameterOf } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";
import { runningNode } from "./ended-from-outside.ts";

const NO_END = "3000-01-01";

export const notEnded: Rule = (view) => {
  const { status } = view.execution;
  if (status === "waiting") return [waiting(view)];
  return status === "running" || status === "new" || status === "unknown" ? [running(view)] : [];
};

function running(view: ExecutionView): Finding {
  const node = runningNode(view);
  const where =
    node === null ? "n8n keeps no data of it yet" : `the last that n8n tells of is ${quoted(node)}`;
  return { cause: "running", node, sentence: `It has not ended: ${where}.`, confidence: "exact" };
}

const ON_CALL: Readonly<Record<string, string>> = {
  webhook: "for a call of its resume URL",
  form: "for a form to be filled in",
};

function waiting(view: ExecutionView): Finding {
  const { execution, nodes } = view;
  const node = execution.data?.resultData?.lastNodeExecuted ?? runningNode(view);
  const { waitTill } = execution;
  const definition = nodes.get(node ?? "");
  const resume = parameterOf(definition, "resume");
  const isForAnswer = parameterOf(definition, "operation") === "sendAndWait";
  const onCall = typeof resume === "string" && Object.hasOwn(ON_CALL, resume) ? ON_CALL[resume] : undefined;
  const isEndless = waitTill === null || waitTill >= NO_END;
  const what =
    (isForAnswer ? "for somebody's answer to its message" : onCall) ??
    (isEndless ? "until somebody resumes it" : "for a time");
  const until = isEndless
    ? "; it has no limit, and may wait for ever"
    : ` until ${new Date(waitTill).toISOString()}`;
  const at = node === null ? "" : ` at ${quoted(node)}`;
  return { cause: "waiting", node, sentence: `It waits${at} ${what}${until}.`, confidence: "exact" };
}
