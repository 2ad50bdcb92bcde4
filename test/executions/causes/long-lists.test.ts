/** Only some items of a long list are read; statements about the list must still hold for all of it. */
import { expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { explain, sentencesOf } from "../../support/explain.ts";
import { throwing } from "../../support/failing-steps.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START = webhook({});
const list = (length: number, make: (index: number) => object) =>
  Array.from({ length }, (_, index) => make(index));
const get = (items: readonly object[]): Step => ({ name: "Get", type: `${BASE}httpRequest`, sent: [items] });
const said = (...steps: readonly Step[]): string => sentencesOf(explain(steppedExecution(steps)));
const THIRD_LACKS = list(100, (id) => (id === 2 ? { id } : { id, user: { name: "Ann" } }));

test("the item that lacks a field is counted among all that were sent", () => {
  const reader = throwing(
    "return $input.all().map((item) => ({ json: { name: item.json.user.name } }))",
    "Cannot read properties of undefined (reading 'name')",
  );
  expect(said(START, get(THIRD_LACKS), reader)).toContain("item 3 of 100");
});

test("an item unlike the others is counted among those that were read", () => {
  const jsCode = "return $input.all().map((item) => ({ json: { user: item.json.user } }))";
  const reader = throwing(jsCode, "Boom", { name: "Error" });
  expect(said(START, get(THIRD_LACKS), reader)).toContain("not in item 3 of the first 25 of 100 that");
});

test("a field missing in the items read is not said to be missing in all", () => {
  const items = list(60, (id) => (id < 30 ? { id } : { id, company: "Acme" }));
  const rows = [{ id: "a", name: "firm", value: "={{ $json.company }}", type: "string" }];
  const set: Step = {
    name: "Edit",
    type: `${BASE}set`,
    parameters: { assignments: { assignments: rows } },
    sent: [items.map((item) => ("company" in item ? { firm: "Acme" } : { firm: null }))],
  };
  expect(said(START, get(items), set)).toContain('is in none of the first 25 items that "Get" sent');
});
