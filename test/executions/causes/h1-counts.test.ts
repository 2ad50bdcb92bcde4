/** Of a long list only some items are read: what is said of the whole list holds for all of it. */
import { expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { recorded } from "../../support/recorded-runs.ts";
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
test("of an error output the items are counted that the node was given, not those that it made", () => {
  const nodes = [
    { name: "Start", type: `${BASE}webhook` },
    { name: "Get", type: `${BASE}httpRequest`, onError: "continueErrorOutput" },
    { name: "Ok", type: `${BASE}noOp` },
    { name: "Tell", type: `${BASE}noOp` },
  ];
  const refused = {
    page: 2,
    error: { message: "404", name: "AxiosError", code: "ERR_BAD_REQUEST", status: 404 },
  };
  const made = list(20, (id) => ({ json: { id }, pairedItem: { item: id < 10 ? 0 : 2 } }));
  const execution = recorded({
    nodes,
    links: [
      ["Start", "Get"],
      ["Get", "Ok", 0],
      ["Get", "Tell", 1],
    ],
    runs: [
      { node: "Start", out: [[{ page: 1 }, { page: 2 }, { page: 3 }]] },
      { node: "Get", from: [["Start"]], out: [made, [{ json: refused, pairedItem: { item: 1 } }]] },
      { node: "Ok", from: [["Get"]], out: [made] },
      { node: "Tell", from: [["Get", 1]], out: [[{ json: refused, pairedItem: { item: 0 } }]] },
    ],
  });
  expect(explain(execution).finding.sentence).not.toContain("1 of 21 items");
});

test("what code sends to a service is not what it returns", () => {
  const ask: Step = {
    name: "Ask",
    parameters: {
      jsCode:
        "const body = { address: $input.first().json.address };\nconst answer = await this.helpers.httpRequest({ url: 'https://shop.example', body });\nreturn [{ json: { id: answer.id, address: answer.address } }];",
    },
    sent: [[{ id: 5 }]],
  };
  const reader = use(
    "return [{ json: { city: $input.first().json.address.city } }]",
    "Cannot read properties of undefined (reading 'city')",
    "TypeError",
  );
  expect(explain(steppedExecution([START, ask, reader])).finding.node).toBe("Ask");
});
