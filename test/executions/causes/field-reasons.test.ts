/** What error bodies of various services say of single fields; and bodies that say nothing of a field. */
import { expect, test } from "vitest";
import { fieldReasonsOf } from "../../../src/executions/causes/field-reasons.ts";
import { saidIn } from "../../../src/executions/causes/said.ts";

/** A response body as n8n stores it. */
const answered = (body: unknown, description = "It is not valid.") => ({
  message: "Your request is invalid or could not be processed by the service",
  description,
  messages: [`422 - ${JSON.stringify(JSON.stringify(body))}`],
});
const reasonsIn = (body: unknown): string[] =>
  fieldReasonsOf(answered(body)).map(({ field, reason }) => `${field}: ${reason}`);

test.each<[string, unknown, string[]]>([
  ["an object from names to lists", { errors: { email: ["is taken"] } }, ["email: is taken"]],
  [
    "an object from names to texts",
    { errorMessages: [], errors: { field_1: "is not on the screen" } },
    ["field_1: is not on the screen"],
  ],
  [
    "an object from names to objects, down to a sentence",
    { errors: { records: { "2": { sku: ["is not known"] } }, trace: { id: "4f" } } },
    ["records.2.sku: is not known"],
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
    "deeply nested rows",
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
])("reasons are read from %s", (_form, body, expected) => {
  expect(reasonsIn(body)).toEqual(expected);
});

test.each<[string, unknown]>([
  ["an error with a class and a message", { name: "ValidationError", message: "It is not valid." }],
  ["a list of messages", { errors: ["Not valid.", "Too long."] }],
  ["a sentence in place of a name", { error: { field: "the field that you sent", message: "Not valid." } }],
  ["a text", "Not valid."],
  [
    "what was sent, repeated",
    { error: "Bad order", request: { contact: { name: "Ada", description: "old friend" } } },
  ],
  ["the address in an answer of Spring", { timestamp: "2026", error: "Not Found", path: "/orders" }],
  ["the address beside a time", { error: { timestamp: "2026", message: "No.", path: "/orders" } }],
  ["the service that answers", { source: "orders", message: "Not valid." }],
  ["a list of errors with a class", [{ name: "ValidationError", message: "It is not valid." }]],
  ["a message among errors", { errors: { message: "It is not valid." } }],
  ["a place without a reason", { error: { param: "to" } }],
  ["a blank reason", { errors: { email: " " } }],
])("%s names no field", (_form, body) => {
  expect(reasonsIn(body)).toEqual([]);
});

test("reasons are read from a body that is serialized only once", () => {
  const messages = [`422 - ${JSON.stringify({ errors: { email: ["is taken"] } })}`];
  expect(fieldReasonsOf({ message: "", messages })).toEqual([{ field: "email", reason: "is taken" }]);
});

test("the description of an OAuth error is part of what was said", () => {
  const body = { error: "invalid_grant", error_description: "Token was revoked." };
  expect(saidIn(answered(body, "invalid_grant"))).toBe("invalid_grant | Token was revoked.");
});

test("the reasons of fields come before the general message, each once", () => {
  const body = {
    errors: [
      { param: "to", message: "It is not valid." },
      { param: "to", message: "It is not valid." },
    ],
  };
  expect(saidIn(answered(body))).toBe("to: It is not valid.");
  expect(saidIn(answered(body, "Two mistakes."))).toBe("to: It is not valid. | Two mistakes.");
});

test("JSON in a text that is no response body names no field", () => {
  const text = JSON.stringify({ errors: { email: ["is taken"] } });
  for (const message of [text, `1422 - ${text}`]) expect(fieldReasonsOf({ message })).toEqual([]);
});

test("a field's name has at most a hundred characters", () => {
  const placeOf = (characters: number) => reasonsIn([{ param: "p".repeat(characters), msg: "no" }]);
  expect([0, 1, 100, 101].map((characters) => placeOf(characters).length)).toEqual([0, 1, 1, 0]);
});

test("a very deep or long body is read in part", () => {
  const nested = Array.from({ length: 40 }).reduce<unknown>((below) => ({ errors: [below] }), {
    param: "a",
    message: "b",
  });
  expect(reasonsIn(nested)).toEqual([]);
  const below = (depth: number): unknown => (depth === 0 ? { param: "to", msg: "no" } : [below(depth - 1)]);
  expect([6, 7].map((depth) => reasonsIn(below(depth)))).toEqual([["to: no"], []]);
  const many = { errors: Array.from({ length: 1_000 }, (_, at) => ({ param: `p${at}`, message: "no" })) };
  expect(reasonsIn(many)).toHaveLength(3);
  const late = { param: "to", message: "no" };
  expect(reasonsIn([...Array.from({ length: 20 }, () => ({})), late])).toEqual([]);
  expect(reasonsIn({ ...Object.fromEntries(many.errors.map((one) => [one.param, {}])), late })).toEqual([]);
});

test("what stands beside an error's reason is no field, such as where it was thrown", () => {
  const thrown = { exception: { stacktrace: ["GraphQLError: Cannot query it", "at a.js"] } };
  expect(reasonsIn({ errors: [{ message: "Cannot query it", extensions: thrown }] })).toEqual([]);
});
