/** The meaning of an error by its class, type and codes. Whoever throws an error writes them, so only known ones are shown. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ERROR_CAUSES,
  ERROR_CLASSES,
  ERROR_CODES,
  ERROR_TYPES,
  HTTP_STATUSES,
} from "../../src/executions/error-facts.ts";
import { sentenceOfMeaning, toErrorFacts } from "../../src/executions/error-sentence.ts";
import { nodeError } from "../../src/n8n/schemas.ts";

const factsOf = (error: unknown) => toErrorFacts(nodeError.parse(error));

describe("the meaning of an error follows from", () => {
  test.each([
    ["an HTTP status", { name: "NodeApiError", httpCode: "429" }, /too many requests/],
    [
      "a status without a sentence of its own",
      { name: "NodeApiError", httpCode: 418 },
      /refused the request/,
    ],
    [
      "a system's code, which n8n keeps as the status",
      { name: "NodeApiError", httpCode: "ECONNREFUSED" },
      /refused the connection/,
    ],
    [
      "a socket's code of the mail library, whatever broke",
      { code: "ESOCKET" },
      /^The connection failed or was closed\. See the service's address, port and TLS/,
    ],
    ["a library's code", { name: "AxiosError", code: "ENOTFOUND" }, /host's name/],
    ["a database's code", { name: "NodeOperationError", code: "23505" }, /unique/],
    [
      "the type of an expression error",
      { name: "ExpressionError", context: { type: "paired_item_no_info" } },
      /which item/,
    ],
    [
      "the cause that a node declares",
      { name: "NodeApiError", httpCode: "401", failure: { cause: "rate-limited" } },
      /throttling/,
    ],
    ["its class", { name: "NodeSslError" }, /certificate/],
    [
      "what code threw, in n8n's wrapper",
      { name: "WrappedExecutionError", description: "TypeError" },
      /another type or shape than it expects/,
    ],
    ["a time-out", { name: "TimeoutExecutionCancelledError" }, /longer than the workflow may/],
    ["a crash", { name: "WorkflowCrashedError" }, /crashed/],
  ])("%s", (_, error, sentence) => {
    expect(sentenceOfMeaning(factsOf(error).meaning)).toMatch(sentence);
  });

  test.each([
    ["FTP's reply to a missing file", "550"],
    ["FTP's reply to a wrong password", "530"],
    ["MongoDB's code of a failed validation", 121],
    ["MongoDB's code of a write conflict", 112],
  ])("no HTTP status: %s", (_name, code) => {
    const facts = factsOf({ message: "no", code });
    expect(facts).toMatchObject({ code: "other", httpCode: null });
    expect(sentenceOfMeaning(facts.meaning)).not.toContain("temporary");
  });

  test("the facts hold class, type, code, status and line", () => {
    expect(
      factsOf({
        name: "NodeApiError",
        code: "ETIMEDOUT",
        httpCode: 504,
        context: { type: "internal" },
        lineNumber: 3,
      }),
    ).toMatchObject({
      name: "NodeApiError",
      type: "internal",
      code: "ETIMEDOUT",
      httpCode: "504",
      lineNumber: 3,
    });
  });
});

describe("an unknown class, type, code or status is not shown", () => {
  test.each([
    [{ name: "JaneRoe" }, { name: "other" }],
    [{ name: "JaneRoeError" }, { name: "other" }],
    [{ code: "JANE_ROE" }, { code: "other" }],
    [{ code: 78051120 }, { code: "other" }],
    [{ httpCode: "078" }, { httpCode: null }],
    [{ httpCode: "999" }, { httpCode: null }],
    [{ httpCode: "card_declined" }, { httpCode: null }],
    [{ context: { type: "jane.roe@example.com" } }, { type: "other" }],
    [{ failure: { cause: "Jane" } }, { type: null }],
    [{ name: "WrappedExecutionError", description: "Jane Roe" }, { name: "WrappedExecutionError" }],
    [{ lineNumber: 78_051_120 }, { lineNumber: null }],
    [{ lineNumber: 3.5 }, { lineNumber: null }],
    [{ name: "constructor" }, { name: "other" }],
  ])("%j", (error, expected) => {
    expect(factsOf(error)).toMatchObject(expected);
  });

  test("no text of the error reaches the facts unless our tables contain it", () => {
    const secret = fc.string({ minLength: 6 }).map((text) => `~${text}`);
    fc.assert(
      fc.property(secret, (text) => {
        const facts = factsOf({
          name: text,
          message: text,
          description: text,
          code: text,
          httpCode: text,
          context: { type: text },
          failure: { cause: text },
        });
        expect(Object.values(facts).filter((value) => String(value).includes(text))).toEqual([]);
      }),
    );
  });
});

test("each meaning is a clause, and each piece of advice whole sentences", () => {
  const tables = [ERROR_CLASSES, ERROR_TYPES, ERROR_CAUSES, ERROR_CODES, HTTP_STATUSES];
  for (const [name, { says, see }] of tables.flatMap((table) => [...table])) {
    expect(name).toMatch(/^[\w-]+$/);
    expect(says).toMatch(/^(?:n8n|[a-z]|\{it\}).{10,}[^.]$/);
    expect(see).toMatch(/^(?:|[A-Z].+\.)$/);
  }
});
