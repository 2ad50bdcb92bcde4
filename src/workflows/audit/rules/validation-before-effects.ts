import { MAIN } from "../../graph.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "../../node-types.ts";
import { spread } from "../../reachability.ts";
import { criticalSteps, isCheck } from "../node-kinds.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";

export const validationBeforeEffects: AuditRule = {
  id: "validation/before-effects",
  severity: "error",
  title: "Inputs are checked before the first node with an effect.",
  reason: "Agents leave inputs out and make them up: what is not checked is sent on, or written.",
  good: "Start → IF the inputs are valid → HTTP Request",
  bad: "Start → HTTP Request",
  appliesTo: ["tool"],
  judge: ({ graph, nodes, outline }) => {
    const takesNothing = outline.inputs?.mode !== "passthrough" && outline.inputs?.inputs.length === 0;
    if (takesNothing) return PASSED;
    const checks = new Set(nodes.filter(isCheck).map(({ name }) => name));
    const starts = nodes.filter(({ type }) => type === EXECUTE_WORKFLOW_TRIGGER).map(({ name }) => name);
    const unchecked = spread(starts, (name) =>
      checks.has(name) ? [] : graph.outgoing(name, MAIN).map(({ to }) => to),
    );
    const reached = criticalSteps(graph, nodes).filter(({ name }) => unchecked.has(name));
    // What follows an effect that was not checked is no news.
    const firstOnes = reached.filter(({ name }) =>
      graph
        .incoming(name, MAIN)
        .some(({ from }) => unchecked.has(from) && !reached.some((each) => each.name === from)),
    );
    return found(
      ...firstOnes.map(({ name }) => ({
        node: name,
        message: "The node runs before the inputs were checked.",
        evidence: "There is a path from the trigger to it without IF, Switch, Filter or checking code.",
        fix: "Put an IF or a Code node before it that checks the inputs, and answer VALIDATION_ERROR where they are wrong.",
      })),
    );
  },
};
