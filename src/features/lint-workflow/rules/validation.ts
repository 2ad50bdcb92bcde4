/** The guide's rule of what a tool checks before it acts. Pure. */
import { MAIN, spread } from "../../../workflows/graph.ts";
import { isCheck, isCritical } from "../node-kinds.ts";
import { type AuditRule, faultsAt } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { startsOf, stepsOf } from "../tool-flow.ts";

export const validationRules: readonly AuditRule[] = [
  {
    id: "validation/before-effects",
    severity: "error",
    title: "Inputs are checked before the first node with an effect.",
    reason: "Agents leave inputs out and make them up: what is not checked is sent on, or written.",
    good: "Start → IF the inputs are valid → HTTP Request",
    bad: "Start → HTTP Request",
    appliesTo: ["tool"],
    message: "The node runs before the inputs were checked.",
    fix: "Put an IF or a Code node before it that checks the inputs, and answer VALIDATION_ERROR where they are wrong.",
    judge: (subject) => {
      const { inputs } = subject.outline;
      const takesNothing = inputs?.mode !== "passthrough" && inputs?.inputs.length === 0;
      return faultsAt(
        takesNothing ? [] : uncheckedEffects(subject),
        "There is a path from the trigger to it without IF, Switch, Filter or checking code.",
      );
    },
  },
];

/** On each path, a check or the first node with an effect ends the search: what follows is no news. */
function uncheckedEffects(subject: AuditSubject) {
  const steps = stepsOf(subject);
  const checks = new Set(steps.filter(isCheck).map(({ name }) => name));
  const effects = steps.filter((node) => isCritical(node) && !checks.has(node.name));
  const ends = new Set([...checks, ...effects.map(({ name }) => name)]);
  const reached = spread(
    startsOf(subject).map(({ name }) => name),
    (name) => (ends.has(name) ? [] : subject.graph.outgoing(name, MAIN).map(({ to }) => to)),
  );
  return effects.filter(({ name }) => reached.has(name));
}
