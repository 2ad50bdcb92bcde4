/**
 * Finds the wrong inputs of a tool: those that its answer names, or those that do not match their declaration. Only
 * names that the workflow itself declares are shown: any other name is payload. Pure.
 */
import { isReadObject, OMITTED_MEMBERS, Omitted, type ReadValue } from "../../../json/omitted.ts";
import { foundType } from "./standard-output.ts";

export interface DeclaredInput {
  readonly name: string;
  /** `string`, `number`, `boolean`, `array`, `object`, `json` (an object or an array) or `any`. */
  readonly type: string;
  readonly isRequired: boolean;
}

export interface WrongInput {
  /** A declared name, or `other`. */
  readonly field: string;
  /** `refused`: the answer names it, although it looks right. */
  readonly problem: "missing" | "empty" | "wrong_kind" | "refused";
}

/** Stands for names that are not shown. */
const OTHER_FIELD = "other";

const JSON_TYPE = "json";
const JSON_KINDS = ["object", "array"];
/** An input of another type, such as `any`, accepts every kind of value. */
const TYPED_KINDS = ["string", "number", "boolean", ...JSON_KINDS];

/**
 * Inputs that n8n itself refuses before a tool runs (n8n-workflow 2.40, `from-ai-parse-utils.ts`: generateZodSchema): it
 * accepts empty text, but not empty JSON.
 */
export function inputsThatN8nRefuses(declared: readonly DeclaredInput[], given: ReadValue | undefined) {
  const isJson = (field: string): boolean =>
    declared.some(({ name, type }) => name === field && type === JSON_TYPE);
  return mismatchedInputs(declared, given).filter(
    ({ field, problem }) => problem !== "empty" || isJson(field),
  );
}

/** Compares each declared input with the given one; empty if the given inputs are not an object. */
function mismatchedInputs(declared: readonly DeclaredInput[], given: ReadValue | undefined): WrongInput[] {
  if (!isReadObject(given) || OMITTED_MEMBERS in given) return [];
  return declared.flatMap(({ name, type, isRequired }) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const problem = problemOf(value, type, isRequired);
    return problem === undefined ? [] : [{ field: name, problem }];
  });
}

function problemOf(value: ReadValue | undefined, type: string, isRequired: boolean) {
  if (value === undefined || value === null) return isRequired ? "missing" : undefined;
  const kinds = type === JSON_TYPE ? JSON_KINDS : TYPED_KINDS.filter((kind) => kind === type);
  if (kinds.length > 0 && !kinds.includes(foundType(value))) return "wrong_kind";
  return isEmpty(value) && (isRequired || type === JSON_TYPE) ? "empty" : undefined;
}

function isEmpty(value: ReadValue): boolean {
  if (typeof value === "string") return value.trim() === "";
  if (value instanceof Omitted) return value.length === 0;
  return (Array.isArray(value) || isReadObject(value)) && Object.keys(value).length === 0;
}

/** The inputs that the answer names, each with its visible problem; if it names none, those that do not match. */
export function wrongInputs(
  named: readonly string[],
  declared: readonly DeclaredInput[],
  given: ReadValue | undefined,
): WrongInput[] {
  const mismatched = mismatchedInputs(declared, given);
  if (named.length === 0) return mismatched;
  const fields = new Set(named.map((name) => shownField(name, declared)));
  return [...fields].map(
    (field) => mismatched.find((each) => each.field === field) ?? { field, problem: "refused" },
  );
}

/** `payload.user_id` and `payload[0]` are about `payload`. */
function shownField(name: string, declared: readonly DeclaredInput[]): string {
  const names = declared.map((each) => each.name);
  if (names.includes(name)) return name;
  const root = name.split(/[.[]/)[0] ?? "";
  return names.includes(root) ? root : OTHER_FIELD;
}
