/** What services say beyond the status, and texts written by people. Each case was first played on a real n8n. */
import { expect, test } from "vitest";
import { apiError, BASE, failing, WEBHOOK } from "../../kinds/others/case.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const sentenceOf = (...steps: readonly Step[]): string => explain(steppedExecution(steps)).finding.sentence;

const refused = (type: string, httpCode: string, description: string, ...messages: string[]): string =>
  sentenceOf(WEBHOOK, failing("Call", type, apiError(httpCode, "planted", { description, messages })));

test("formatting that a service cannot parse is not reported as not found", () => {
  const sentence = refused(
    "telegram",
    "400",
    "Bad Request: can't parse entities: Can't find end of the entity",
  );
  expect(sentence).toContain("marks for formatting");
  expect(sentence).not.toContain("not found");
});

test.each(["401", "403"])("a violated row-level policy is not a rejected credential, at %s", (status) => {
  const sentence = refused(
    "supabase",
    status,
    'new row violates row-level security policy for table "orders"',
  );
  expect(sentence).toContain(`answered ${status}: a row-level security policy`);
  expect(sentence).not.toContain("credential");
});

test("an error in XML from a storage service is read", () => {
  const xml =
    '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
  expect(refused("httpRequest", "403", xml)).toMatch(/expired/);
});

test("OAuth's error_description is read beside the error code", () => {
  const body =
    '401 - "{\\"error\\":\\"invalid_token\\",\\"error_description\\":\\"The access token expired\\"}"';
  expect(refused("httpRequest", "401", "invalid_token", body)).toMatch(/expired/);
});

const set = (text: string, value: string): Step => ({
  name: "Note",
  type: `${BASE}set`,
  parameters: { assignments: { assignments: [{ name: "text", value }] } },
  sent: [[{ text }]],
});

test("a broken-looking text that a person wrote and n8n passed on is not called broken", () => {
  const received = (said: string): Step => ({ ...WEBHOOK, sent: [[{ headers: {}, body: { said } }]] });
  const passedOn = set("Ticket: The page says Invalid Date", "=Ticket: {{ $json.body.said }}");
  expect(sentenceOf(received("The page says Invalid Date"), passedOn)).not.toContain("Invalid Date");
  const broken = set("Due on Invalid Date", "=Due on {{ $json.body.said }}");
  expect(sentenceOf(received("soon"), broken)).toContain("Invalid Date");
});

test("another service's placeholder is not taken for an n8n expression", () => {
  expect(sentenceOf(WEBHOOK, set("Hi {{ first_name }}", "Hi {{ first_name }}"))).not.toContain("placeholder");
  expect(sentenceOf(WEBHOOK, set("Hi {{ $json.name }}", "Hi {{ $json.name }}"))).toContain("placeholder");
});

test("n8n's own rejection of a test webhook is recognized", () => {
  const sentence = refused("httpRequest", "404", 'The requested webhook "crm-intake" is not registered.');
  expect(sentence).toContain("/webhook-test/");
});

test("an invalid date sent by an earlier node is named as the reason of the service's rejection", () => {
  const due: Step = { ...set("", ""), name: "Due date", sent: [[{ due: "Invalid DateTime" }]] };
  const error = apiError("422", "planted", { description: "validation_failed" });
  const parameters = {
    url: "http://shop.example/due",
    jsonBody: "={{ JSON.stringify({ due: $json.due }) }}",
  };
  const sentence = sentenceOf(WEBHOOK, due, failing("Create invoice", "httpRequest", error, parameters));
  expect(sentence).toMatch(/"Create invoice".*422.*"Due date" sent "due" as "Invalid Date"/);
});
