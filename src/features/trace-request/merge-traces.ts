/**
 * Merges the answers of several n8n instances about one request. No instance hides a result of another, and failures are
 * reported. The most informative instance is reported in full, the others briefly. Pure.
 */
import * as z from "zod";
import type { Guidance } from "../../mcp/define-tool.ts";
import { urlFrom } from "../../n8n/n8n-urls.ts";
import { quoted } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { guidanceOf, type Instances } from "../instances.ts";
import { guidance, nextCall } from "../params.ts";
import { OUTCOMES, rankOf } from "../request-node.ts";
import { mergeCoverage, toLeanCoverage, wholeCoverage } from "./coverage.ts";

/** The members of an answer of `trace_request` that a merged answer needs. */
export const tracePart = z.looseObject({
  requestId: z.string(),
  found: z.boolean(),
  foundAs: z.string().nullish(),
  outcome: z.enum(OUTCOMES),
  failure: z.looseObject({ executionId: z.string() }).nullable(),
  startedAt: z.string().nullable(),
  executionUrl: z.string().optional(),
  executions: z.array(z.looseObject({ id: z.string(), workflowId: z.string() })),
  coverage: wholeCoverage,
  _guidance: guidance,
});
type TracePart = z.infer<typeof tracePart>;

interface Answered {
  readonly instance: string;
  readonly message: string;
  /** The tool's data, and the members of it that a merged answer needs. */
  readonly data: object;
  readonly part: TracePart;
}

interface Refused {
  readonly instance: string;
  readonly error: ObserverError;
  /** The error, with the name of the instance in its message. */
  readonly reported: ObserverError;
}

export type InstanceAnswer = Answered | Refused;

const NOT_FOUND = new Set(["EXECUTION_NOT_FOUND", "WORKFLOW_NOT_FOUND", "TRACE_NOT_FOUND"]);
/** Maximum number of further instances whose sentences are in the message. */
const MAX_OTHERS = 3;

/** Not a failure: this instance lacks the object, or the address belongs to another n8n. */
const isNotThere = ({ error: { code, details } }: Refused): boolean =>
  NOT_FOUND.has(code) || (code === "VALIDATION_ERROR" && details.field === "requestId");
const hasFailed = (refused: Refused): boolean => !isNotThere(refused);
const isRemoved = ({ part }: Answered): boolean => part.coverage.stoppedBy === "removed";
const isWhole = ({ part }: Answered): boolean => part.coverage.stoppedBy === "complete";

/** @throws ObserverError when no instance gave an answer */
export function mergeTraces(answers: readonly InstanceAnswer[], traceId: string, instances: Instances) {
  const answered = answers.filter((each) => "part" in each);
  const refused = answers.filter((each) => "error" in each);
  const hasFailures = refused.some(hasFailed);
  const [first, ...rest] = mostInformativeFirst(answered);
  if (first === undefined) throw noAnswer(refused);
  const { part } = first;
  const reported = { first, others: rest.filter((each) => each.part.found).slice(0, MAX_OTHERS) };
  const hasExecutions = part.executions.length > 0;
  const isComplete = !hasFailures && answered.every(isWhole);
  const isAsFarAsKept = !hasFailures && answered.every((each) => isWhole(each) || isRemoved(each));
  const removed = isAsFarAsKept ? answered.find(isRemoved) : undefined;
  const goOn =
    removed === undefined
      ? nextCall("Continue where an instance was not read to its end.", "trace_request", { traceId })
      : guidanceOf(removed.part._guidance, removed.instance, instances);
  return {
    message: part.found ? foundSentence(reported, answered, refused) : notFoundSentence(answered, refused),
    data: {
      instance: hasExecutions ? first.instance : null,
      ...first.data,
      outcome: part.found ? part.outcome : isComplete ? "not_found" : "not_found_yet",
      instances: answers.map((each) => toEntry(each, reported)),
      coverage: toLeanCoverage(mergeCoverage(answered, hasFailures), part.found),
      traceId,
      _guidance: part.found || hasExecutions || isComplete ? nextOf(first, instances) : goOn,
    },
  };
}

/** Instances with their own sentence in the message. */
interface Reported {
  readonly first: Answered;
  readonly others: readonly Answered[];
}

/** Found as something else than a request id: an instance that has it as a request id comes first. */
const OTHER_KINDS = new Set(["executionId", "customData"]);
const isOtherKind = ({ part: { foundAs } }: Answered): boolean => OTHER_KINDS.has(foundAs ?? "");

function mostInformativeFirst(answered: readonly Answered[]): readonly Answered[] {
  const kind = (each: Answered): number => (each.part.found ? Number(isOtherKind(each)) : 2);
  const rank = ({ part }: Answered): number => rankOf(part.outcome) - (part.executions.length > 0 ? 2 : 0);
  const begun = ({ part }: Answered): string => part.startedAt ?? "";
  return answered.toSorted(
    (a, b) => kind(a) - kind(b) || rank(a) - rank(b) || begun(a).localeCompare(begun(b)),
  );
}

/** A trace continues in all instances; every other call needs one instance. */
function nextOf({ instance, part }: Answered, instances: Instances): Guidance {
  const next = part._guidance;
  return next.example.startsWith("trace_request(") ? next : guidanceOf(next, instance, instances);
}

/** Summarizes one instance: whether it has the request, and how far it was read. */
function toEntry(answer: InstanceAnswer, { first }: Reported): object {
  const { instance } = answer;
  if ("error" in answer) {
    const { code, message, details } = answer.reported;
    return { instance, error: { code, message, solution: details.solution } };
  }
  const { part, message } = answer;
  const { scannedExecutions, complete, stoppedBy } = part.coverage;
  // The message already has its sentence; once the request was found, other instances need none.
  const isInMessage = first.part.found && (part.found || part.executions.length === 0);
  return {
    instance,
    outcome: part.outcome,
    scannedExecutions,
    complete,
    stoppedBy: isWhole(answer) ? undefined : stoppedBy,
    message: isInMessage ? undefined : message,
    url: answer === first ? undefined : urlOf(part),
  };
}

function urlOf({ executions, executionUrl, failure }: TracePart): string | undefined {
  const shown = executions.find(({ id }) => id === failure?.executionId) ?? executions[0];
  if (shown === undefined || executionUrl === undefined) return undefined;
  return urlFrom(executionUrl, { workflowId: shown.workflowId, executionId: shown.id });
}

const names = (of: readonly { readonly instance: string }[]): string =>
  of.map(({ instance }) => instance).join(", ");

function foundSentence(
  { first, others }: Reported,
  answered: readonly Answered[],
  refused: readonly Refused[],
): string {
  const rest = answered.filter((each) => each !== first && !others.includes(each));
  const more = rest.filter(({ part }) => part.found);
  const withoutIt = rest.filter(({ part }) => !part.found);
  return joinSentences(
    `In ${first.instance}: ${first.message}`,
    ...others.map((other) => {
      const isSame = isOtherKind(other) === isOtherKind(first);
      return `In ${other.instance}, ${isSame ? "too" : "something else"}: ${other.message}`;
    }),
    more.length > 0 && `Also in ${names(more)}.`,
    sentencesWithoutIt(withoutIt, refused),
  );
}

function notFoundSentence(answered: readonly Answered[], refused: readonly Refused[]): string {
  const id = quoted(answered[0]?.part.requestId ?? "");
  return joinSentences(`Request ${id} was not found.`, sentencesWithoutIt(answered, refused));
}

/** Sentences about instances that did not find the request, grouped by coverage. */
function sentencesWithoutIt(answered: readonly Answered[], refused: readonly Refused[]): string {
  const whole = answered.filter((each) => isWhole(each) && each.part.coverage.complete);
  const withGaps = answered.filter((each) => isWhole(each) && !each.part.coverage.complete);
  const partly = answered.filter((each) => !isWhole(each));
  const mentioned = answered.filter(({ part }) => part.executions.length > 0);
  const absent = refused.filter(isNotThere);
  const failed = refused.filter(hasFailed);
  return joinSentences(
    whole.length > 0 && `Not found in ${names(whole)}, read to the end.`,
    withGaps.length > 0 && `Not found in ${names(withGaps)}, where not everything could be read.`,
    mentioned.length > 0 && `It is mentioned in ${names(mentioned)}, not at a known request-id path.`,
    absent.length > 0 && `The requested item does not exist in ${names(absent)}.`,
    partly.length > 0 && `Not read to the end: ${names(partly)}.`,
    ...failed.map(({ instance, error }) => `${instance} could not be asked (${error.code}).`),
  );
}

/** The error when no instance gave an answer; identical errors are merged. */
function noAnswer(refused: readonly Refused[]): ObserverError {
  const failed = refused.filter(hasFailed);
  const worst = failed[0] ?? refused[0];
  if (worst === undefined) throw new TypeError("There is no n8n.");
  const { error } = worst;
  const isSame = refused.every(
    ({ error: { code, message, details } }) =>
      code === error.code && message === error.message && details.solution === error.details.solution,
  );
  // An invalid argument is not an instance's error.
  if (isSame && !error.code.startsWith("N8N_")) return error;
  const messages = (failed.length > 0 ? failed : refused).map(({ reported }) => reported.message);
  return new ObserverError(worst.reported.code, [...new Set(messages)].join(" "), {
    ...worst.reported.details,
    instances: refused.map(({ instance, reported: { code, message, details } }) => ({
      instance,
      code,
      message,
      solution: details.solution,
    })),
  });
}
