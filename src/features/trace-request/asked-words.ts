/** How the sentence of an answer speaks of what was asked for, by what it was found as. Pure. */

import type { FoundAs, RequestForm } from "../../history/request-ids/request-forms.ts";
import type { TracedExecution } from "../../history/store/traced-execution.ts";
import { displayName } from "../../platform/display-name.ts";

export interface Asked {
  readonly text: string;
  readonly form: RequestForm;
  /** Null when it was not found. */
  readonly foundAs: FoundAs | null;
  /** The execution that has what was asked for as its id, whatever it was found as. */
  readonly execution: TracedExecution | null;
}

const inQuotes = (text: string): string => `"${displayName(text).replaceAll('"', "'")}"`;

export function subjectOf({ text, form, foundAs }: Asked): string {
  switch (foundAs) {
    case "executionId":
      return `The request of execution ${form.executionId}`;
    case "sessionId":
      return `The request of session ${inQuotes(text)}`;
    case "traceId":
      return `The request of trace ${inQuotes(form.value ?? text)}`;
    case "customData":
      return `The execution with the custom data ${inQuotes(text)}`;
    default:
      return `Request ${inQuotes(text)}`;
  }
}

/** Both meanings of plain digits were looked at. */
export function noExecution({ form, execution }: Asked): string {
  return form.executionId === null || execution !== null
    ? ""
    : ` Nor is there an execution ${form.executionId}.`;
}
