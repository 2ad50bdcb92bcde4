/**
 * Sends a real n8n the requests whose answers differ between versions: filters, limits, cursors, mistakes. The recorded
 * n8n must answer each in the same way.
 */
import type { RunningN8n } from "../../test/real-n8n/boot.ts";
import { listExecutionsAfter } from "../../test/real-n8n/n8n-database.ts";
import type { RecordedReply } from "../../test/recorded-n8n/recording.ts";
import { toCompact } from "../../test/recorded-n8n/replies.ts";

const cursorOf = (value: unknown): string =>
  encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64"));

export async function recordReplies(n8n: RunningN8n): Promise<RecordedReply[]> {
  const replies: RecordedReply[] = [];
  for (const path of pathsOf(n8n)) replies.push(await reply(n8n, path, "read"));
  for (const key of ["wrong", "none"] as const) replies.push(await reply(n8n, "/executions", key));
  return replies;
}

async function reply(
  { baseUrl, readKey }: RunningN8n,
  path: string,
  key: RecordedReply["key"],
): Promise<RecordedReply> {
  const headers: Record<string, string> =
    key === "none" ? {} : { "X-N8N-API-KEY": key === "read" ? readKey : "wrong" };
  const response = await fetch(`${baseUrl}/api/v1${path}`, { headers });
  return { path, key, status: response.status, body: toCompact(await response.json()) };
}

function pathsOf(n8n: RunningN8n): string[] {
  const all = listExecutionsAfter(n8n, 0);
  const idOf = (status: string): string => all.find((each) => each.status === status)?.id ?? "0";
  const workflowId = all[0]?.workflowId ?? "";
  return [
    ...executionPaths(workflowId),
    ...["success", "error", "canceled", "waiting", "running"].map((status) => `/executions/${idOf(status)}`),
    ...otherPaths(workflowId),
  ];
}

const STATUSES = " canceled crashed error new running success unknown waiting x".split(" ");

/** Filters, limits, mistakes in them, and which of two mistakes is reported. */
const EXECUTION_QUERIES = `
  limit=2 limit=0 limit=-1 limit=250 limit=251 limit=abc limit=1.5 limit= limit=1&limit=2
  limit=3&status=error limit=2&status=success workflowId=nope projectId=nope
  includeData=1 includeData=TRUE includeData=
  startedAfter=2026-01-01T00:00:00Z startedBefore=2026-01-01T00:00:00Z
  redactExecutionData=true ignoreDataSizeLimit=false
  nonsense=1 nonsense=1&limit=abc nonsense=1&startedAfter=2026-01-01T00:00:00Z
  status=x&limit=abc limit=abc&status=x limit=251&includeData=1
  cursor= cursor=@@@ cursor=%40%40%40 cursor=NQ== cursor=NQ cursor=e30`;

const CURSORS: readonly object[] = [
  ...["20", 20].map((lastId) => ({ lastId, limit: 3 })),
  ...[1_000, 0].map((limit) => ({ lastId: "20", limit })),
  { lastId: "20" },
  { lastId: "x", limit: 2 },
  { lastId: "1", limit: 2 },
  { lastId: "40", limit: 5 },
  { lastId: "3", limit: 2 },
  { offset: 2, limit: 2 },
];

const executionPaths = (workflowId: string): string[] => [
  "/executions",
  ...[
    ...STATUSES.map((status) => `status=${status}`),
    ...EXECUTION_QUERIES.trim().split(/\s+/),
    `limit=2&workflowId=${workflowId}`,
    `workflowId=${workflowId}`,
    ...CURSORS.map((cursor) => `cursor=${cursorOf(cursor)}`),
    `limit=50&cursor=${cursorOf({ lastId: "20", limit: 2 })}`,
    `status=success&cursor=${cursorOf({ lastId: "30", limit: 4 })}`,
    `status=running&cursor=${cursorOf({ lastId: "9999", limit: 1 })}`,
  ].map((query) => `/executions?${query}`),
];

const OTHER_PATHS = `
  /executions/0 /executions/-1 /executions/1.5 /executions/abc /executions/999999 /executions/%zz
  /executions/99999999999999999999 /executions/1?includeData=x /executions/1?nonsense=1 /executions/1/tags
  /executions/ /discover /nothing /tags /tags?limit=2 /tags?limit=251 /tags?cursor=NQ /tags?nonsense=1
  /workflows?limit=1&active=false /workflows?name=legacy&excludePinnedData=true /workflows?active=x
  /workflows?limit=251 /workflows?name= /workflows?tags=nope /workflows?projectId=nope /workflows?nonsense=1
  /workflows?cursor=NQ /workflows?name=LEGACY /workflows?excludePinnedData=x
  /workflows/nope /workflows/nope/tags`;

const otherPaths = (workflowId: string): string[] => [
  ...OTHER_PATHS.trim().split(/\s+/),
  `/tags?cursor=${cursorOf({ offset: 1, limit: 1 })}`,
  `/workflows?limit=1&name=legacy&cursor=${cursorOf({ offset: 0, limit: 1 })}`,
  ...["/tags", "/history", "?nonsense=1"].map((rest) => `/workflows/${workflowId}${rest}`),
];
