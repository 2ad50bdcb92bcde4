/** Fact: n8n refuses to begin with `Unrecognized node type: <type>`, before any node runs; the type stands in the workflow. */
import { quoted } from "../../../platform/display-name.ts";
import type { Rule } from "../rule.ts";
import { messageOf } from "../rule.ts";

const UNRECOGNIZED =
  /^(?:Unrecognized node type|The node type .{0,100} is not known|Unknown node type): ?"?([@\w./-]{1,120})/i;

export const nodeNotInstalled: Rule = ({ error, nodes, runs, execution }) => {
  const type = UNRECOGNIZED.exec(messageOf(error))?.[1]?.replace(/\.$/, "");
  // A node that ran can say so of another.
  if (type === undefined || runs.size > 0 || execution.status !== "error") return [];
  const node = [...nodes.values()].find((each) => each.type === type);
  if (node === undefined) return [];
  return [
    {
      cause: "node_not_installed",
      node: node.name,
      sentence: `The workflow did not run because this n8n does not have the type of node ${quoted(node.name)} (${type}): it is not installed, or switched off.`,
      confidence: "exact",
    },
  ];
};
