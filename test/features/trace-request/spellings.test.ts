/** An id is found in any spelling in which senders, people and n8n write the same id. */
import { describe, expect, test } from "vitest";
import { FAKE_SETTINGS } from "../../support/call-recorded.ts";
import { failedEntry, traced } from "../../support/called-workflows.ts";
import { fakeExecution, webhookData } from "../../support/fake-n8n.ts";

const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const UPPER = UUID.toUpperCase();
const HEX = UUID.replaceAll("-", "");
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const HEADERS = { headers: { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` } };
/** More digits than JavaScript keeps. */
const LONG = "1234567890123456789";

describe("a UUID", () => {
  test.each([
    [UUID, UPPER],
    [UPPER, UUID],
    [UUID, `{${UPPER}}`],
    [HEX, HEX.toUpperCase()],
    [HEX, UUID],
    [UUID, HEX],
    [` ${UUID} `, UUID],
    [`urn:uuid:${UUID}`, UPPER],
    [UUID, `urn:uuid:${UUID}`],
  ])("sent as %s is found as %s", async (sent, asked) => {
    for (const scopes of [["n8n:read"], ["n8n:read", "n8n:data"]]) {
      const { outcome } = await traced([fakeExecution(10, sent)], { requestId: asked }, { scopes });
      expect(outcome).toBe("success");
    }
  });

  test("is found without access to data where a pattern hides 32 hexadecimal digits, which are not", async () => {
    const settings = { ...FAKE_SETTINGS, REDACT_PATTERNS: "[0-9a-f]{32}" };
    const reader = { settings, scopes: ["n8n:read"] };
    const whole = { settings, scopes: ["n8n:read", "n8n:data"] };
    expect((await traced([fakeExecution(10, UUID)], { requestId: UUID }, reader)).outcome).toBe("success");
    expect((await traced([fakeExecution(10, HEX)], { requestId: UUID }, reader)).outcome).toBe("not_found");
    expect((await traced([fakeExecution(10, HEX)], { requestId: UUID }, whole)).outcome).toBe("success");
  });

  test("is also found in custom data, and mentioned anywhere", async () => {
    const inData = fakeExecution(10, "-", { customData: { order: UPPER } });
    expect((await traced([inData], { requestId: UUID })).outcome).toBe("success");
    const inText = fakeExecution(10, "-", { data: webhookData({ text: `Order ${UPPER} is late.` }) });
    expect((await traced([inText], { requestId: UUID, deep: true })).message).toContain("mentioned in 1");
  });

  test.each([
    [HEX, HEX.toUpperCase()],
    [HEX.toUpperCase(), HEX],
    [HEX.toUpperCase(), HEX.toUpperCase()],
  ])("without hyphens is mentioned as %s when asked as %s", async (sent, asked) => {
    const one = fakeExecution(10, "-", { data: webhookData({ text: `Order ${sent} is late.` }) });
    const { message } = await traced([one], { requestId: asked, deep: true });
    expect(message).toContain("mentioned in 1 execution");
  });

  test("in another case is no other id of a batch", async () => {
    const data = webhookData({ requestId: UUID }, { requestId: UPPER });
    const { message } = await traced([fakeExecution(10, "-", { data, status: "error" })], {
      requestId: UUID,
    });
    expect(message).not.toContain("other ids");
  });
});

describe("a traceparent and its trace id", () => {
  test("are one id: a failure with it lists no others", async () => {
    const failed = failedEntry(10, "-");
    const data = JSON.parse(
      JSON.stringify(failed.data).replace('"body":{"requestId":"-"}', JSON.stringify(HEADERS).slice(1, -1)),
    );
    const { message, outcome } = await traced([{ ...failed, data }], { requestId: TRACE_ID });
    expect(outcome).toBe("error");
    expect(message).not.toContain("other ids");
  });

  test("do not make a trigger's run a report", async () => {
    const data = webhookData({ ...HEADERS, topic: "orders" });
    const consumed = fakeExecution(9, "-", { mode: "trigger", data });
    const { message } = await traced([consumed, fakeExecution(10, "-", { workflowId: "w5", data })], {
      requestId: TRACE_ID,
    });
    expect(message).toContain("There are 2 requests with it: 2 succeeded.");
  });
});

test("several ids at one path, as two query parameters of one name, are all found", async () => {
  const data = webhookData({ query: { requestId: ["ord-1001", "ord-1002"] } });
  for (const requestId of ["ord-1001", "ord-1002"])
    expect((await traced([fakeExecution(10, "-", { data })], { requestId })).outcome).toBe("success");
});

test.each([
  ["007", "JSON has no zeros in front"],
  ["9".repeat(400), "it is kept as null"],
])("n8n keeps %s as no other number: %s", async (asked) => {
  const { message } = await traced([fakeExecution(10, "-")], { requestId: asked });
  expect(message).toContain("was not found");
  expect(message).not.toContain("As a JSON number");
});

describe("a number of 19 digits", () => {
  test("is found in JSON in a string, where n8n keeps all digits", async () => {
    const data = webhookData({ message: `{"requestId":${LONG},"orderId":${LONG}}` });
    const { outcome, caller } = await traced([fakeExecution(10, "-", { data })], { requestId: LONG });
    expect(outcome).toBe("success");
    const { message } = await caller.call("search_executions", { path: "orderId", value: LONG });
    expect(message).toContain("Found in 1 execution");
  });

  test("that is not found says how n8n rounds it", async () => {
    const data = webhookData({ body: { requestId: Number(LONG) } });
    const { message } = await traced([fakeExecution(10, "-", { data })], { requestId: LONG });
    expect(message).toContain("As a JSON number, n8n keeps it as 1234567890123456800.");
  });
});

test.each([
  ["in a URL inside a URL", "https://a.example/?next=https%3A%2F%2Fb.example%2F%3Forder%3Dord-100-a%26x%3D1"],
  ["in quoted text", 'the service said \\"failed:\\nord-100-a\\n\\"'],
])("a mention %s counts", async (_where, text) => {
  const one = fakeExecution(10, "-", { data: webhookData({ text }) });
  const { message } = await traced([one], { requestId: "ord-100-a", deep: true });
  expect(message).toContain("mentioned in 1 execution");
});

test.each(["req%2Dord-100-a", "req%5Ford-100-a", "Stra\\u00dford-100-a", "%31ord-100-a"])(
  "a longer id that is escaped (%s) is no mention",
  async (text) => {
    const one = fakeExecution(10, "-", { data: webhookData({ text }) });
    const { message } = await traced([one], { requestId: "ord-100-a", deep: true });
    expect(message).not.toContain("mentioned");
  },
);

test.each([false, true])(
  "an id in another case is not found, and the answer says so (deep: %s)",
  async (deep) => {
    const { outcome, _guidance } = await traced([fakeExecution(10, "order-10001")], {
      requestId: "ORDER-10001",
      deep,
    });
    expect(outcome).toBe("not_found");
    expect(JSON.stringify(_guidance)).toContain("upper");
  },
);
