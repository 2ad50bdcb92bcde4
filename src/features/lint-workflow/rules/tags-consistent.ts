import { environmentsIn } from "../environments.ts";
import { type AuditRule, found } from "../rule.ts";

export const tagsConsistent: AuditRule = {
  id: "tags/consistent",
  severity: "warning",
  title: "A tool has the environment of the servers that use it.",
  reason: "A production server that calls a tool under development breaks on somebody's desk.",
  good: "Server and tool are tagged production.",
  bad: "The server is tagged production, the tool development.",
  appliesTo: ["tool"],
  judge: ({ outline: { tags }, toolUses, instance }) => {
    const own = environmentsIn(tags);
    const others = toolUses.filter(({ serverId }) => {
      const theirs = environmentsIn(instance.workflows.get(serverId)?.tags ?? []);
      return own.length > 0 && theirs.length > 0 && !theirs.some((environment) => own.includes(environment));
    });
    return found(
      ...others.map(({ serverName }) => ({
        node: null,
        message: "The tool is of another environment than a server that uses it.",
        evidence: `The tool is ${own.join(", ")}; the server is ${serverName}.`,
        fix: "Tag both alike, or let the server call the tool of its own environment.",
      })),
    );
  },
};
