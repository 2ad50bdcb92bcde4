/** A call whose client goes away while it stands in line. */
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { defineTool } from "../../src/mcp/define-tool.ts";
import { createCallRunner } from "../../src/mcp/run-call.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { WITHOUT_SPANS } from "../../src/platform/spans.ts";
import { readRedactionSettings } from "../../src/settings/index.ts";

test("is not run, and gives its place back", async () => {
  const run = vi.fn(async () => ({ message: "Ran.", data: {} }));
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
  const line = Promise.withResolvers<void>();
  const leave = vi.fn();
  const runner = createCallRunner({
    tools: [tool],
    createContext: ({ redaction, progress, pause }) => ({
      clock: systemClock,
      ...redaction,
      progress,
      pause,
    }),
    admit: async () => {
      await line.promise;
      return { leave, pause: async () => {}, giveWay: async () => {} };
    },
    ownSecrets: () => [],
    redaction: () => readRedactionSettings({}),
    audit: () => {},
    spans: WITHOUT_SPANS,
    digest: () => undefined,
  });
  const client = new AbortController();
  const props = { userId: "anna", access: { kind: "all" } };
  const answer = runner.run(
    "count",
    {},
    {
      authInfo: { token: "t", clientId: "c", scopes: ["n8n:read"], extra: { props } },
      url: "http://localhost/mcp",
      gone: client.signal,
      progress: () => async () => {},
    },
  );
  client.abort();
  line.resolve();
  expect(await answer).toMatchObject({ status: "error", data: { code: "INTERRUPTED" } });
  expect(run).not.toHaveBeenCalled();
  expect(leave).toHaveBeenCalled();
});
