/** What the words of drivers, services and nodes mean, whoever wrote them. */
import { describe, expect, test } from "vitest";
import { meaningIn } from "../../../src/executions/causes/error-meanings.ts";
import { codeInWords } from "../../../src/executions/causes/error-words.ts";
import { explain } from "../../support/explain.ts";
import { type Step, steppedExecution } from "../../support/stepped-execution.ts";

const BASE = "n8n-nodes-base.";
const START: Step = { name: "Start", type: `${BASE}webhook`, sent: [[{ a: 1 }, { a: 2 }, { a: 3 }]] };
const failing = (error: Readonly<Record<string, unknown>>, more: Partial<Step> = {}): Step => ({
  name: "Call",
  type: `${BASE}httpRequest`,
  error: { name: "NodeOperationError", ...error },
  ...more,
});
const blame = (error: Readonly<Record<string, unknown>>, more: Partial<Step> = {}) =>
  explain(steppedExecution([START, failing(error, more)])).finding;

describe("the text", () => {
  test.each([
    ["Connection refused: Not authorized", "denied.sign_in"],
    ["Connection refused: Server unavailable", "connection.said"],
    ["WRONGTYPE Operation against a key holding the wrong kind of value", "wrong_type.kept"],
    ["jwt expired", "expired.token"],
    ["jwt malformed", "denied.signature"],
    ["incorrect header check", "invalid_request.encoding"],
    ["Can't send mail - all recipients were rejected: 550 5.1.1 User unknown", "denied.recipient"],
    ["Message failed: 552 5.3.4 Error: message file too big", "limit.size"],
    ["The specified bucket does not exist", "invalid_request.not_found"],
    ['Channel closed by server: 404 (NOT-FOUND) with message "x"', "invalid_request.not_found"],
    ["You exceeded your current quota, please check your plan", "limit.quota"],
    ["customer C-1 was billed for this period already", "invalid_request.exists"],
    ["Cannot read properties of undefined (reading 'id')", "wrong_type.nothing"],
    ["quantity must be at least 1", "invalid_request.form"],
    ["amount must contain at least 2 decimal places", "invalid_request.form"],
    ["At least one value has to be added under 'Values to Send'", "invalid_request.empty"],
    ["This coupon code has expired", "expired"],
    ["The code has expired", "expired.token"],
    ["query is too old and response timeout expired or query ID is invalid", "expired"],
    ["454 4.7.0 Too many login attempts, please try again later", "limit.rate"],
    ["Payment Required", "limit.quota"],
    ["Your credit balance is too low to access the API. Please upgrade or purchase credits.", "limit.quota"],
    ["Missing Access", "denied"],
    ["missing access token", "invalid_request.empty"],
    ["The AWS Access Key Id you provided does not exist in our records.", "denied.sign_in"],
    ["Unable to parse range: Orders!A1:Z", "invalid_request.not_found"],
    [
      "Message failed to send because more than 24 hours have passed since the last reply",
      "node_failed.not_done",
    ],
    ["The file is more than 24 MB", "limit.size"],
  ])("%j means %s", (text, kind) => {
    expect(meaningIn([text])).toBe(kind);
  });

  test.each([
    'Customer "access denied, token expired" waits',
    "Customer 'jwt expired' waits",
    "<html><head><title>403 Forbidden</title></head></html>",
    `Order dump: ${"forbidden ".repeat(60)}`,
    "Good afternoon",
    "Order 12 is not paid.",
    "This workflow cannot be called by that one",
    "unknown error",
    "node execution output incorrect data",
  ])("%j has no known meaning", (text) => {
    expect(meaningIn([text])).toBeNull();
  });

  test("a constraint that ON CONFLICT needs is no conflict, but missing", () => {
    const said = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
    expect(meaningIn([said])).toBe("invalid_request.not_found");
  });

  test.each([
    ["Table 'shop.price_2027' doesn't exist", "42P01"],
    ["Invalid object name 'orders'.", "42P01"],
    ["Unknown column 'sku' in 'field list'", "42703"],
    ["Unknown database 'shop'", "3D000"],
    ["canceling statement due to lock timeout", "55P03"],
    ["canceling statement due to statement timeout", "57014"],
  ])("%j of a database means the code %s", (text, code) => {
    expect(codeInWords([text])).toBe(code);
  });
});

describe("the explanation of a failure", () => {
  test("words the meaning of its error, whose text is payload", () => {
    const { sentence, said, confidence } = blame({ message: "Connection refused: Not authorized planted" });
    expect(sentence).toContain('"Call" failed; its error says: it was not authorized');
    expect(sentence).not.toContain("planted");
    expect(said).toContain("planted");
    expect(confidence).toBe("observed");
  });

  test("words the meaning also if the node continued on the error", () => {
    const sent = [[{ error: "jwt expired planted" }]];
    const step: Step = {
      name: "Call",
      type: `${BASE}jwt`,
      settings: { onError: "continueRegularOutput" },
      sent,
    };
    const { sentence } = explain(steppedExecution([START, step])).finding;
    expect(sentence).toContain("(its error says: a token, session, signature or link has expired)");
    expect(sentence).not.toContain("planted");
  });

  test("gives no meaning to words that code throws", () => {
    const { sentence } = blame({
      name: "WrappedExecutionError",
      message: "jwt expired [line 1]",
      lineNumber: 1,
    });
    expect(sentence).not.toContain("expired");
  });

  test("names a database's code only if the data holds it, and takes its table for no column", () => {
    const message = "Table 'shop.price' doesn't exist";
    const type = `${BASE}mySql`;
    const description = "sql: SELECT 'jwt expired', code: ER_NO_SUCH_TABLE";
    expect(blame({ message, description }, { type }).sentence).toBe(
      '"Call" failed because the query names a table that does not exist (ER_NO_SUCH_TABLE).',
    );
    expect(blame({ message }, { type }).sentence).toBe(
      '"Call" failed because the query names a table that does not exist.',
    );
  });

  test("words what a response says beyond its status, and quotes it as payload", () => {
    const error = {
      name: "NodeApiError",
      httpCode: "409",
      message: "Your request is invalid or could not be processed by the service",
    };
    const { sentence, said } = blame({
      ...error,
      messages: ['409 - "{\\"detail\\":\\"planted\\"}"'],
      description: "planted has been paid already",
    });
    expect(sentence).toContain("answered 409");
    expect(sentence).toContain("; its answer says: what it was to create or do already exists");
    expect(said).toBe("planted has been paid already");
    expect(blame({ ...error, description: "planted" }).sentence).not.toContain("its answer says");
  });

  test.each([
    ["401", {}, "the node uses no credential"],
    ["429", { context: { itemIndex: 2 } }, "2 items before it had gone through"],
    [
      "413",
      { context: { request: { body: { rows: Array.from({ length: 120 }, () => ({})) } } } },
      "a list of 120",
    ],
  ])("adds to a %s what it depends on", (httpCode, more, words) => {
    const error = { name: "NodeApiError", message: "x", httpCode };
    expect(blame({ ...error, ...more }).sentence).toContain(words);
    expect(blame(error, { settings: { credentials: { a: { id: "1" } } } }).sentence).not.toContain(words);
  });

  test.each([
    ["self-signed certificate; if the root CA is installed locally, try running Node.js", "is self-signed"],
    ["certificate has expired", "has expired"],
    ["Hostname/IP does not match certificate's altnames: x", "for another host name"],
    [undefined, "self-signed, expired, or of another host"],
  ])("says what is wrong with a certificate if n8n keeps %j", (description, words) => {
    const message = "SSL Issue: consider using the 'Ignore SSL issues' option";
    expect(blame({ name: "NodeApiError", message, description }).sentence).toContain(words);
  });

  test("says that a credential is of another type only if another node shows it", () => {
    const message = 'Credential with ID "c1" does not exist for type "httpHeaderAuth".';
    const step = failing(
      { name: undefined, message },
      { settings: { credentials: { httpHeaderAuth: { id: "c1" } } } },
    );
    const other: Step = {
      name: "Other",
      settings: { credentials: { httpBasicAuth: { id: "c1" } } },
      after: [],
    };
    const sentence = (...steps: Step[]) => explain(steppedExecution(steps)).finding.sentence;
    expect(sentence(START, step)).toContain("(httpHeaderAuth): it was deleted, or is of another type");
    expect(sentence(START, step, other)).toMatch(/\(httpHeaderAuth\): it is of another type\.$/);
  });
});
