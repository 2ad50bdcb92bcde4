/** One line of the checklist, and how one is made that may fail. */
import * as z from "zod";
import { ObserverError } from "../../platform/errors.ts";

export const check = z.looseObject({
  check: z.string(),
  status: z.enum(["pass", "warning", "fail", "skipped"]),
  detail: z.string(),
  solution: z.string().optional(),
});
export type Check = z.infer<typeof check>;

export type Finding = Pick<Check, "status" | "detail" | "solution">;

/** @throws ObserverError `RATE_LIMITED` */
export async function attempt(name: string, body: () => Promise<Finding>): Promise<Check> {
  try {
    return { check: name, ...(await body()) };
  } catch (error) {
    // Says nothing of n8n: the check could not be made.
    if (!(error instanceof ObserverError) || error.code === "RATE_LIMITED") throw error;
    return { check: name, status: "fail", detail: error.message, solution: error.details.solution };
  }
}
