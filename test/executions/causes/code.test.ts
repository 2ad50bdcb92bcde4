/** Errors in code: its own, those of what it calls, and those of what it returns. */
import { describe, expect, test } from "vitest";
import { webhook } from "../../support/everyday-steps.ts";
import { findingOn } from "../../support/explain.ts";
import { throwing } from "../../support/failing-steps.ts";
import type { Step } from "../../support/stepped-execution.ts";

describe("an error is not taken for the code's own because the code throws elsewhere", () => {
  const guard = "if (!$input.first().json.id) throw new Error('no id');\n";

  test("for an invalid date", () => {
    const text = `${guard}return [{ json: { day: new Date($input.first().json.date).toISOString() } }];`;
    const use = throwing(text, "Invalid time value", { name: "RangeError", line: 2 });
    expect(findingOn(webhook({ id: 1, date: "31.12.2026" }), use).cause).toBe("invalid_request");
  });

  test("for an error of a service", () => {
    const text = `${guard}const answer = await this.helpers.httpRequest({ url: 'https://shop.example/' + $input.first().json.id });\nreturn [{ json: answer }];`;
    const use = throwing(text, "Request failed with status code 404", { name: "AxiosError", line: 2 });
    expect(findingOn(webhook({ id: 1 }), use).cause).toBe("http_status");
  });
});

test("an error of a custom class is the code's own, although its line is the constructor's", () => {
  const text =
    "class Refused extends Error {\n  constructor() {\n    super('no');\n  }\n}\nthrow new Refused();";
  expect(findingOn(webhook({}), throwing(text, "no", { name: "Error", line: 3 })).cause).toBe("code_threw");
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
  const reader = throwing(
    "return [{ json: { city: $input.first().json.address.city } }]",
    "Cannot read properties of undefined (reading 'city')",
  );
  expect(findingOn(webhook({}), ask, reader).node).toBe("Ask");
});
