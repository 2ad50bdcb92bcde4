import { textAt } from "../../node-parameters.ts";
import { isStickyNote } from "../../node-types.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

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
    if (text.length < SHORTEST_TEXT) {
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
