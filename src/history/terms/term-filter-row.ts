/** A filter as the database has it, beside the id of its execution. */
import * as z from "zod";
import { TermFilter } from "./term-filter.ts";

export const filterRow = z.object({
  id: z.string(),
  filter: z
    .union([z.instanceof(ArrayBuffer), z.instanceof(Uint8Array)])
    .transform((bytes) => new TermFilter(new Uint8Array(bytes))),
});
