import { environmentsIn } from "../environments.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";

export const tagsPresent: AuditRule = {
  id: "tags/present",
  severity: "info",
  title: "Servers are tagged mcp-server, tools mcp-tool, and both with their environment.",
  reason: "In a list of hundreds, tags are how people and agents find them.",
  good: "mcp-tool, production",
  bad: "No tags",
  appliesTo: ["server", "tool"],
  judge: ({ roles, outline: { tags } }) => {
    const wanted = [
      ...(roles.has("server") ? ["mcp-server"] : []),
      ...(roles.has("tool") ? ["mcp-tool"] : []),
    ];
    const known = new Set(tags.map((tag) => tag.toLowerCase()));
    const missing = wanted.filter((tag) => !known.has(tag));
    return found(
      ...missing.map((tag) => lacking(tags, `The tag ${tag} is missing.`, `Add the tag ${tag}.`)),
      ...(environmentsIn(tags).length > 0
        ? []
        : [lacking(tags, "No tag says the environment.", "Add a tag such as production or staging.")]),
    );
  },
};

const lacking = (tags: readonly string[], message: string, fix: string): RuleFinding => ({
  node: null,
  message,
  evidence: tags.length === 0 ? "There are no tags." : `Tags: ${tags.join(", ")}.`,
  fix,
});
