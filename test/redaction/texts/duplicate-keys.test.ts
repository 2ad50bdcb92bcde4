import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redact.ts";

const redact = createRedactor([]);
const shown = (text: string): string => JSON.stringify(redact(text).value);

describe("a database's sentence about a duplicate or missing key", () => {
  it.each([
    ["PostgreSQL", "Key (api_key)=(k1te-letmein) already exists."],
    ["PostgreSQL, cut", "duplicate key … DETAIL: Key (api_key)=(k1te-letmein"],
    ["PostgreSQL, quoted", 'Key ("accessToken")=(k1te-letmein) is not present in table "users".'],
    ["PostgreSQL in JSON", JSON.stringify({ detail: 'Key ("apiKey")=(k1te-letmein) already exists.' })],
    ["PostgreSQL in German", "Schlüssel »(api_key)=(k1te-letmein)« existiert bereits."],
    ["two columns", "Key (tenant, password)=(7, k1te-letmein) already exists."],
    ["a comma in a value", "Key (tenant, password)=(7, a, k1te-letmein) already exists."],
    ["MySQL", "Duplicate entry 'k1te-letmein' for key 'users.api_key'"],
    ["MySQL, a quotation mark in the value", `Duplicate entry 'k1te"letmein' for key 'users.password'`],
    ["MySQL, index", "ER_DUP_ENTRY: Duplicate entry 'k1te-letmein' for key 'api_key_UNIQUE'"],
    [
      "SQL Server",
      "Violation of UNIQUE KEY constraint 'UQ_token'. Cannot insert duplicate key in object 'dbo.users'. The duplicate key value is (k1te-letmein).",
    ],
    [
      "SQL Server, index",
      "Cannot insert duplicate key row in object 'dbo.users' with unique index 'UQ_token'. The duplicate key value is (k1te-letmein).",
    ],
  ])("shows no value of a column or index named like a secret: %s", (_database, text) => {
    expect(shown(text)).not.toContain("letmein");
  });

  it.each([
    "Key (order_id)=(10025) already exists.",
    'Key (customer_id, key)=(7, created_at) is not present in table "customers".',
    "Duplicate entry '10025' for key 'orders.PRIMARY'",
    "Cannot insert duplicate key row in object 'dbo.orders' with unique index 'IX_orders_number'. The duplicate key value is (10025).",
  ])("shows the value of any other column: %s", (text) => {
    expect(redact(text).value).toBe(text);
  });

  it("shows the columns that are no secret next to one that is", () => {
    expect(shown("Key (tenant, password)=(7, k1te-letmein) already exists.")).toContain("(7, [REDACTED:");
  });
});

describe("what a validator says of a value that it refuses", () => {
  it.each([
    ["Joi", '"password" with value "letmein77" fails to match the required pattern: /^[A-Z]/'],
    ["Mongoose", "Validation failed: password: Path `password` (`letmein77`) is shorter than the minimum"],
    ["Mongoose", 'Cast to Number failed for value "letmein77" (type string) at path "user.pin"'],
    [
      "pydantic",
      "1 validation error for User\nuser.password\n  String should have at least 8 characters [type=string_too_short, input_value='letmein77', input_type=str]",
    ],
    [
      "Mongoose, an object",
      `Cast to string failed for value "{ value: 'letmein77' }" (type Object) at path "password"`,
    ],
    [
      "pydantic, an apostrophe",
      `1 validation error for User\npassword\n  String should have at least 12 characters [type=string_too_short, input_value="it's letmein", input_type=str]`,
    ],
    ["voluptuous", "expected int for dictionary value @ data['user']['password']. Got 'letmein77'"],
    [
      "Elasticsearch",
      "failed to parse field [token] of type [long] in document with id '1'. Preview of field's value: 'letmein77'",
    ],
    ["MySQL", "Incorrect integer value: 'letmein77' for column 'pin' at row 1"],
  ])("shows no value of a field named like a secret: %s", (_validator, text) => {
    expect(shown(text)).not.toContain("letmein");
    expect(shown(text.replace(/password|pin\b|token/g, "city"))).toContain("letmein");
  });

  it.each([
    ["FastAPI", { type: "string_too_short", loc: ["body", "password"], msg: "…", input: "letmein77" }],
    ["Ajv", { instancePath: "/user/password", keyword: "minLength", message: "…", data: "letmein77" }],
  ])("shows no value beside the path to a secret: %s", (_validator, row) => {
    expect(JSON.stringify(redact({ detail: [row] }).value)).not.toContain("letmein");
    const ordinary = JSON.stringify(row).replace("password", "city");
    expect(JSON.stringify(redact({ detail: [JSON.parse(ordinary)] }).value)).toContain("letmein");
  });
});

describe("beside the name of a secret stays", () => {
  it.each([
    ["the type that Zod received", { code: "invalid_type", path: ["apiKey"], received: "undefined" }],
    ["the content of a page", { loc: "https://a.example/docs/api-key", content: "Keys for beginners" }],
  ])("%s", (_what, value) => {
    expect(redact(value).value).toEqual(value);
  });
});

describe("names with their values without a separator", () => {
  it.each([
    ["a command of IMAP", "a001 LOGIN joe k1te-letmein"],
    ["code that joins a header", "headers.set('Authorization', 'Bearer ' + 'k1te-letmein9')"],
    ["an application password of WordPress", "Application password: k1tE 4EFG letm eiNn MNOP 5678"],
  ])("shows no secret in %s", (_form, text) => {
    expect(shown(text)).not.toMatch(/letm/);
  });

  it("shows six short words after a password's name", () => {
    const text = "Password: this must have been sent once";
    expect(redact(text).value).toBe(text);
  });
});
