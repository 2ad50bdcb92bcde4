import { type AuditRule, found } from "../rule.ts";

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

export const namingParameters: AuditRule = {
  id: "naming/parameters",
  severity: "warning",
  title: "Parameters of tools are in snake_case.",
  reason: "Agents fill in what they have seen before: names of several spellings are mixed up.",
  good: "user_id",
  bad: "userId, User-ID",
  appliesTo: ["server", "tool"],
  judge: ({ outline, roles }) => {
    const ofTools = outline.tools.flatMap(({ node, calls, inputs }) =>
      calls === undefined ? [] : inputs.map(({ name }) => ({ node, name })),
    );
    const ofTrigger = roles.has("tool")
      ? (outline.inputs?.inputs ?? []).map(({ name }) => ({ node: null, name }))
      : [];
    return found(
      ...[...ofTools, ...ofTrigger]
        .filter(({ name }) => !SNAKE_CASE.test(name))
        .map(({ node, name }) => ({
          node,
          message: "A parameter is not in snake_case.",
          evidence: `The parameter is ${name}.`,
          fix: "Rename it in the tool node, in the trigger of the sub-workflow and in the ATDF, for example user_id.",
        })),
    );
  },
};
