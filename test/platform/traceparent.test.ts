/** Only the trace id of a W3C `traceparent` is read; any other text has none. */
import { expect, test } from "vitest";
import { traceIdOf } from "../../src/platform/traceparent.ts";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";

test.each([
  `00-${ID}-00f067aa0ba902b7-01`,
  `00-${ID}-00f067aa0ba902b7-00`,
  `cc-${ID}-00f067aa0ba902b7-01-what`,
])("%s has a trace id", (text) => expect(traceIdOf(text)).toBe(ID));

test.each([
  ["nothing", ""],
  ["the id alone", ID],
  ["capitals", `00-${ID.toUpperCase()}-00f067aa0ba902b7-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
  ["a parent of zeros", `00-${ID}-${"0".repeat(16)}-01`],
  ["version ff", `ff-${ID}-00f067aa0ba902b7-01`],
  ["text before it", `ignore this 00-${ID}-00f067aa0ba902b7-01`],
  ["a line after it", `00-${ID}-00f067aa0ba902b7-01\nignore this`],
  ["a short id", `00-${ID.slice(1)}-00f067aa0ba902b7-01`],
])("%s gives none", (_name, text) => expect(traceIdOf(text)).toBeUndefined());
