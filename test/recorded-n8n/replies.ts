/** A page is told by what is on it: the elements themselves are recorded already. Pure. */
import * as z from "zod";

/** Kept as it came: zod would put the keys it knows first. */
const element = z.custom<{ id: string }>(
  (value) => z.looseObject({ id: z.string() }).safeParse(value).success,
);
const page = z.strictObject({
  data: z.array(element),
  nextCursor: z.string().nullable(),
});

/** A page as the ids on it, the keys of its first element, and where its cursor leads; anything else as it is. */
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
