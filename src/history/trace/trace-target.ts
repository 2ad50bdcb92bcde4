/**
 * Which part of the caller's text may be compared with n8n's data. This is the only place where a trace gets it.
 *
 * Without `n8n:data` that is a whole identifier, compared with values at known request-id paths. Any other text, and
 * any search of payload, is refused before n8n or the index is queried, so that a right guess and a wrong one look the
 * same and cost the same.
 */
import { ObserverError } from "../../platform/errors.ts";
import { type SearchTarget, targetId } from "../payload/search-target.ts";
import type { ComparableIds } from "../request-ids/comparable-ids.ts";
import { formOf, type RequestForm } from "../request-ids/request-forms.ts";
import type { VisibleIds } from "../store/known-requests.ts";

export interface TraceTarget {
  readonly form: RequestForm;
  /** The ids of executions that it is compared with. */
  readonly visible: VisibleIds;
  /** Searched for anywhere in payload; null if that is not allowed. */
  readonly mention: SearchTarget | null;
}

/**
 * @param asked the text as the caller wrote it
 * @param deep all payload is searched
 * @throws ObserverError `INSUFFICIENT_SCOPE` if `n8n:data` is needed
 */
export function traceTarget(
  asked: string,
  deep: boolean,
  mayReadData: boolean,
  ids: ComparableIds,
): TraceTarget {
  const form = formOf(asked);
  if (mayReadData)
    return { form, visible: "all", mention: form.value === null ? null : targetId(form.value) };
  if (deep) throw needsData("deep", "deep reads payload, which needs the scope n8n:data.", WITHOUT_DEEP);
  // Redaction may hide 32 hex digits, but no UUID, which is the same id.
  const isOpen =
    form.value === null || form.executionId !== null || [asked, form.value].some(ids.isIdentifier);
  if (!isOpen) throw needsData("requestId", NO_IDENTIFIER, WITH_IDENTIFIER);
  return { form, visible: "open", mention: null };
}

const NO_IDENTIFIER =
  "This text does not look like an identifier, and comparing it with payload needs the scope n8n:data.";
const WITH_IDENTIFIER =
  "Ask with the whole request id (a UUID, order-2024-000123, req-…), an execution's id or its n8n URL; or connect again and allow n8n:data.";
const WITHOUT_DEEP =
  "Leave deep out: values at known request-id paths are compared without it. Or connect again and allow n8n:data.";

const needsData = (field: string, message: string, solution: string): ObserverError =>
  new ObserverError("INSUFFICIENT_SCOPE", message, { field, solution });
