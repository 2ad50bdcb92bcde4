/**
 * The guide's rules about what people need to trace a request later, and to tell which version of a workflow ran: ids,
 * logs, tags, documentation. Pure.
 */
import { memberOf, textAt } from "../../../json/members.ts";
import { type NodeParameters, textsIn } from "../../../workflows/node-parameters.ts";
import { EXECUTE_WORKFLOW, isStickyNote, shortType } from "../../../workflows/node-types.ts";
import { codeOf } from "../node-kinds.ts";
import { type AuditRule, type Fault, faultsAt, faultUnless } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { blockOf } from "./atdf.ts";

/** `request_id`, `requestId`, `x-request-id`, `reqId`, `correlation_id`, `traceId`, `traceparent` and the like. */
const REQUEST_ID = /(req(uest)?|correlation|trace)[_\s.-]?id|traceparent/i;
const SETTINGS = ["saveDataErrorExecution", "saveDataSuccessExecution"] as const;
const LOGGING_CODE = /console\.(log|info|warn|error|debug)\s*\(|customData\.set|\bprint\s*\(/;
const LOGGING_NAME = /\blog(s|ged|ging|ger)?\b|\baudit\b/i;
/** `v1`, `v1.2.0`, `1.2.0`, `version:2`. */
const VERSION = /(^|[\s_:/@-])(v(ersion)?[:\s._-]?\d+(\.\d+)*|\d+\.\d+(\.\d+)?)($|[\s_-])/i;
const ENVIRONMENTS = new Set(
  "production prod live staging stage stg test testing qa uat development dev local sandbox demo".split(" "),
);

/** n8n sends the description only when a workflow is read individually. */
export const DESCRIPTION_UNREAD = "Its description was not read, and its sticky notes do not say enough.";

/** In characters. A shorter text is only a heading. */
const SHORTEST_TEXT = 30;

export const traceabilityRules: readonly AuditRule[] = [
  {
    id: "traceability/request-id",
    severity: "warning",
    appliesTo: ["server", "tool"],
    message: "The tool takes no request id.",
    fix: "Add an input request_id, and pass it on to every sub-workflow, or set it as custom data of the execution.",
    judge: judgeRequestId,
  },
  {
    id: "traceability/executions-saved",
    severity: "warning",
    appliesTo: ["server", "tool"],
    message: "Executions are not saved.",
    fix: "Set it to Save in the workflow's settings.",
    judge: ({ workflow: { settings } }) => {
      const inherited = SETTINGS.filter((setting) => (settings[setting] ?? "DEFAULT") === "DEFAULT");
      const reason = `For ${inherited.join(" and ")} the instance's default applies, which the API does not reveal.`;
      return [
        ...SETTINGS.flatMap((name) => faultUnless(settings[name] !== "none", `settings.${name} is none.`)),
        ...(inherited.length === 0 ? [] : [{ node: null, reason }]),
      ];
    },
  },
  {
    id: "traceability/steps-logged",
    severity: "info",
    appliesTo: ["tool"],
    message: "The tool logs nothing.",
    fix: "Log the request id and what was done, or set them with an Execution Data node.",
    judge: ({ nodes }) =>
      faultUnless(
        nodes.some(
          (node) =>
            shortType(node.type) === "executionData" ||
            LOGGING_NAME.test(node.name) ||
            LOGGING_CODE.test(codeOf(node) ?? ""),
        ),
        "No node logs, sets custom data, or is named after a log.",
      ),
  },
  {
    id: "tags/present",
    severity: "info",
    appliesTo: ["server", "tool"],
    message: "No tag says the environment.",
    fix: "Add a tag such as production or staging.",
    judge: ({ roles, outline: { tags } }) => {
      const evidence = tags.length === 0 ? "There are no tags." : `Tags: ${tags.join(", ")}.`;
      const known = new Set(tags.map((tag) => tag.toLowerCase()));
      const missing = (["server", "tool"] as const).flatMap((role) =>
        faultUnless(!roles.has(role) || known.has(`mcp-${role}`), evidence, {
          message: `The tag mcp-${role} is missing.`,
          fix: `Add the tag mcp-${role}.`,
        }),
      );
      return [...missing, ...faultUnless(environmentsIn(tags).length > 0, evidence)];
    },
  },
  {
    id: "tags/consistent",
    severity: "warning",
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
  {
    id: "documentation/described",
    severity: "info",
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
        return faultUnless(false, "There is no sticky note and no description, or hardly a word in them.");
      return faultUnless(false, `Not named: ${unnamed.join(", ")}.`, {
        message: "The documentation does not name every input.",
        fix: "Name each input in the sticky note, and say what it means.",
      });
    },
  },
];

function judgeRequestId({ workflowTools, nodes, roles, outline }: AuditSubject): Fault[] {
  const tools = workflowTools.filter(({ parameters: { description: _description, ...passedOn } }) =>
    lacksRequestId(passedOn),
  );
  const calls = nodes.filter(
    ({ type, parameters }) => type === EXECUTE_WORKFLOW && isMapped(parameters) && lacksRequestId(parameters),
  );
  const knowsId =
    (outline.inputs?.inputs ?? []).some(({ name }) => REQUEST_ID.test(name)) ||
    nodes.some(({ parameters }) => !lacksRequestId(parameters));
  const evidence = "No input, expression or custom data of that name.";
  return [
    ...faultsAt(tools, evidence),
    ...faultsAt(calls, evidence, { message: "The sub-workflow is called without the request id." }),
    ...faultUnless(!roles.has("tool") || knowsId, evidence, {
      message: "The sub-workflow of a tool knows no request id.",
    }),
  ];
}

/** Whether neither a key nor a value in the parameters names a request id. */
const lacksRequestId = (parameters: NodeParameters): boolean =>
  ![...textsIn(parameters)].some(({ path, text }) => REQUEST_ID.test(path) || REQUEST_ID.test(text));

/** A call without mapped inputs passes on its whole input. */
const isMapped = (parameters: NodeParameters): boolean =>
  Object.keys(memberOf(parameters, "workflowInputs", "value") ?? {}).length > 0;

/** The environments that these tags name, also in the form `env:production`. */
function environmentsIn(tags: readonly string[]): string[] {
  return tags
    .map((tag) => tag.toLowerCase().replace(/^env(ironment)?[:/=-]/, ""))
    .filter((tag) => ENVIRONMENTS.has(tag));
}

function documentationOf({ workflow, version }: AuditSubject): string {
  const notes = version.nodes
    .filter(isStickyNote)
    .map(({ parameters }) => textAt(parameters, "content") ?? "");
  return [workflow.description ?? "", ...notes].join("\n").trim();
}
