/** Errors of JavaScript in a Code node: what the engine's message does not say is not made up. */
import { describe, expect, test } from "vitest";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const start = (json: object): Step => ({ name: "Start", type: `${BASE}webhook`, sent: [[json]] });
const told = (...steps: readonly Step[]) => explain(steppedExecution(steps)).finding;
const code = (
  jsCode: string,
  message: string,
  lineNumber: number,
  description: string,
  mode?: string,
): Step => ({
  name: "Use",
  type: `${BASE}code`,
  parameters: { ...(mode === undefined ? {} : { mode }), jsCode },
  error: {
    name: "WrappedExecutionError",
    message: `${message} [line ${lineNumber}]`,
    description,
    lineNumber,
  },
});

describe("a throw elsewhere in the code does not make another error its own", () => {
  const guard = "if (!$input.first().json.id) throw new Error('no id');\n";

  test("a date that is none", () => {
    const text = `${guard}return [{ json: { day: new Date($input.first().json.date).toISOString() } }];`;
    const use = code(text, "Invalid time value", 2, "RangeError");
    expect(told(start({ id: 1, date: "31.12.2026" }), use).cause).toBe("invalid_request");
  });

  test("an answer of a service", () => {
    const text = `${guard}const answer = await this.helpers.httpRequest({ url: 'https://shop.example/' + $input.first().json.id });\nreturn [{ json: answer }];`;
    const use = code(text, "Request failed with status code 404", 2, "AxiosError");
    expect(told(start({ id: 1 }), use).cause).toBe("http_status");
  });
});

test.each([false, {}, 0])("a service that answers error: %j had not failed", (error) => {
  const get: Step = {
    name: "Get",
    type: `${BASE}httpRequest`,
    settings: { onError: "continueRegularOutput" },
    sent: [[{ error, data: [] }]],
  };
  const use = code(
    "return [{ json: { name: $input.first().json.user.name } }];",
    "Cannot read properties of undefined (reading 'name')",
    1,
    "TypeError",
  );
  expect(told(start({}), get, use).sentence).not.toContain("had failed itself");
});

