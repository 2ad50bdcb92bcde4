/** The place of a call among its user's calls: when it is left, and what it learns. */
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { type CallContext, defineTool } from "../../src/mcp/define-tool.ts";
import { type AdmittedCall, type CallOrigin, createCallRunner } from "../../src/mcp/run-call.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { WITHOUT_SPANS } from "../../src/platform/spans.ts";
import { readRedactionSettings } from "../../src/settings/index.ts";

interface Context extends CallContext, Pick<CallOrigin, "countBytes"> {}

/** Calls a tool with this `run`, from a place with these members. */
function callWith(
  run: (input: object, context: Context) => Promise<{ message: string; data: Record<string, unknown> }>,
  place: Partial<AdmittedCall>,
  { gone = new AbortController().signal, line = Promise.resolve() } = {},
) {
  const tool = defineTool({
    name: "count",
    title: "Count",
    description: "Counts its calls.",
    scope: "n8n:read",
    maxTokens: 1_000,
    audited: {},
    input: z.strictObject({}),
    output: z.looseObject({}),
    run,
  });
  const runner = createCallRunner({
    tools: [tool],
    createContext: ({ redaction, progress, pause, countBytes }) => ({
      clock: systemClock,
      ...redaction,
      progress,
      pause,
      countBytes,
    }),
    admit: async () => {
      await line;
      const nothing = { leave: () => {}, noteRead: () => {}, pause: async () => {}, giveWay: async () => {} };
      return { ...nothing, ...place };
    },
    ownSecrets: () => [],
    redaction: () => readRedactionSettings({}),
    audit: () => {},
    spans: WITHOUT_SPANS,
    digest: () => undefined,
  });
  const props = { userId: "anna", access: { kind: "all" } };
  return runner.run(
    "count",
    {},
    {
      authInfo: { token: "t", clientId: "c", scopes: ["n8n:read"], extra: { props } },
      url: "http://localhost/mcp",
      gone,
      progress: () => async () => {},
    },
  );
}

test("a call whose client leaves while it queues does not run, and gives its place back", async () => {
  const run = vi.fn(async () => ({ message: "Ran.", data: {} }));
  const line = Promise.withResolvers<void>();
  const leave = vi.fn();
  const client = new AbortController();
  const answer = callWith(run, { leave }, { gone: client.signal, line: line.promise });
  client.abort();
  line.resolve();
  expect(await answer).toMatchObject({ status: "error", data: { code: "INTERRUPTED" } });
  expect(run).not.toHaveBeenCalled();
  expect(leave).toHaveBeenCalled();
});

test("a place is told how many bytes n8n sends for the call", async () => {
  const noteRead = vi.fn();
  const read = async (_input: object, { countBytes }: Context) => {
    for (const bytes of [300, 40]) countBytes(bytes);
    return { message: "Read.", data: {} };
  };
  expect(await callWith(read, { noteRead })).toMatchObject({ status: "success" });
  expect(noteRead.mock.calls).toEqual([[300], [40]]);
});
