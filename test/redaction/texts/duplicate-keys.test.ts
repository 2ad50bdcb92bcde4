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
