/** A refusal of a tool as a page for people: what happened, and what to do. */

import { isObject } from "../../platform/is-object.ts";
import { type Members, membersAt, textAt } from "../../views/waterfall/members.ts";
import type { Page } from "../respond.ts";
import { HOME } from "./addresses.ts";
import type { Answer, Asked, Shown } from "./asked.ts";
import { ButtonLink } from "./blocks.tsx";
import { DataSwitch } from "./data-switch.tsx";
import { Name } from "./text.tsx";
import { PROBLEMS, SOLUTIONS, UNKNOWN_PROBLEM, WORDS } from "./words.ts";

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

const codeOf = ({ data }: Answer): string => (isObject(data) && textAt(data, "code")) || "";

export const isRefused = ({ status }: Answer): boolean => status !== "success";

/** Draws the data of a tool's answer, or says why there is none. */
export async function showAnswer(
  answer: Answer,
  asked: Asked,
  draw: (data: Members, answer: Answer) => Page,
): Promise<Shown> {
  if (isRefused(answer) || !isObject(answer.data)) return showProblem(answer, asked);
  return { status: 200, body: draw(answer.data, answer) };
}

/** A page of its own. The statuses of n8n's faults are a gateway's (RFC 9110 §15.6.3). */
export function showProblem(answer: Answer, asked: Asked): Shown {
  const code = codeOf(answer);
  if (code === "INSUFFICIENT_SCOPE") return showNeedsData(asked);
  return { status: STATUSES[code] ?? 502, body: <Problem answer={answer} here={asked.here} /> };
}

/** @param here the address of a page that shows nothing else */
export function Problem({ answer, here }: { answer: Answer; here?: string }) {
  const data = isObject(answer.data) ? answer.data : {};
  const details = membersAt(data, "details");
  const code = codeOf(answer);
  const candidates = Array.isArray(details.candidates)
    ? details.candidates.filter((each) => typeof each === "string")
    : [];
  const title = PROBLEMS[code] ?? UNKNOWN_PROBLEM;
  const solution = SOLUTIONS[code] ?? textAt(details, "solution");
  const incident = textAt(details, "incidentId");
  return (
    <section class="note warn problem" role="alert">
      {here === undefined ? <h2>{title}</h2> : <h1>{title}</h1>}
      <p>{textAt(data, "message")}</p>
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
      {here !== undefined && (
        <p class="actions">
          <ButtonLink to={here} text={WORDS.tryAgain} />
          <ButtonLink to={HOME} text={WORDS.backHome} />
        </p>
      )}
    </section>
  );
}

/** What is data is not even asked for while it is switched off. */
export function showNeedsData({ visitor }: Asked): Shown {
  const { title, message, mayNot } = WORDS.needsData;
  return {
    status: 403,
    body: (
      <section class="note warn problem">
        <h1>{title}</h1>
        <p>{visitor.mayReadData ? message : mayNot}</p>
        {visitor.mayReadData && <DataSwitch visitor={visitor} />}
      </section>
    ),
  };
}
