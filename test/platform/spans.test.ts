/** A span contains only names and attributes of the table, numbers and words; and nothing depends on spans. */
import { expect, test } from "vitest";
import { ObserverError } from "../../src/platform/errors.ts";
import {
  createSpans,
  outcomeOfError,
  type PlatformTracing,
  SPANS,
  WITHOUT_SPANS,
} from "../../src/platform/spans.ts";

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, string | number>;
}

function recording(isTraced = true): { tracing: PlatformTracing; spans: Recorded[] } {
  const spans: Recorded[] = [];
  const tracing: PlatformTracing = {
    enterSpan(name, run) {
      const attributes: Record<string, string | number> = {};
      spans.push({ name, attributes });
      return run({ isTraced, setAttribute: (key, value) => Object.assign(attributes, { [key]: value }) });
    },
  };
  return { tracing, spans };
}

const set = async (attributes: Record<string, unknown>): Promise<Recorded> => {
  const { tracing, spans } = recording();
  await createSpans(tracing).enter("n8n_observer.tool", async (span) => span.set(attributes));
  const [only] = spans;
  if (only === undefined) throw new Error("There is no span.");
  return only;
};

test("an attribute of the table is set if it is a number or a word", async () => {
  expect(await set({ "tool.name": "trace_request", "call.bytes_read": 12 })).toEqual({
    name: "n8n_observer.tool",
    attributes: { "tool.name": "trace_request", "call.bytes_read": 12 },
  });
});

test("nothing is set in an untraced request", async () => {
  const { tracing, spans } = recording(false);
  await createSpans(tracing).enter("n8n_observer.tool", async (span) => span.set({ "call.bytes_read": 12 }));
  expect(spans).toEqual([{ name: "n8n_observer.tool", attributes: {} }]);
});

test("an attribute that is not in the span's row is not set", async () => {
  expect((await set({ "n8n.scope": "execution:list", url: "x", toString: "x" })).attributes).toEqual({});
});

test.each([
  "Payment of 100 € failed",
  "https://n8n.example/api/v1/executions?cursor=1",
  "?state=abc",
  "req 100",
  "",
  "x".repeat(65),
  undefined,
  null,
  {},
  Number.NaN,
])("a value that is no word is omitted: %s", async (value) => {
  expect((await set({ "tool.name": value })).attributes).toEqual({});
});

test("results and errors pass through, with spans and without", async () => {
  for (const spans of [WITHOUT_SPANS, createSpans(undefined), createSpans(recording().tracing)]) {
    expect(await spans.enter("n8n_observer.index", async () => 42)).toBe(42);
    const failing = spans.enter("n8n_observer.index", async () => {
      throw new TypeError("thrown");
    });
    await expect(failing).rejects.toThrow("thrown");
  }
});

test("a span has an error's code, never its text", () => {
  const known = new ObserverError("N8N_UNREACHABLE", "n8n.example does not answer", { solution: "Wait." });
  expect(outcomeOfError(known)).toBe("N8N_UNREACHABLE");
  expect(outcomeOfError(new TypeError("secret"))).toBe("TOOL_EXECUTION_FAILED");
});

test("names and attributes follow OpenTelemetry's conventions", () => {
  const names = Object.entries(SPANS).flatMap(([name, { attributes }]) => [name, ...Object.keys(attributes)]);
  expect(names.filter((name) => !/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/.test(name))).toEqual([]);
});
