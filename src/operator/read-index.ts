/** `POST /operator/index`: how far each history index is, and what it has cost. */
import * as z from "zod";
import { NO_STORE, readBody } from "./read-body.ts";

const nothing = z.strictObject({});

/** @param report of each index, as it is shown */
export async function readIndex(
  request: Request,
  report: () => Promise<readonly object[]>,
): Promise<Response> {
  await readBody(request, nothing);
  return Response.json({ indexes: await report() }, { headers: NO_STORE });
}
