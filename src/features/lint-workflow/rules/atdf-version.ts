import type { InstanceFacts } from "../instance-facts.ts";
import { type AuditRule, found } from "../rule.ts";

export const atdfVersion: AuditRule = {
  id: "atdf/version",
  severity: "warning",
  title: "An ATDF block names the version of its tool.",
  reason: "Without it, nobody can tell whether an agent's memory of a tool is still right.",
  good: "version: 1.0.0",
  bad: "A block without version.",
  appliesTo: ["server"],
  judge: ({ outline, instance }) =>
    found(
      ...outline.tools
        .filter(({ calls, description }) => calls !== undefined && lacksVersion(description, instance))
        .map(({ node }) => ({
          node,
          message: "The ATDF block names no version.",
          evidence: "There is no version in the description.",
          fix: "Add a version, for example version: 1.0.0, and raise it with each change of inputs or outputs.",
        })),
    ),
};

/** Of a block that can be read; of another, `atdf/valid` speaks. */
function lacksVersion(description: string | undefined, { readAtdf }: InstanceFacts): boolean {
  const block = description === undefined ? null : readAtdf(description).block;
  return block !== null && block.version === null;
}
