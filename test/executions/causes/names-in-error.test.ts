/** Names that an error shares with its node's parameters. Everybody is shown them, so no other word may count as one. */
import { expect, test } from "vitest";
import { namesInError } from "../../../src/executions/causes/names-in-error.ts";
import { nodeOf } from "../../support/workflow-builder.ts";

type Parameters = { [name: string]: string };
const namesIn = (message: string, parameters: Parameters, more: object = {}): string[] =>
  namesInError({ message, ...more }, nodeOf({ name: "Insert", type: "n8n-nodes-base.postgres", parameters }));

const COLUMNS = { columns: "due_date, order_id, Amount" };

test.each<[string, string, Parameters, string[]]>([
  ["a name in quotation marks", 'column "Amount" does not exist', COLUMNS, ["Amount"]],
  ["a name in escaped quotation marks", 'column \\"Amount\\" does not exist', COLUMNS, ["Amount"]],
  ["names in other quotation marks", "Unknown `Amount` and “order_id”", COLUMNS, ["Amount", "order_id"]],
  ["the column of a database's answer", '{"column":"Amount","schema":"order_id"}', COLUMNS, ["Amount"]],
  ["a name with underscores", "no due_date given", COLUMNS, ["due_date"]],
  ["a repeated name once", "due_date: due_date is wrong", COLUMNS, ["due_date"]],
  ["at most two names", "due_date, order_id and 'Amount'", COLUMNS, ["due_date", "order_id"]],
  ["none of a customer's words", 'no user "Ada Lovelace" with key_of_ada', COLUMNS, []],
  ["no part of one of the node's words", 'no "date", no "order" and no order_i', COLUMNS, []],
  ["a whole word that also occurs as part of another", 'no "date"', { columns: "due_date, date" }, ["date"]],
  [
    "no word that every error has",
    'no "message" in "body", error_code',
    { x: "message body error_code" },
    [],
  ],
  ["the first and the last word of a parameter", 'no "a_b" and no "c_d"', { x: "a_b c_d" }, ["a_b", "c_d"]],
  ["nothing late in a long text", `${"x ".repeat(1_000)}due_date`, COLUMNS, []],
])("an error yields %s", (_what, message, parameters, names) => {
  expect(namesIn(message, parameters)).toEqual(names);
});

test("the last name of a field's path comes before the names in the text", () => {
  const messages = [`422 - ${JSON.stringify({ detail: [{ loc: ["body", "Amount"], msg: "no due_date" }] })}`];
  expect(namesIn("no order_id", COLUMNS, { messages })).toEqual(["Amount", "order_id"]);
});

test("without an error or a node there are no names", () => {
  expect([namesInError(undefined, undefined), namesInError({ message: "no due_date" }, undefined)]).toEqual([
    [],
    [],
  ]);
});

test("a setting of its model is one, by its name and by its value; of another node only the value is", () => {
  const model = nodeOf({
    name: "Model",
    type: "@n8n/n8n-nodes-langchain.lmChatOpenAi",
    parameters: { options: { temperature: 0.2, responseFormat: "json_object" } },
  });
  const error = { message: "'temperature' does not fit response_format 'json_object'" };
  expect(namesInError(error, undefined, model)).toEqual(["temperature", "json_object"]);
  expect(namesInError(error, model)).toEqual(["json_object"]);
});
