/** The error of a tool as a page for people: what happened, and what to do. */
import { type Members, membersAt, textAt } from "../../views/waterfall/members.ts";
import type { Page } from "../respond.ts";
import { homePath, inInstance } from "./addresses.ts";
import { ButtonLink, Notice } from "./blocks.tsx";
import { DataSwitch } from "./data-switch.tsx";
import { Sentence } from "./moment.tsx";
import { type Answer, dataOf, instanceIn, type PageRequest, type Shown, shown } from "./page-request.ts";
import { Name } from "./text.tsx";
import { PROBLEMS, SOLUTIONS, SOLUTIONS_OF_FIELDS, UNKNOWN_PROBLEM, WORDS } from "./words.ts";

const STATUSES: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  EXECUTION_NOT_FOUND: 404,
  NODE_NOT_FOUND: 404,
  INSTANCE_NOT_FOUND: 404,
  TRACE_NOT_FOUND: 404,
  INSUFFICIENT_SCOPE: 403,
  RATE_LIMITED: 429,
  CONFIGURATION_ERROR: 503,
  TOOL_EXECUTION_FAILED: 500,
};

const codeOf = (answer: Answer): string => textAt(dataOf(answer), "code") ?? "";
const detailsOf = (answer: Answer): Members => membersAt(dataOf(answer), "details");

export const isRefused = ({ status }: Answer): boolean => status !== "success";

/** Renders the data of a tool's answer, or its error. */
export const showAnswer = (answer: Answer, request: PageRequest, draw: (data: Members) => Page): Shown =>
  isRefused(answer) ? showProblem(answer, request) : shown(draw(dataOf(answer)));

/** A page that shows only the error. A fault of n8n has the status of a gateway (RFC 9110 §15.6.3). */
export function showProblem(answer: Answer, request: PageRequest): Shown {
  const code = codeOf(answer);
  const isHidden = code === "INSUFFICIENT_SCOPE" && !request.visitor.showsData;
  if (isHidden) return showNeedsData(request, textAt(detailsOf(answer), "field") === "requestId");
  return { status: STATUSES[code] ?? 502, body: <Problem answer={answer} request={request} /> };
}

/** @param request given if the page shows nothing else */
export function Problem({ answer, request }: { answer: Answer; request?: PageRequest }) {
  const details = detailsOf(answer);
  const code = codeOf(answer);
  const candidates = Array.isArray(details.candidates)
    ? details.candidates.filter((each) => typeof each === "string")
    : [];
  const title = PROBLEMS[code] ?? UNKNOWN_PROBLEM;
  const field = textAt(details, "field") ?? "";
  const solution = SOLUTIONS_OF_FIELDS[field] ?? SOLUTIONS[code] ?? textAt(details, "solution");
  const incident = textAt(details, "incidentId");
  return (
    <section class="note warn problem" role="alert">
      {request === undefined ? <h2>{title}</h2> : <h1>{title}</h1>}
      <p>
        <Sentence text={textAt(dataOf(answer), "message") ?? ""} />
      </p>
      {candidates.length > 0 && (
        <p>
          {WORDS.nearest}:{" "}
          {candidates.map((name, index) => (
            <>
              {index > 0 && ", "}
              <Name of={name} />
            </>
          ))}
        </p>
      )}
      {solution !== undefined && (
        <p>
          <strong>{WORDS.whatToDo}:</strong> {solution}
          {incident !== undefined && ` (${incident})`}
        </p>
      )}
      {request !== undefined && (
        <p class="actions">
          {field === "instance" &&
            request.visitor.instances.map((name) => (
              <ButtonLink to={inInstance(request.here, name)} text={name} />
            ))}
          <ButtonLink to={request.here} text={WORDS.tryAgain} />
          <ButtonLink to={homePath(instanceIn(request))} text={WORDS.backHome} />
        </p>
      )}
    </section>
  );
}

/** Shown instead of data while it is switched off; then no tool is called for it. @param isText the query is no id */
export function showNeedsData({ visitor }: PageRequest, isText = false): Shown {
  const { title, noId, message, mayNot } = WORDS.needsData;
  return {
    status: 403,
    body: (
      <Notice title={title}>
        {isText && <p>{noId}</p>}
        <p>{visitor.mayReadData ? message : mayNot}</p>
        {visitor.mayReadData && <DataSwitch visitor={visitor} />}
      </Notice>
    ),
  };
}
