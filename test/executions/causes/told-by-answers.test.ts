/** What services say in their answers beyond the status, and texts that a person wrote. Each was played on a real n8n first. */
import { expect, test } from "vitest";
import { apiError, BASE, failing, WEBHOOK } from "../../kinds/others/case.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const sentenceOf = (...steps: readonly Step[]): string => explain(steppedExecution(steps)).finding.sentence;

const refused = (type: string, httpCode: string, description: string, ...messages: string[]): string =>
  sentenceOf(WEBHOOK, failing("Call", type, apiError(httpCode, "planted", { description, messages })));

test("formatting that a service cannot read is not a thing that was not found", () => {
  const sentence = refused(
    "telegram",
    "400",
    "Bad Request: can't parse entities: Can't find end of the entity",
  );
  expect(sentence).toContain("marks for formatting");
  expect(sentence).not.toContain("not found");
});

test.each(["401", "403"])("a row-level policy is not a refused credential, at %s", (status) => {
  const sentence = refused(
    "supabase",
    status,
    'new row violates row-level security policy for table "orders"',
  );
  expect(sentence).toContain(`answered ${status}: a row-level security policy`);
  expect(sentence).not.toContain("credential");
});

test("what a storage says in XML is read", () => {
  const xml =
    '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
  expect(refused("httpRequest", "403", xml)).toMatch(/expired/);
});

test("what OAuth describes is read, beside its code", () => {
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

test("a text that a person wrote is received and passed on, and not broken", () => {
  const received = (said: string): Step => ({ ...WEBHOOK, sent: [[{ headers: {}, body: { said } }]] });
  const told = set("Ticket: The page says Invalid Date", "=Ticket: {{ $json.body.said }}");
  expect(sentenceOf(received("The page says Invalid Date"), told)).not.toContain("Invalid Date");
  const broken = set("Due on Invalid Date", "=Due on {{ $json.body.said }}");
  expect(sentenceOf(received("soon"), broken)).toContain("Invalid Date");
});

test("another service's placeholder is no expression of n8n", () => {
  expect(sentenceOf(WEBHOOK, set("Hi {{ first_name }}", "Hi {{ first_name }}"))).not.toContain("placeholder");
  expect(sentenceOf(WEBHOOK, set("Hi {{ $json.name }}", "Hi {{ $json.name }}"))).toContain("placeholder");
});

test("n8n's own refusal of a test address is told as such", () => {
  const sentence = refused("httpRequest", "404", 'The requested webhook "crm-intake" is not registered.');
  expect(sentence).toContain("/webhook-test/");
});

test("a date that could not be made is named behind the service's refusal", () => {
  const due: Step = { ...set("", ""), name: "Due date", sent: [[{ due: "Invalid DateTime" }]] };
  const error = apiError("422", "planted", { description: "validation_failed" });
  const parameters = {
    url: "http://shop.example/due",
    jsonBody: "={{ JSON.stringify({ due: $json.due }) }}",
  };
  const sentence = sentenceOf(WEBHOOK, due, failing("Create invoice", "httpRequest", error, parameters));
  expect(sentence).toMatch(/"Create invoice".*422.*"Due date" sent "due" as "Invalid Date"/);
});
