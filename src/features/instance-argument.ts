/** The argument `instance` of a tool: which n8n is meant, where there are several. */
import * as z from "zod";
import type { AskedId } from "../mcp/define-tool.ts";
import { ALL_INSTANCES } from "../platform/all-instances.ts";
import { ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { nearestNames } from "../platform/nearest-names.ts";

/** Names of this length in all cost a few hundred tokens in every tool together. */
const MAX_LISTED_CHARACTERS = 300;

/** The names, for the tools by which one begins. */
export const listedInstance = (names: readonly string[]) => z.enum(names);

/** Short: every tool has it, and every client pays for each of its tokens. */
export function instanceArgument(names: readonly string[]): z.ZodType<string> {
  return names.join("").length <= MAX_LISTED_CHARACTERS
    ? listedInstance(names).describe("Which n8n")
    : z.string().describe("Which n8n, as trace_request names it");
}

export interface TakenInstance {
  /** Undefined when none was named. */
  readonly instance: string | undefined;
  /** The other arguments, which a tool for one n8n takes. */
  readonly others: unknown;
}

/** @throws ObserverError `INSTANCE_NOT_FOUND` */
export function takeInstance(args: unknown, names: readonly string[]): TakenInstance {
  // What is no object is refused by the tool, which says what it takes.
  if (!isObject(args)) return { instance: undefined, others: args };
  const { instance, ...others } = args;
  if (instance === undefined) return { instance, others };
  if (typeof instance === "string" && names.includes(instance)) return { instance, others };
  const list = names.join(", ");
  throw new ObserverError("INSTANCE_NOT_FOUND", "There is no n8n of this name here.", {
    field: "instance",
    expected: `one of: ${list}`,
    candidates: nearestNames(typeof instance === "string" ? instance : "", names, 3),
    solution: `Call again with one of these as instance: ${list}.`,
  });
}

export function instanceMissing(tool: string, names: readonly string[]): ObserverError {
  const list = names.join(", ");
  return new ObserverError("VALIDATION_ERROR", `${tool} needs instance: there are several n8n instances.`, {
    field: "instance",
    expected: `one of: ${list}`,
    solution: `Call again with one of these as instance: ${list}. An id means something in its own n8n alone; trace_request without instance asks all of them, and says which has it.`,
  });
}

/** For the activity log. */
export const ASKS_ALL: AskedId = { as: "instance", value: ALL_INSTANCES };
