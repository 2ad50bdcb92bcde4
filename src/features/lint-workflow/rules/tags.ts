/** The guide's rules of tags, and of the version that one of them names. Pure. */
import { type AuditRule, faultUnless } from "../rule.ts";
import { blockOf } from "./atdf.ts";

/** `v1`, `v1.2.0`, `1.2.0`, `version:2`. */
const VERSION = /(^|[\s_:/@-])(v(ersion)?[:\s._-]?\d+(\.\d+)*|\d+\.\d+(\.\d+)?)($|[\s_-])/i;
const ENVIRONMENTS = new Set(
  "production prod live staging stage stg test testing qa uat development dev local sandbox demo".split(" "),
);

export const tagsRules: readonly AuditRule[] = [
  {
    id: "tags/present",
    severity: "info",
    title: "Servers are tagged mcp-server, tools mcp-tool, and both with their environment.",
    reason: "In a list of hundreds, tags are how people and agents find them.",
    good: "mcp-tool, production",
    bad: "No tags",
    appliesTo: ["server", "tool"],
    message: "No tag says the environment.",
    fix: "Add a tag such as production or staging.",
    judge: ({ roles, outline: { tags } }) => {
      const evidence = tags.length === 0 ? "There are no tags." : `Tags: ${tags.join(", ")}.`;
      const known = new Set(tags.map((tag) => tag.toLowerCase()));
      const missing = (["server", "tool"] as const)
        .filter((role) => roles.has(role) && !known.has(`mcp-${role}`))
        .map((role) => ({
          node: null,
          evidence,
          message: `The tag mcp-${role} is missing.`,
          fix: `Add the tag mcp-${role}.`,
        }));
      return [...missing, ...faultUnless(environmentsIn(tags).length > 0, evidence)];
    },
  },
  {
    id: "tags/consistent",
    severity: "warning",
    title: "A tool has the environment of the servers that use it.",
    reason: "A production server that calls a tool under development breaks on somebody's desk.",
    good: "Server and tool are tagged production.",
    bad: "The server is tagged production, the tool development.",
    appliesTo: ["tool"],
    message: "The tool has a different environment than a server that uses it.",
    fix: "Tag both alike, or let the server call the tool of its own environment.",
    judge: ({ outline: { tags }, toolUses, instance }) => {
      const own = environmentsIn(tags);
      return toolUses.flatMap(({ serverId, serverName }) => {
        const theirs = environmentsIn(instance.workflows.get(serverId)?.tags ?? []);
        const isUnknown = own.length === 0 || theirs.length === 0;
        return faultUnless(
          isUnknown || theirs.some((environment) => own.includes(environment)),
          `The tool is ${own.join(", ")}; the server is ${serverName}.`,
        );
      });
    },
  },
  {
    id: "tags/version",
    severity: "info",
    title: "The version of a server or tool is in a tag, in its name, or in the ATDF block.",
    reason: "Whoever inspects an execution has to know which version ran.",
    good: "A tag v1.0.0",
    bad: "No version anywhere",
    appliesTo: ["server", "tool"],
    message: "No version is named.",
    fix: "Add a tag such as v1.0.0.",
    judge: ({ outline: { tags, name }, toolUses, instance }) => {
      const blocks = toolUses.flatMap(({ serverId, node }) => {
        const tool = instance.workflows.get(serverId)?.tools.find((each) => each.node === node);
        return tool === undefined ? [] : (blockOf(tool, instance) ?? []);
      });
      return faultUnless(
        [...tags, name].some((text) => VERSION.test(text)) || blocks.some(({ version }) => version !== null),
        "Neither a tag nor the name nor an ATDF block has one.",
      );
    },
  },
];

/** The environments that these tags name, also in the form `env:production`. */
function environmentsIn(tags: readonly string[]): string[] {
  return tags
    .map((tag) => tag.toLowerCase().replace(/^env(ironment)?[:/=-]/, ""))
    .filter((tag) => ENVIRONMENTS.has(tag));
}
