/**
 * Puts the answers of several n8n instances about one request together. What one has found no other hides; what one could not
 * say is said. The n8n that tells most is reported in full, with the others in short. Pure.
 */
import type { Guidance, ToolResult } from "../../mcp/define-tool.ts";
import { urlFrom } from "../../n8n/n8n-urls.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import type { Instances } from "../instances-context.ts";
import { guidanceOf } from "../of-instance.ts";
import { MOST_TELLING_FIRST } from "../request-tree.ts";
import type { Answered, Asked, Refused, TracePart } from "./instance-answers.ts";
import { toLeanCoverage } from "./lean-coverage.ts";
import { mergeCoverage } from "./merge-coverage.ts";

export interface MergeOptions {
  readonly traceId: string;
  readonly instances: Instances;
}

const NOT_FOUND = new Set(["EXECUTION_NOT_FOUND", "WORKFLOW_NOT_FOUND", "TRACE_NOT_FOUND"]);
/** Sentences of others that have the request, too. */
const MAX_REPORTED_TOO = 3;

/** What was asked about is not there, and nothing failed. An address is refused by every n8n but its own. */
const isNotThere = ({ error: { code, details } }: Refused): boolean =>
  NOT_FOUND.has(code) || (code === "VALIDATION_ERROR" && details.field === "requestId");
const hasFailed = (refused: Refused): boolean => !isNotThere(refused);

/** @throws ObserverError when no n8n gave an answer */
export function mergeTraces(
  asked: readonly Asked[],
  { traceId, instances }: MergeOptions,
): ToolResult<unknown> {
  const answered = asked.filter((each) => "part" in each);
  const refused = asked.filter((each) => "error" in each);
  const failed = refused.filter(hasFailed);
  const [first, ...rest] = mostTellingFirst(answered);
  if (first === undefined) throw noAnswer(refused);
  const { part } = first;
  const having = rest.filter((each) => each.part.found);
  const reported = { first, others: having.slice(0, MAX_REPORTED_TOO) };
  const reach = mergeCoverage(answered, failed.length > 0);
  const isReported = part.executions.length > 0;
  const isAll = failed.length === 0 && answered.every((each) => each.part.coverage.stoppedBy === "complete");
  return {
    message: part.found ? foundSentence(reported, answered, refused) : notFoundSentence(answered, refused),
    data: {
      instance: isReported ? first.instance : null,
      ...first.data,
      outcome: part.found ? part.outcome : isAll ? "not_found" : "not_found_yet",
      instances: asked.map((each) => entryOf(each, reported)),
      coverage: toLeanCoverage(reach, part.found),
      traceId,
      _guidance: part.found || isReported || isAll ? own(first, instances) : goOn(traceId),
    },
  };
}

/** What has a sentence of its own. */
interface Reported {
  /** In full. */
  readonly first: Answered;
  /** Others that have it, too: the first of them. */
  readonly others: readonly Answered[];
}

function mostTellingFirst(answered: readonly Answered[]): readonly Answered[] {
  const rank = ({ part }: Answered): number =>
    MOST_TELLING_FIRST.indexOf(part.outcome) - (part.executions.length > 0 ? 2 : 0);
  const begun = ({ part }: Answered): string => part.startedAt ?? "";
  return answered.toSorted((a, b) => rank(a) - rank(b) || begun(a).localeCompare(begun(b)));
}

/** A trace goes on in all of them; everything else is asked of one. */
function own({ instance, part }: Answered, instances: Instances): Guidance {
  const next = part._guidance;
  return next.example.startsWith("trace_request(") ? next : guidanceOf(next, instance, instances);
}

const goOn = (traceId: string): Guidance => ({
  message: "Go on where it was not read to its end.",
  example: `trace_request({"traceId":"${traceId}"})`,
});

/** One n8n in short: whether it has the request, and how far it was asked. */
function entryOf(asked: Asked, reported: Reported): Readonly<Record<string, unknown>> {
  const { instance } = asked;
  if ("error" in asked) {
    const { code, message, details } = asked.reported;
    return { instance, error: { code, message, solution: details.solution } };
  }
  const { part, message } = asked;
  const { scannedExecutions, complete, stoppedBy } = part.coverage;
  const reach = {
    ...{ instance, outcome: part.outcome, scannedExecutions, complete },
    ...(stoppedBy === "complete" ? {} : { stoppedBy }),
  };
  // What has a sentence of its own in the message needs none here; where it was found, that others have nothing is enough.
  const isSaid = reported.first.part.found && (part.found || part.executions.length === 0);
  return {
    ...reach,
    ...(isSaid ? {} : { message }),
    ...(asked === reported.first ? {} : urlOf(part)),
  };
}

/** Where the execution opens that failed, else the first. */
function urlOf({ executions, executionUrl, failure }: TracePart): { readonly url?: string } {
  const telling = executions.find(({ id }) => id === failure?.executionId) ?? executions[0];
  if (telling === undefined || executionUrl === undefined) return {};
  return { url: urlFrom(executionUrl, { workflowId: telling.workflowId, executionId: telling.id }) };
}

function foundSentence(
  { first, others }: Reported,
  answered: readonly Answered[],
  refused: readonly Refused[],
): string {
  const rest = answered.filter((each) => each !== first && !others.includes(each));
  const more = rest.filter(({ part }) => part.found).map(({ instance }) => instance);
  return [
    `In ${first.instance}: ${first.message}`,
    ...others.map(({ instance, message }) => `In ${instance}, too: ${message}`),
    ...(more.length === 0 ? [] : [`Also in ${more.join(", ")}.`]),
    ...withoutIt(
      rest.filter(({ part }) => !part.found),
      refused,
    ),
  ].join(" ");
}

function notFoundSentence(answered: readonly Answered[], refused: readonly Refused[]): string {
  const [first] = answered;
  const id = quoted(first?.part.requestId ?? "");
  return [
    `Request ${id} was not found.`,
    ...withoutIt(answered, refused),
    "instances has more about each.",
  ].join(" ");
}

/** Of those that have not found it: which were asked to the end, and which were not. */
function withoutIt(answered: readonly Answered[], refused: readonly Refused[]): string[] {
  const isWhole = ({ part }: Answered): boolean => part.coverage.stoppedBy === "complete";
  const names = (of: readonly { readonly instance: string }[]): string =>
    of.map(({ instance }) => instance).join(", ");
  const whole = answered.filter(isWhole);
  const partly = answered.filter((each) => !isWhole(each));
  const absent = refused.filter(isNotThere);
  const failed = refused.filter(hasFailed);
  return [
    ...(whole.length === 0 ? [] : [`Not found in ${names(whole)}, read to the end.`]),
    ...(absent.length === 0 ? [] : [`Nothing of what was named is in ${names(absent)}.`]),
    ...(partly.length === 0 ? [] : [`Not read to the end: ${names(partly)}; go on with the traceId.`]),
    ...failed.map(({ instance, error }) => `${instance} could not be asked (${error.code}).`),
  ];
}

/** When all say the same, it is said once. */
function noAnswer(refused: readonly Refused[]): ObserverError {
  const failed = refused.filter(hasFailed);
  const worst = failed[0] ?? refused[0];
  if (worst === undefined) throw new TypeError("There is no n8n.");
  const { error } = worst;
  const isSame = refused.every(
    ({ error: { code, message, details } }) =>
      code === error.code && message === error.message && details.solution === error.details.solution,
  );
  // What is wrong with the question is no n8n's.
  if (isSame && !error.code.startsWith("N8N_")) return error;
  const { code, details } = worst.reported;
  const reported = (failed.length > 0 ? failed : refused).map(({ reported: { message } }) => message);
  return new ObserverError(code, [...new Set(reported)].join(" "), {
    ...details,
    instances: refused.map(({ instance, reported: each }) => ({
      instance,
      code: each.code,
      message: each.message,
      solution: each.details.solution,
    })),
  });
}
