/**
 * What is expected of each scenario of the suite. A scenario without an entry, or an entry without a scenario,
 * fails the run, so that an update of the suite skips nothing silently.
 */
import type { Revision, ScenarioKind } from "./suite.ts";

/** The Worker as it is deployed, or the same with the suite's tools instead of ours. */
export type Target = "worker" | "fixtures";

export interface Applies {
  readonly on: Target;
  /** Checks that do not pass: check id → reason. One that passes after all fails the run. */
  readonly excused?: Readonly<Record<string, string>>;
  /** Revisions at which the scenario has nothing to check here: revision → reason. */
  readonly except?: Partial<Readonly<Record<Revision, string>>>;
  /** What a pass means, where that is not obvious. */
  readonly note?: string;
}

export interface DoesNotApply {
  readonly reason: string;
  /** It passes vacuously, as what it would test does not exist here. */
  readonly passesAnyway?: true;
}

export type Expectation = Applies | DoesNotApply;

export const isApplying = (expectation: Expectation): expectation is Applies => "on" in expectation;

const NO_CONTENT = "Every answer is text and structured content.";
const NO_ELICITATION = "No tool asks the person anything.";
const NO_INPUT_REQUIRED = "No tool asks the client for more input: one round answers a call.";
const NO_LOGGING = "No log messages are sent to clients. The operator's log is Workers Logs.";
const NO_PROMPTS = "It asks for the suite's own prompts, by their names.";
const NO_RESOURCES = "It asks for the suite's own resources, by their addresses.";
const NO_SUBSCRIPTIONS = "Each read of a resource is fresh, so there is nothing to subscribe to.";
const NO_SAMPLING = "No tool uses the client's model.";
const NO_SESSIONS = "There are no sessions: each request is independent.";
const NO_SKILLS = "Extension: skills are not offered.";
const NO_TASKS = "Extension: tasks are not offered. A call ends within its time budget.";
const NO_CAPABILITY =
  "No tool needs a capability of the client, so the suite's diagnostic tool has no counterpart.";

const SERVER: Readonly<Record<string, Expectation>> = {
  "server-initialize": { on: "worker" },
  "server-session-lifecycle": { reason: NO_SESSIONS },
  "server-stateless": {
    on: "worker",
    excused: {
      "sep-2575-server-rejects-undeclared-capability": NO_CAPABILITY,
      "sep-2575-missing-capability-http-400": NO_CAPABILITY,
    },
  },
  "logging-set-level": { reason: NO_LOGGING },
  ping: { on: "worker" },
  "completion-complete": {
    on: "worker",
    note: "It completes an argument of the suite's own prompt, for which this server suggests nothing.",
  },
  "tools-list": { on: "worker" },
  "tools-call-simple-text": { on: "fixtures" },
  "tools-call-image": { reason: NO_CONTENT },
  "tools-call-audio": { reason: NO_CONTENT },
  "tools-call-embedded-resource": { reason: NO_CONTENT },
  "tools-call-mixed-content": { reason: NO_CONTENT },
  "tools-call-with-logging": { reason: NO_LOGGING },
  "tools-call-error": { on: "fixtures" },
  "tools-call-with-progress": { on: "fixtures" },
  "tools-call-sampling": { reason: NO_SAMPLING },
  "tools-call-elicitation": { reason: NO_ELICITATION },
  "json-schema-2020-12": { on: "fixtures" },
  "elicitation-sep1034-defaults": { reason: NO_ELICITATION },
  "server-sse-polling": {
    reason: `${NO_SESSIONS} A broken stream is not resumed; the client repeats the call.`,
  },
  "server-sse-multiple-streams": { on: "worker", except: { "2025-11-25": NO_SESSIONS } },
  "elicitation-sep1330-enums": { reason: NO_ELICITATION },
  "resources-list": { on: "worker" },
  "resources-read-text": { reason: NO_RESOURCES },
  "resources-read-binary": { reason: NO_RESOURCES },
  "resources-templates-read": { reason: NO_RESOURCES },
  "resources-subscribe": { reason: NO_SUBSCRIPTIONS },
  "resources-unsubscribe": { reason: NO_SUBSCRIPTIONS },
  "sep-2164-resource-not-found": { on: "worker" },
  "sep-2640-skills-directory": { reason: NO_SKILLS },
  "sep-2640-skills-enumeration": { reason: NO_SKILLS },
  "sep-2640-skills-manifest": { reason: NO_SKILLS },
  "prompts-list": { on: "worker" },
  "prompts-get-simple": { reason: NO_PROMPTS },
  "prompts-get-with-args": { reason: NO_PROMPTS },
  "prompts-get-embedded-resource": { reason: NO_PROMPTS },
  "prompts-get-with-image": { reason: NO_PROMPTS },
  "dns-rebinding-protection": { on: "worker" },
  caching: { on: "worker" },
  "http-header-validation": { on: "worker" },
  "http-custom-header-server-validation": {
    on: "fixtures",
    note: "None of our tools has a parameter that is sent as a header; if one had, it would be checked.",
  },
  "tasks-lifecycle": { reason: NO_TASKS },
  "tasks-capability-negotiation": { reason: NO_TASKS },
  "tasks-wire-fields": { reason: NO_TASKS },
  "tasks-request-state-removal": { reason: NO_TASKS },
  "tasks-mrtr-input": { reason: NO_TASKS },
  "tasks-request-headers": { reason: NO_TASKS },
  "tasks-dispatch-and-envelope": { reason: NO_TASKS },
  "tasks-status-notifications": { reason: NO_TASKS },
  "tasks-required-task-error": { reason: NO_TASKS },
  "tasks-mrtr-composition": { reason: NO_TASKS },
  "input-required-result-basic-elicitation": { reason: NO_INPUT_REQUIRED },
  "input-required-result-basic-sampling": { reason: NO_INPUT_REQUIRED },
  "input-required-result-basic-list-roots": { reason: NO_INPUT_REQUIRED },
  "input-required-result-request-state": { reason: NO_INPUT_REQUIRED },
  "input-required-result-multiple-input-requests": { reason: NO_INPUT_REQUIRED },
  "input-required-result-multi-round": { reason: NO_INPUT_REQUIRED },
  "input-required-result-missing-input-response": { reason: NO_INPUT_REQUIRED },
  "input-required-result-non-tool-request": { reason: NO_INPUT_REQUIRED },
  "input-required-result-result-type": { reason: NO_INPUT_REQUIRED },
  "input-required-result-unsupported-methods": { on: "worker" },
  "input-required-result-tampered-state": { reason: NO_INPUT_REQUIRED },
  "input-required-result-capability-check": { reason: NO_INPUT_REQUIRED },
  "input-required-result-ignore-extra-params": { reason: NO_INPUT_REQUIRED, passesAnyway: true },
  "input-required-result-validate-input": { reason: NO_INPUT_REQUIRED },
};

const AUTHORIZATION: Readonly<Record<string, Expectation>> = {
  "authorization-server-metadata-endpoint": {
    on: "worker",
    excused: {
      "authorization-server-metadata-cimd":
        "A recommendation. Client-ID metadata documents make this server fetch addresses that strangers name: off by default.",
    },
  },
  "authorization-code-grant": { on: "worker" },
};

export const EXPECTATIONS: Readonly<Record<ScenarioKind, Readonly<Record<string, Expectation>>>> = {
  server: SERVER,
  authorization: AUTHORIZATION,
};
