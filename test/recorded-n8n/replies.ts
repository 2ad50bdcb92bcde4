/** Shortens pages of recorded replies, as their elements are recorded elsewhere. Pure. */
import * as z from "zod";

/** Kept untouched: zod would put known keys first. */
const element = z.custom<{ id: string }>(
  (value) => z.looseObject({ id: z.string() }).safeParse(value).success,
);
const page = z.strictObject({
  data: z.array(element),
  nextCursor: z.string().nullable(),
});

/** A page becomes its ids, the keys of its first element, and its decoded cursor; anything else stays as it is. */
export function toCompact(body: unknown): unknown {
  const { data: found } = page.safeParse(body);
  if (found === undefined) return body;
  const { data, nextCursor } = found;
  return {
    ids: data.map(({ id }) => id).join(" "),
    keys: Object.keys(data[0] ?? {}).join(" "),
    next: nextCursor === null ? null : JSON.parse(Buffer.from(nextCursor, "base64").toString()),
  };
}
