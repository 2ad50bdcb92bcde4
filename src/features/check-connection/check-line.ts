/** One line of the checklist, and its constructors. */
import * as z from "zod";
import { type ObserverError, orElse } from "../../platform/errors.ts";

export const check = z.looseObject({
  check: z.string(),
  status: z.enum(["pass", "warning", "fail", "skipped"]),
  detail: z.string(),
  solution: z.string().optional(),
});
export type Check = z.infer<typeof check>;

export type Finding = Pick<Check, "status" | "detail" | "solution">;

export const pass = (detail: string): Finding => ({ status: "pass", detail });
export const warning = (detail: string, solution: string): Finding => ({
  status: "warning",
  detail,
  solution,
});

/** For a check that n8n did not answer. */
export const unanswered = (solution: string): Finding => ({
  status: "skipped",
  detail: "Not known yet: n8n failed to answer, or has no executions.",
  solution,
});

export const toFailure = ({ message, details }: ObserverError): Finding => ({
  status: "fail",
  detail: message,
  solution: details.solution,
});

/**
 * Runs a check. @param otherwise turns an error of n8n or of the settings into a result; by default the check fails
 * @throws ObserverError `RATE_LIMITED`: the check could not run, which says nothing about n8n
 */
export async function attempt(
  name: string,
  body: () => Promise<Finding>,
  otherwise: (error: ObserverError) => Finding = toFailure,
): Promise<Check> {
  const finding = await orElse(body, (error) => {
    if (error.code === "RATE_LIMITED") throw error;
    return otherwise(error);
  });
  return { check: name, ...finding };
}
