/** Of a long list only some items are read: what is said of the whole list holds for all of it. */
import { expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{}]] };
const list = (length: number, make: (index: number) => object) =>
  Array.from({ length }, (_, index) => make(index));
const get = (items: readonly object[]): Step => ({ name: "Get", type: `${BASE}httpRequest`, sent: [items] });
const use = (jsCode: string, message: string, description: string): Step => ({
  name: "Use",
  type: `${BASE}code`,
  parameters: { jsCode },
  error: { name: "WrappedExecutionError", message: `${message} [line 1]`, description, lineNumber: 1 },
});
const said = (...steps: readonly Step[]): string => {
  const { finding, evidence } = explain(steppedExecution(steps));
  return [finding, ...evidence].map(({ sentence }) => sentence).join("\n");
};
const THIRD_LACKS = list(100, (id) => (id === 2 ? { id } : { id, user: { name: "Ann" } }));

test("the item that lacks a field is one of all that were sent", () => {
  const reader = use(
    "return $input.all().map((item) => ({ json: { name: item.json.user.name } }))",
    "Cannot read properties of undefined (reading 'name')",
    "TypeError",
  );
  expect(said(START, get(THIRD_LACKS), reader)).toContain("item 3 of 100");
});

test("an odd item is one of those that are known", () => {
  const reader = use(
    "return $input.all().map((item) => ({ json: { user: item.json.user } }))",
    "Boom",
    "Error",
  );
  expect(said(START, get(THIRD_LACKS), reader)).toContain("not in item 3 of the first 25 of 100 that");
});

test("a field that the known items lack may be in later ones", () => {
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
