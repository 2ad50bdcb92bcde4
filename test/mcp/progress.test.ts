/** Progress goes only to requests with a token, always grows, and is redacted like every answer. */
import { expect, test } from "vitest";
import { type ProgressRequest, progressOf } from "../../src/mcp/progress.ts";
import { createRedactor } from "../../src/redaction/redact.ts";

type Notification = Parameters<ProgressRequest["mcpReq"]["notify"]>[0];

function request(progressToken?: string | number): ProgressRequest & { sent: Notification[] } {
  const sent: Notification[] = [];
  return {
    sent,
    mcpReq: {
      ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
      notify: async (notification) => {
        sent.push(notification);
      },
    },
  };
}

const redact = createRedactor(["the-key-of-n8n"]);

test("a request without a token gets no progress", async () => {
  const quiet = request();
  await progressOf(quiet, redact)(1, "Read 100 executions");
  expect(quiet.sent).toEqual([]);
});

test.each(["token-1", 0])("a request with the token %s gets growing values", async (progressToken) => {
  const asking = request(progressToken);
  const progress = progressOf(asking, redact);
  for (const value of [0, 100, 100, 100, 50, 200]) await progress(value, `Read ${value}`);
  const values = asking.sent.map(({ params }) => Number(params?.progress));
  expect(values).toEqual([...values].sort((a, b) => a - b));
  expect(new Set(values).size).toBe(6);
  expect(asking.sent[5]).toEqual({
    method: "notifications/progress",
    params: { progressToken, progress: 200, message: "Read 200" },
  });
});

test("the total is sent where it is known, and is never exceeded", async () => {
  const asking = request(1);
  const progress = progressOf(asking, redact);
  await progress(0, "Looking at 2 runs", 2);
  for (const done of [2, 2]) await progress(done, `Looked at ${done} of 2 runs`, 2);
  await progress(3, "and on");
  expect(asking.sent.map(({ params }) => [params?.progress, params?.total])).toEqual([
    [0, 2],
    [2, 2],
    [2.001, 2.001],
    [3, undefined],
  ]);
});

test("progress contains no secret", async () => {
  const asking = request(1);
  await progressOf(asking, redact)(1, 'Found: "Bearer abc123def456", key the-key-of-n8n');
  expect(asking.sent[0]?.params?.message).toBe(
    'Found: "Bearer [REDACTED:bearer#1]", key [REDACTED:own-secret]',
  );
});
