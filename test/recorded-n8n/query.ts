/**
 * Reads query parameters and cursors as n8n 2.40.5 does, with its messages for mistakes; `old-query.ts` is for 1.x.
 * Pure. A mistake is thrown as `Refusal` and becomes the answer. Unknown parameters are ignored.
 */

/** An error answer. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const executionStatuses = ["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"];

/** The largest page; n8n silently clamps higher limits. */
const mostItems = 250;
const defaultLimit = 100;

export interface ExecutionsQuery {
  includeData: boolean;
  status: string | undefined;
  workflowId: string | undefined;
  projectId: string | undefined;
  /** Milliseconds since 1970; both ends are inclusive. */
  startedAfter: number | undefined;
  startedBefore: number | undefined;
  /** 0 returns everything at once, as in n8n. */
  limit: number;
  /** Only executions with lower ids; undefined means from the newest. */
  lastId: number | undefined;
}

/** Checks in n8n's order, as n8n reports only the first mistake. */
export function readExecutionsQuery(parameters: URLSearchParams): ExecutionsQuery {
  const includeData = readBoolean(parameters, "includeData") ?? false;
  readBoolean(parameters, "ignoreDataSizeLimit");
  readBoolean(parameters, "redactExecutionData");
  const status = readChoice(parameters, "status", executionStatuses);
  const workflowId = readText(parameters, "workflowId") || undefined;
  const projectId = readText(parameters, "projectId") || undefined;
  const startedAfter = readTime(parameters, "startedAfter");
  const startedBefore = readTime(parameters, "startedBefore");
  const limit = readLimit(parameters);
  const cursor = readText(parameters, "cursor");
  const known = { includeData, status, workflowId, projectId, startedAfter, startedBefore };
  return { ...known, ...readExecutionsCursor(cursor, limit) };
}

export function readIncludeData(parameters: URLSearchParams): boolean {
  return readBoolean(parameters, "includeData") ?? false;
}

export interface WorkflowsQuery {
  active: boolean | undefined;
  tags: string[];
  /** A part of the name, matched as by SQL's LIKE. */
  name: RegExp | undefined;
  projectId: string | undefined;
  excludePinnedData: boolean;
  limit: number;
  offset: number;
}

export function readWorkflowsQuery(parameters: URLSearchParams): WorkflowsQuery {
  const tags = readText(parameters, "tags");
  const limit = readLimit(parameters);
  const cursor = readText(parameters, "cursor");
  return {
    active: readBoolean(parameters, "active"),
    tags: tags ? tags.split(",").map((tag) => tag.trim()) : [],
    name: toLike(readText(parameters, "name")?.trim()),
    projectId: readText(parameters, "projectId"),
    excludePinnedData: readBoolean(parameters, "excludePinnedData") ?? false,
    ...(cursor ? readOffsetCursor(cursor, limit, false) : { limit, offset: 0 }),
  };
}

/** SQLite's LIKE: `%` and `_` are wild, and only ASCII letters match in either case. */
function toLike(text: string | undefined): RegExp | undefined {
  if (!text) return undefined;
  const pattern = text
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
    .replaceAll("%", ".*")
    .replaceAll("_", ".");
  return new RegExp(pattern, "su");
}

export function readTagsQuery(parameters: URLSearchParams): { limit: number; offset: number } {
  const limit = readLimit(parameters);
  const cursor = readText(parameters, "cursor");
  return cursor ? readOffsetCursor(cursor, limit, true) : { limit, offset: 0 };
}

export function writeCursor(value: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

/** Handmade cursors work like n8n's own. A cursor's limit overrides the parameter. */
function readExecutionsCursor(
  cursor: string | undefined,
  limit: number,
): { limit: number; lastId: number | undefined } {
  if (!cursor) return { limit, lastId: undefined };
  const { lastId, limit: ownLimit } = decodeCursor(cursor);
  const isWhole = typeof ownLimit === "number" && Number.isInteger(ownLimit);
  const number = typeof lastId === "string" || typeof lastId === "number" ? Number(lastId) : Number.NaN;
  return {
    limit: isWhole ? Math.min(Math.max(ownLimit, 1), mostItems) : limit,
    // In SQLite, text compares higher than every id, so the list begins at the newest.
    lastId: Number.isNaN(number) ? undefined : number,
  };
}

function readOffsetCursor(
  cursor: string,
  limit: number,
  offsetNeeded: boolean,
): { limit: number; offset: number } {
  const decoded = decodeCursor(cursor);
  if (offsetNeeded && !("offset" in decoded)) throw invalidCursor();
  return {
    offset: Math.max(Number(decoded.offset ?? 0), 0),
    limit: Number(decoded.limit ?? limit),
  };
}

export function decodeCursor(cursor: string): Record<string, unknown> {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, "base64").toString());
  } catch {
    throw invalidCursor();
  }
  if (typeof decoded !== "object" || decoded === null) throw invalidCursor();
  return Object.fromEntries(Object.entries(decoded));
}

function invalidCursor(): Refusal {
  return new Refusal(400, "An invalid cursor was provided");
}

function readLimit(parameters: URLSearchParams): number {
  const text = readText(parameters, "limit");
  if (!text) return defaultLimit;
  const limit = Number.parseInt(text, 10);
  if (Number.isNaN(limit)) throw invalid("limit", "Param `limit` must be a valid integer");
  if (limit < 0) throw invalid("limit", "Param `limit` must be a non-negative integer");
  return Math.min(limit, mostItems);
}

function readBoolean(parameters: URLSearchParams, name: string): boolean | undefined {
  const text = readChoice(parameters, name, ["true", "false"]);
  return text === undefined ? undefined : text === "true";
}

function readChoice(parameters: URLSearchParams, name: string, choices: string[]): string | undefined {
  const values = parameters.getAll(name);
  const expected = choices.map((choice) => `'${choice}'`).join(" | ");
  if (values.length > 1) throw invalid(name, `Expected ${expected}, received array`);
  const [value] = values;
  if (value === undefined || choices.includes(value)) return value;
  throw invalid(name, `Invalid enum value. Expected ${expected}, received '${value}'`);
}

function readText(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw invalid(name, "Expected string, received array");
  return values[0];
}

const timePattern = /^(\d{4}-\d{2}-(\d{2}))T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

function readTime(parameters: URLSearchParams, name: string): number | undefined {
  const text = readText(parameters, name);
  if (text === undefined) return undefined;
  const [matched, date = "", day] = timePattern.exec(text) ?? [];
  // JavaScript reads 30 February as 2 March; n8n does not.
  const exists = matched !== undefined && new Date(date).getUTCDate() === Number(day);
  const time = exists ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw invalid(name, "Invalid datetime");
  return time;
}

function invalid(name: string, message: string): Refusal {
  return new Refusal(400, `request/query/${name} ${message}`);
}
