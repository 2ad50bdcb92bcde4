import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

test("the worker answers", async () => {
  const response = await exports.default.fetch("http://localhost/");
  expect(await response.text()).toBe("n8n-observer");
});
