/** The guide's rule of what a workflow says of itself to people. Pure. */
import { textAt } from "../../../workflows/node-parameters.ts";
import { isStickyNote } from "../../../workflows/node-types.ts";
import type { AuditRule } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

/** n8n gives the description only where a workflow is read alone. */
export const DESCRIPTION_UNREAD = "Its description was not read, and its sticky notes do not say enough.";

/** A shorter text is only a heading. Counted in characters. */
const SHORTEST_TEXT = 30;

export const documentationRules: readonly AuditRule[] = [
  {
    id: "documentation/described",
    severity: "info",
    title: "A sticky note or the description says what a workflow is for, what it takes and what it gives.",
    reason: "Whoever is called at night reads that first.",
    good: "A sticky note with purpose, inputs (each by its name) and outputs",
    bad: "No note, no description",
    appliesTo: ["server", "tool", "error_workflow"],
    message: "Nothing says what the workflow is for.",
    fix: "Add a sticky note that says purpose, inputs and outputs.",
    judge: (subject) => {
      const text = documentationOf(subject);
      const isMissing = text.length < SHORTEST_TEXT;
      const inputs = subject.roles.has("tool") ? (subject.outline.inputs?.inputs ?? []) : [];
      const unnamed = inputs.map(({ name }) => name).filter((name) => !text.includes(name));
      if (!isMissing && unnamed.length === 0) return [];
      if (subject.workflow.description === undefined) return [{ node: null, reason: DESCRIPTION_UNREAD }];
      if (isMissing)
        return [
          { node: null, evidence: "There is no sticky note and no description, or hardly a word in them." },
        ];
      return [
        {
          node: null,
          evidence: `Not named: ${unnamed.join(", ")}.`,
          message: "The documentation does not name every input.",
          fix: "Name each input in the sticky note, and say what it means.",
        },
      ];
    },
  },
];

function documentationOf({ workflow, version }: AuditSubject): string {
  const notes = version.nodes
    .filter(isStickyNote)
    .map(({ parameters }) => textAt(parameters, "content") ?? "");
  return [workflow.description ?? "", ...notes].join("\n").trim();
}
