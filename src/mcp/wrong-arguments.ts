/** Explains wrong arguments and what to do next. Never repeats a value, and truncates unknown names. Pure. */
import * as z from "zod";
import { ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import type { Tool } from "./define-tool.ts";

/** Maximum length of an unknown name, which is the caller's text. */
const MAX_NAME = 80;
const MAX_ISSUES = 10;
const MAX_IN_MESSAGE = 3;
const MAX_CANDIDATES = 3;

interface Issue {
  /** Dotted path; empty when the arguments as a whole are wrong. */
  readonly field: string;
  readonly problem: string;
  readonly isUnknown: boolean;
}

/** JSON's names of types, with articles. */
const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

export function wrongArguments(tool: Tool, args: unknown, error: z.ZodError): ObserverError {
  const issues = error.issues.flatMap((issue) => issuesOf(issue, args));
  const [first = { field: "", problem: "they do not match the schema", isUnknown: false }] = issues;
  const problems = issues.slice(0, MAX_IN_MESSAGE).map(({ field, problem }) => named(field, problem));
  return new ObserverError("VALIDATION_ERROR", `Wrong arguments: ${problems.join("; ")}.`, {
    ...(first.field === "" ? {} : { field: first.field }),
    expected: expectedOf(tool, first.field),
    ...adviceFor(tool, issues),
    ...(issues.length > 1
      ? { issues: issues.slice(0, MAX_ISSUES).map(({ field, problem }) => ({ field, problem })) }
      : {}),
  });
}

const named = (field: string, problem: string): string => (field === "" ? problem : `${field}: ${problem}`);

function issuesOf(issue: z.core.$ZodIssue, args: unknown): Issue[] {
  const fieldOf = (path: readonly PropertyKey[]): string => path.map(String).join(".").slice(0, MAX_NAME);
  if (issue.code !== "unrecognized_keys")
    return [{ field: fieldOf(issue.path), problem: problemOf(issue, args), isUnknown: false }];
  return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
    field: fieldOf([...issue.path, key]),
    problem: "there is no such argument",
    isUnknown: true,
  }));
}

/** Replaces zod's messages, which quote the value. */
function problemOf(issue: z.core.$ZodIssue, args: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return isMissing(issue.path, args)
        ? "is missing"
        : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of: ${issue.values.map(String).join(", ")}`;
    default:
      return issue.message;
  }
}

const isMissing = ([name, ...below]: readonly PropertyKey[], args: unknown): boolean =>
  name !== undefined && below.length === 0 && isObject(args) && !Object.hasOwn(args, name);

const argumentNames = (tool: Tool): string[] => Object.keys(tool.input.shape);

/** The description of the argument, which says where to get the value; otherwise the names of all arguments. */
function expectedOf(tool: Tool, field: string): string {
  const name = field.split(".")[0] ?? "";
  const schema = Object.hasOwn(tool.input.shape, name) ? tool.input.shape[name] : undefined;
  if (schema instanceof z.ZodType && schema.description !== undefined) return schema.description;
  const names = argumentNames(tool);
  return names.length === 0 ? "no arguments" : `an object with: ${names.join(", ")}`;
}

function adviceFor(tool: Tool, issues: readonly Issue[]): { candidates?: string[]; solution: string } {
  const unknown = issues.find(({ isUnknown }) => isUnknown);
  if (unknown === undefined) return { solution: "Correct the argument and call again." };
  const names = argumentNames(tool);
  const candidates = nearestNames(unknown.field, names, MAX_CANDIDATES);
  const [nearest] = candidates;
  if (nearest === undefined) return { solution: `${tool.name} takes no arguments: call it again without.` };
  return {
    candidates,
    solution: `${tool.name} takes ${names.join(", ")}. Nearest to the one that does not exist is ${nearest}: call again with that, or without.`,
  };
}
