/** The guide's rules of what a person needs to find out afterwards what happened to a request. Pure. */
import { type NodeParameters, parameterAt, textsIn } from "../../../workflows/node-parameters.ts";
import { EXECUTE_WORKFLOW, shortType } from "../../../workflows/node-types.ts";
import { codeOf } from "../code-text.ts";
import { type AuditRule, type Fault, faultsAt, faultUnless } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

/** `request_id`, `requestId`, `x-request-id`, `reqId`, `correlation_id`, `traceId`, `traceparent` and the like. */
const REQUEST_ID = /(req(uest)?|correlation|trace)[_\s.-]?id|traceparent/i;
const SETTINGS = ["saveDataErrorExecution", "saveDataSuccessExecution"] as const;
const LOGGING_CODE = /console\.(log|info|warn|error|debug)\s*\(|customData\.set|\bprint\s*\(/;
/** The name of a node whose author says that it logs. */
const LOGGING_NAME = /\blog(s|ged|ging|ger)?\b|\baudit\b/i;

export const traceabilityRules: readonly AuditRule[] = [
  {
    id: "traceability/request-id",
    severity: "warning",
    title: "A request id is carried from the entry to the sub-workflows.",
    reason: "What happened to a request can be found out only where its id was recorded.",
    good: "request_id is an input of each tool and of each sub-workflow call.",
    bad: "The sub-workflow is called without it.",
    appliesTo: ["server", "tool"],
    message: "The tool takes no request id.",
    fix: "Add an input request_id, and pass it on to every sub-workflow, or set it as custom data of the execution.",
    judge: judgeRequestId,
  },
  {
    id: "traceability/executions-saved",
    severity: "warning",
    title: "Both failed and successful executions are saved.",
    reason:
      "An execution that is not saved cannot be inspected, and n8n counts a tool's error answers as successes.",
    good: "Save failed and successful production executions: Save",
    bad: "Save successful production executions: Do not save",
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
    title: "A tool logs that it was called, and what it did.",
    reason: "Executions are pruned, logs stay; and custom data makes an execution findable.",
    good: "Start → Log Request",
    bad: "No node that logs or sets custom data",
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
];

function judgeRequestId({ workflowTools, nodes, roles, outline }: AuditSubject): Fault[] {
  const tools = workflowTools.filter(({ parameters: { description: _description, ...handedOn } }) =>
    lacksRequestId(handedOn),
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
    ...faultsAt(calls, evidence).map((fault) => ({
      ...fault,
      message: "The sub-workflow is called without the request id.",
    })),
    ...faultUnless(!roles.has("tool") || knowsId, evidence).map((fault) => ({
      ...fault,
      message: "The sub-workflow of a tool knows no request id.",
    })),
  ];
}

/** Whether no key and no value in the parameters names a request id. */
function lacksRequestId(parameters: NodeParameters): boolean {
  return ![...textsIn(parameters)].some(({ path, text }) => REQUEST_ID.test(path) || REQUEST_ID.test(text));
}

/** A call without mapped inputs hands on all that it is given. */
function isMapped(parameters: NodeParameters): boolean {
  return Object.keys(parameterAt(parameters, "workflowInputs", "value") ?? {}).length > 0;
}
