import { type AuditRule, found, PASSED } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

/** `v1`, `v1.2.0`, `1.2.0`, `version:2`. */
const VERSION = /(^|[\s_:/@-])(v(ersion)?[:\s._-]?\d+(\.\d+)*|\d+\.\d+(\.\d+)?)($|[\s_-])/i;

export const tagsVersion: AuditRule = {
  id: "tags/version",
  severity: "info",
  title: "The version of a server or tool stands in a tag, in its name, or in the ATDF.",
  reason: "Who looks into an execution has to know which version ran.",
  good: "A tag v1.0.0",
  bad: "No version anywhere",
  appliesTo: ["server", "tool"],
  judge: (subject) => {
    const { tags, name } = subject.outline;
    if ([...tags, name].some((text) => VERSION.test(text)) || hasAtdfVersion(subject)) return PASSED;
    return found({
      node: null,
      message: "No version is named.",
      evidence: "Neither a tag nor the name nor an ATDF block has one.",
      fix: "Add a tag such as v1.0.0.",
    });
  },
};

/** In the blocks of the nodes that call this tool. */
function hasAtdfVersion({ toolUses, instance }: AuditSubject): boolean {
  return toolUses.some(({ serverId, node }) => {
    const tool = instance.workflows.get(serverId)?.tools.find((each) => each.node === node);
    return (
      tool?.description !== undefined && (instance.readAtdf(tool.description).block?.version ?? null) !== null
    );
  });
}
