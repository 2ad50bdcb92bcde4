/** Fact: the node Stop and Error fails on purpose, and with a text of the workflow's author: what led there is the reason. */
import { quoted } from "../../../platform/display-name.ts";
import { onFailed } from "../rule.ts";
import { branchBefore } from "./branch.ts";

export const stoppedOnPurpose = onFailed((view, { name, node }) => {
  if (node?.type !== "n8n-nodes-base.stopAndError") return [];
  const branch = branchBefore(view, name);
  const because =
    branch === null
      ? ""
      : `, after ${quoted(branch.node)} had taken its output ${branch.output + 1} of ${branch.outputs}`;
  return [
    {
      cause: "stopped_on_purpose",
      node: name,
      sentence: `${quoted(name)} ended the execution on purpose: it is a Stop and Error node${because}.`,
      confidence: "exact",
    },
  ];
});
