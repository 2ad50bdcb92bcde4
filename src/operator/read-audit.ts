/**
 * `POST /operator/audit`: a page of the activity log as lines of JSON; the last line holds the cursor of the next page.
 * A POST although it only reads, so that a searched request id is never in a URL.
 */
import * as z from "zod";
import { activityLog } from "../activity-log/activity-log.ts";
import type { Position } from "../activity-log/activity-rows.ts";
import type { KeptEntry } from "../activity-log/entry.ts";
import { createRequestIdDigest } from "../activity-log/request-id-digest.ts";
import { ALL_INSTANCES } from "../platform/all-instances.ts";
import { NO_STORE, readBody } from "./read-body.ts";

/** Rows per answer: about one megabyte. */
const PAGE_ROWS = 2_000;
const END_OF_TIME = 8.64e15;

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** Only a position: a forged cursor reveals nothing new. */
const position = z
  .string()
  .regex(/^\d{1,16}\.\d{1,15}$/)
  .transform((text): Position => {
    const [at = 0, id = 0] = text.split(".").map(Number);
    return { at, id };
  });

const query = z.strictObject({
  since: instant.optional(),
  until: instant.optional(),
  userId: z.string().max(128).optional(),
  tool: z.string().max(64).optional(),
  requestId: z.string().min(1).max(512).optional(),
  instance: z.string().max(64).optional(),
  cursor: position.optional(),
});

export async function readAudit(request: Request, env: Env): Promise<Response> {
  const filters = await readBody(request, query);
  const window = { since: filters.since ?? 0, until: filters.until ?? END_OF_TIME };
  const { entries, next } = await activityLog(env).repeatable(
    async (log) => await log.page(window, filters.cursor, PAGE_ROWS),
  );
  const lines = [
    ...entries.filter(toFilter(filters, env)),
    { event: "page", cursor: next === undefined ? null : `${next.at}.${next.id}` },
  ];
  return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(""), {
    headers: { "Content-Type": "application/x-ndjson", ...NO_STORE },
  });
}

function toFilter({ userId, tool, requestId, instance }: z.infer<typeof query>, env: Env) {
  const digest = requestId === undefined ? undefined : createRequestIdDigest(env)(requestId);
  return (entry: KeptEntry): boolean =>
    (userId === undefined || ("userId" in entry && entry.userId === userId)) &&
    (tool === undefined || ("tool" in entry && entry.tool === tool)) &&
    (instance === undefined || ("ids" in entry && isFor(entry.ids.instance, instance))) &&
    (requestId === undefined ||
      (digest !== undefined && "ids" in entry && entry.ids.requestIdDigest === digest));
}

/** A call to all instances counts for each. With a single instance, no line names it. */
const isFor = (called: string | undefined, instance: string): boolean =>
  called === instance || called === ALL_INSTANCES;
