/** What error bodies say of single fields, in the forms of several services; and bodies that say nothing of a field. */
import { expect, test } from "vitest";
import { fieldReasonsOf } from "../../../src/executions/causes/field-reasons.ts";
import { saidIn } from "../../../src/executions/causes/said.ts";

/** As n8n keeps the body of an answer. */
const answered = (body: unknown, description = "It is not valid.") => ({
  message: "Your request is invalid or could not be processed by the service",
  description,
  messages: [`422 - ${JSON.stringify(JSON.stringify(body))}`],
});
const said = (body: unknown): string[] =>
  fieldReasonsOf(answered(body)).map(({ field, reason }) => `${field}: ${reason}`);

test.each<[string, unknown, string[]]>([
  ["an object from names to lists", { errors: { email: ["is taken"] } }, ["email: is taken"]],
  [
    "an object from names to texts",
    { errorMessages: [], errors: { field_1: "is not on the screen" } },
    ["field_1: is not on the screen"],
  ],
  [
    "rows with a path of names",
    { detail: [{ loc: ["body", "due_date"], msg: "field required" }] },
    ["body.due_date: field required"],
  ],
  [
    "rows with a pointer",
    { errors: [{ source: { pointer: "/data/attributes/quantity" }, detail: "is 0" }] },
    ["/data/attributes/quantity: is 0"],
  ],
  [
    "rows deep below",
    {
      error: {
        message: "Invalid.",
        details: [{ fieldViolations: [{ field: "event.end", description: "is before the start" }] }],
      },
    },
    ["event.end: is before the start"],
  ],
  [
    "rows with a name",
    { title: "Not valid.", "invalid-params": [{ name: "creditor.iban", reason: "checksum" }] },
    ["creditor.iban: checksum"],
  ],
  [
    "one parameter",
    { error: { code: "x", message: "You passed an empty string.", param: "items[0][price]" } },
    ["items[0][price]: You passed an empty string."],
  ],
  ["rows with a parameter", [{ source: { parameter: "page" }, detail: "is 0" }], ["page: is 0"]],
  ...["field", "param", "parameter", "pointer", "loc", "path", "property", "source", "attribute"].map(
    (name): [string, unknown, string[]] => [`a place in ${name}`, [{ [name]: "to", msg: "no" }], ["to: no"]],
  ),
  ...["message", "reason", "description", "detail", "msg", "error"].map(
    (name): [string, unknown, string[]] => [
      `a reason in ${name}`,
      [{ param: "to", [name]: "no" }],
      ["to: no"],
    ],
  ),
])("%s", (_form, body, expected) => {
  expect(said(body)).toEqual(expected);
});

test.each<[string, unknown]>([
  ["an error with a class and a message", { name: "ValidationError", message: "It is not valid." }],
  ["a list of messages", { errors: ["Not valid.", "Too long."] }],
  ["a sentence in place of a name", { error: { field: "the field that you sent", message: "Not valid." } }],
  ["a text", "Not valid."],
  ["a list of errors with a class", [{ name: "ValidationError", message: "It is not valid." }]],
  ["a message among errors", { errors: { message: "It is not valid." } }],
  ["a place without a reason", { error: { param: "to" } }],
  ["a blank reason", { errors: { email: " " } }],
])("%s names no field", (_form, body) => {
  expect(said(body)).toEqual([]);
});

test("a body that is JSON once names its fields, too", () => {
  const messages = [`422 - ${JSON.stringify({ errors: { email: ["is taken"] } })}`];
  expect(fieldReasonsOf({ message: "", messages })).toEqual([{ field: "email", reason: "is taken" }]);
});

test("of an OAuth error, its description is said", () => {
  const body = { error: "invalid_grant", error_description: "Token was revoked." };
  expect(saidIn(answered(body, "invalid_grant"))).toBe("invalid_grant | Token was revoked.");
});

test("the reasons come before what is said of all, and each is said once", () => {
  const body = {
    errors: [
      { param: "to", message: "It is not valid." },
      { param: "to", message: "It is not valid." },
    ],
  };
  expect(saidIn(answered(body))).toBe("to: It is not valid.");
  expect(saidIn(answered(body, "Two mistakes."))).toBe("to: It is not valid. | Two mistakes.");
});

test("a text that is no body says nothing of a field, whatever JSON it is", () => {
  const text = JSON.stringify({ errors: { email: ["is taken"] } });
  for (const message of [text, `1422 - ${text}`]) expect(fieldReasonsOf({ message })).toEqual([]);
});

test("a place is a name of a hundred characters at most", () => {
  const placeOf = (characters: number) => said([{ param: "p".repeat(characters), msg: "no" }]);
  expect([0, 1, 100, 101].map((characters) => placeOf(characters).length)).toEqual([0, 1, 1, 0]);
});

test("a body without end is read in part", () => {
  const nested = Array.from({ length: 40 }).reduce<unknown>((below) => ({ errors: [below] }), {
    param: "a",
    message: "b",
  });
  expect(said(nested)).toEqual([]);
  const below = (depth: number): unknown => (depth === 0 ? { param: "to", msg: "no" } : [below(depth - 1)]);
  expect([6, 7].map((depth) => said(below(depth)))).toEqual([["to: no"], []]);
  const many = { errors: Array.from({ length: 1_000 }, (_, at) => ({ param: `p${at}`, message: "no" })) };
  expect(said(many)).toHaveLength(3);
  const late = { param: "to", message: "no" };
  expect(said([...Array.from({ length: 20 }, () => ({})), late])).toEqual([]);
  expect(said({ ...Object.fromEntries(many.errors.map((one) => [one.param, {}])), late })).toEqual([]);
});
