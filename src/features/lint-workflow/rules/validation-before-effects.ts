import { MAIN } from "../../../workflows/graph.ts";
import { spread } from "../../../workflows/reachability.ts";
import { isCheck, isCritical } from "../node-kinds.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { startsOf, stepsOf } from "../tool-flow.ts";

export const validationBeforeEffects: AuditRule = {
  id: "validation/before-effects",
  severity: "error",
  title: "Inputs are checked before the first node with an effect.",
  reason: "Agents leave inputs out and make them up: what is not checked is sent on, or written.",
  good: "Start → IF the inputs are valid → HTTP Request",
  bad: "Start → HTTP Request",
  appliesTo: ["tool"],
  judge: (subject) => {
    const { inputs } = subject.outline;
    const takesNothing = inputs?.mode !== "passthrough" && inputs?.inputs.length === 0;
    return takesNothing
      ? PASSED
      : found(
          ...uncheckedEffects(subject).map((name) => ({
            node: name,
            message: "The node runs before the inputs were checked.",
            evidence: "There is a path from the trigger to it without IF, Switch, Filter or checking code.",
            fix: "Put an IF or a Code node before it that checks the inputs, and answer VALIDATION_ERROR where they are wrong.",
          })),
        );
  },
};

/** The first nodes with an effect on paths without a check: what follows them is no news. */
function uncheckedEffects(subject: AuditSubject): string[] {
  const { graph } = subject;
  const steps = new Map(stepsOf(subject).map((node) => [node.name, node]));
  const isEffect = (name: string): boolean => {
    const node = steps.get(name);
    return node !== undefined && isCritical(node) && !isCheck(node);
  };
  const endsPath = (name: string): boolean => {
    const node = steps.get(name);
    return isEffect(name) || (node !== undefined && isCheck(node));
  };
  const starts = startsOf(subject).map(({ name }) => name);
  const reached = spread(starts, (name) =>
    endsPath(name) ? [] : graph.outgoing(name, MAIN).map(({ to }) => to),
  );
  return [...steps.keys()].filter((name) => reached.has(name) && isEffect(name));
}
