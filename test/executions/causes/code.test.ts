/** Errors in code: its own, those of what it calls, and those of what it returns. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const start = (json: object): Step => ({ name: "Start", type: `${BASE}webhook`, sent: [[json]] });
const told = (...steps: readonly Step[]) => explain(steppedExecution(steps)).finding;
const code = (jsCode: string, message: string, lineNumber: number, description: string): Step => ({
  name: "Use",
  type: `${BASE}code`,
  parameters: { jsCode },
  error: {
    name: "WrappedExecutionError",
    message: `${message} [line ${lineNumber}]`,
    description,
    lineNumber,
  },
});

describe("an error is not taken for the code's own because the code throws elsewhere", () => {
  const guard = "if (!$input.first().json.id) throw new Error('no id');\n";

  test("for an invalid date", () => {
    const text = `${guard}return [{ json: { day: new Date($input.first().json.date).toISOString() } }];`;
    const use = code(text, "Invalid time value", 2, "RangeError");
    expect(told(start({ id: 1, date: "31.12.2026" }), use).cause).toBe("invalid_request");
  });

  test("for an error of a service", () => {
    const text = `${guard}const answer = await this.helpers.httpRequest({ url: 'https://shop.example/' + $input.first().json.id });\nreturn [{ json: answer }];`;
    const use = code(text, "Request failed with status code 404", 2, "AxiosError");
    expect(told(start({ id: 1 }), use).cause).toBe("http_status");
  });
});

test("an error of a custom class is the code's own, although its line is the constructor's", () => {
  const text =
    "class Refused extends Error {\n  constructor() {\n    super('no');\n  }\n}\nthrow new Refused();";
  expect(told(start({}), code(text, "no", 3, "Error")).cause).toBe("code_threw");
});

test("a field that code sends to a service is not taken for one that it returns", () => {
  const ask: Step = {
    name: "Ask",
    parameters: {
      jsCode:
        "const body = { address: $input.first().json.address };\nconst answer = await this.helpers.httpRequest({ url: 'https://shop.example', body });\nreturn [{ json: { id: answer.id, address: answer.address } }];",
    },
    sent: [[{ id: 5 }]],
  };
  const reader = code(
    "return [{ json: { city: $input.first().json.address.city } }]",
    "Cannot read properties of undefined (reading 'city')",
    1,
    "TypeError",
  );
  expect(told(start({}), ask, reader).node).toBe("Ask");
});
