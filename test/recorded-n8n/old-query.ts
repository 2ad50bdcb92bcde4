/**
 * Reads query parameters and cursors as n8n 1.x does: OpenAPI's validator refuses unknown parameters, in its own
 * words, and the content of a cursor is not checked. Pure. A mistake is thrown as `Refusal`.
 */
import type { Dialect } from "./dialects.ts";
import { decodeCursor, type ExecutionsQuery, Refusal } from "./query.ts";

type Kind = "text" | "number" | "boolean" | readonly string[];

/** Parameters in the order of n8n's own description, which is the order in which their values are checked. */
export type Description = Readonly<Record<string, Kind>>;

const mostItems = 250;
const defaultLimit = 100;
const paging = { limit: "number", cursor: "text" } as const;

export const oldWorkflowsParameters: Description = {
  active: "boolean",
  tags: "text",
  name: "text",
  projectId: "text",
  excludePinnedData: "boolean",
  ...paging,
};
export const oldWorkflowParameters: Description = { excludePinnedData: "boolean" };
export const oldExecutionParameters: Description = { includeData: "boolean" };
export const oldTagsParameters: Description = paging;

/** @param rawQuery as received, without its question mark */
export function checkOldParameters(rawQuery: string, description: Description): void {
  refuseReserved(rawQuery, description);
  const parameters = new URLSearchParams(rawQuery);
  for (const [name, value] of parameters) {
    if (!(name in description)) throw new Refusal(400, `Unknown query parameter '${name}'`);
    if (value === "") throw new Refusal(400, `Empty value found for query parameter '${name}'`);
  }
  for (const [name, kind] of Object.entries(description)) {
    const problem = problemOf(parameters.getAll(name), kind);
    if (problem !== undefined) throw new Refusal(400, `request/query/${name} ${problem}`);
  }
}

function refuseReserved(rawQuery: string, description: Description): void {
  for (const part of rawQuery.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (!(name in description) || !/[:/?#[\]@!$'()*+,;]/.test(value.join(""))) continue;
    const message = `Parameter '${name}' must be url encoded. Its value may not contain reserved characters.`;
    throw new Refusal(400, message);
  }
}

function problemOf(values: string[], kind: Kind): string | undefined {
  const [value] = values;
  if (value === undefined) return undefined;
  const several = values.length > 1;
  if (kind === "text") return several ? "must be string" : undefined;
  if (kind === "boolean") {
    return several || !["true", "false"].includes(value) ? "must be boolean" : undefined;
  }
  if (kind !== "number") {
    const fits = !several && kind.includes(value);
    return fits ? undefined : `must be equal to one of the allowed values: ${kind.join(", ")}`;
  }
  if (several || Number.isNaN(Number(value))) return "must be number";
  return Number(value) > mostItems ? `must be <= ${mostItems}` : undefined;
}

export function readOldExecutionsQuery(rawQuery: string, { statuses }: Dialect): ExecutionsQuery {
  checkOldParameters(rawQuery, {
    includeData: "boolean",
    status: statuses,
    workflowId: "text",
    projectId: "text",
    ...paging,
  });
  const parameters = new URLSearchParams(rawQuery);
  const cursor = parameters.get("cursor");
  const decoded = cursor === null ? undefined : decodeCursor(cursor);
  const limit = Number(
    decoded === undefined ? (parameters.get("limit") ?? defaultLimit) : (decoded.limit ?? defaultLimit),
  );
  if (!Number.isInteger(limit)) throw new Refusal(400, "SQLITE_MISMATCH: datatype mismatch");
  const lastId = Number(decoded?.lastId ?? Number.NaN);
  return {
    includeData: parameters.get("includeData") === "true",
    status: parameters.get("status") ?? undefined,
    workflowId: parameters.get("workflowId") ?? undefined,
    projectId: parameters.get("projectId") ?? undefined,
    startedAfter: undefined,
    startedBefore: undefined,
    // A cursor's limit is not clamped; 0 and less return everything at once.
    limit: Math.max(limit, 0),
    lastId: Number.isNaN(lastId) ? undefined : lastId,
  };
}

/** An id that is no number is refused; a number that is no execution's id is merely not found. */
export function readOldExecutionId(id: string): number {
  const number = Number(id);
  if (id.trim() === "" || Number.isNaN(number)) throw new Refusal(400, "request/params/id must be number");
  return number;
}
