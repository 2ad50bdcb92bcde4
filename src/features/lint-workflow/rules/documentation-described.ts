import { textAt } from "../../../workflows/node-parameters.ts";
import { isStickyNote } from "../../../workflows/node-types.ts";
import { type AuditRule, found, notJudged, PASSED } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

/** n8n gives it only where a workflow is read alone. */
export const DESCRIPTION_UNREAD = "Its description was not read, and its sticky notes do not say enough.";

/** In characters; less is a heading. */
const SHORTEST_TEXT = 30;

export const documentationDescribed: AuditRule = {
  id: "documentation/described",
  severity: "info",
  title: "A sticky note or the description says what a workflow is for, what it takes and what it gives.",
  reason: "Who is called at night reads that first.",
  good: "A sticky note with purpose, inputs (each by its name) and outputs",
  bad: "No note, no description",
  appliesTo: ["server", "tool", "error_workflow"],
  judge: (subject) => {
    const text = documentationOf(subject);
    const isPartial = subject.workflow.description === undefined;
    if (text.length < SHORTEST_TEXT) {
      if (isPartial) return notJudged(null, DESCRIPTION_UNREAD);
      return found({
        node: null,
        message: "Nothing says what the workflow is for.",
        evidence: "There is no sticky note and no description, or hardly a word in them.",
        fix: "Add a sticky note that says purpose, inputs and outputs.",
      });
    }
    const unnamed = subject.roles.has("tool")
      ? (subject.outline.inputs?.inputs ?? []).map(({ name }) => name).filter((name) => !text.includes(name))
      : [];
    if (unnamed.length === 0) return PASSED;
    if (isPartial) return notJudged(null, DESCRIPTION_UNREAD);
    return found({
      node: null,
      message: "The documentation does not name every input.",
      evidence: `Not named: ${unnamed.join(", ")}.`,
      fix: "Name each input in the sticky note, and say what it means.",
    });
  },
};

function documentationOf({ workflow, version }: AuditSubject): string {
  const notes = version.nodes
    .filter(isStickyNote)
    .map(({ parameters }) => textAt(parameters, "content") ?? "");
  return [workflow.description ?? "", ...notes].join("\n").trim();
}
