/** Names that an error has in common with its node: everybody is shown them, so no other word of the error may be one. */
import { expect, test } from "vitest";
import { namesInError } from "../../../src/executions/causes/names-in-error.ts";
import { nodeOf } from "../../support/workflow-builder.ts";

type Parameters = { [name: string]: string };
const namesIn = (message: string, parameters: Parameters, more: object = {}): string[] =>
  namesInError({ message, ...more }, nodeOf({ name: "Insert", type: "n8n-nodes-base.postgres", parameters }));

const COLUMNS = { columns: "due_date, order_id, Amount" };

test.each<[string, string, Parameters, string[]]>([
  ["in quotation marks", 'column "Amount" does not exist', COLUMNS, ["Amount"]],
  ["in marks that are escaped", 'column \\"Amount\\" does not exist', COLUMNS, ["Amount"]],
  ["in marks of other kinds", "Unknown `Amount` and “order_id”", COLUMNS, ["Amount", "order_id"]],
  ["joined by underscores", "no due_date given", COLUMNS, ["due_date"]],
  ["once, however often it is said", "due_date: due_date is wrong", COLUMNS, ["due_date"]],
  ["two at most", "due_date, order_id and 'Amount'", COLUMNS, ["due_date", "order_id"]],
  ["not a customer's words", 'no user "Ada Lovelace" with key_of_ada', COLUMNS, []],
  ["not a part of a word of the node", 'no "date", no "order" and no order_i', COLUMNS, []],
  ["a word of it after a part that is none", 'no "date"', { columns: "due_date, date" }, ["date"]],
  ["not what every error has", 'no "message" in "body", error_code', { x: "message body error_code" }, []],
  ["a first word, and a last", 'no "a_b" and no "c_d"', { x: "a_b c_d" }, ["a_b", "c_d"]],
  ["not what comes late in a long text", `${"x ".repeat(1_000)}due_date`, COLUMNS, []],
])("%s", (_what, message, parameters, names) => {
  expect(namesIn(message, parameters)).toEqual(names);
});

test("of a field's path, the last name comes before all that the text says", () => {
  const messages = [`422 - ${JSON.stringify({ detail: [{ loc: ["body", "Amount"], msg: "no due_date" }] })}`];
  expect(namesIn("no order_id", COLUMNS, { messages })).toEqual(["Amount", "order_id"]);
});

test("without an error or a node there are none", () => {
  expect([namesInError(undefined, undefined), namesInError({ message: "no due_date" }, undefined)]).toEqual([
    [],
    [],
  ]);
});
