/** Ordinary values near words for secrets: postal codes, validation errors, parser and blockchain tokens, node names. */
import { expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";

const clean = (value: unknown): unknown => createRedactor([])(value).value;
const TOKEN = "q7Rt2LmZ9xWv4KpB";
const HEX = "b7c6d5e4f3a2b1c0d9e8f7a6b5c4d9f8";

test.each([
  // A PIN code is India's postal code.
  { city: "Bengaluru", pincode: "560001" },
  { address1: "12 MG Road", pin_code: 560001, country: "IN" },
  { shipping_pincode: "560001" },
  // Reasons why an input was rejected.
  { errors: { password: ["must be at least 8 characters", "is too common"] } },
  { password: ["This field is required."], api_key: ["This field may not be blank."] },
  { password: ["This password is too short. It must contain at least 8 characters."] },
  { validation: { password: "must contain a number" } },
  { errors: { api_key: "is invalid" } },
  { errors: [{ field: "password", message: "must be at least 8 characters" }] },
  { error: { details: [{ param: "password", msg: "Must be at least 8 characters" }] } },
  // Tokens that a parser did not expect.
  {
    message:
      "Unrecognized token 'order123': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  },
  { message: `JSON.parse: unexpected token: "abc123"` },
  { message: "SyntaxError: Unexpected token 'x1y2z3', expected ','" },
  // Tokens of a blockchain.
  {
    baseToken: {
      address: "So11111111111111111111111111111111111111112",
      name: "Wrapped SOL",
      symbol: "SOL",
    },
    priceUsd: "100",
  },
  { tokens: [{ symbol: "SOL", mint: "So11111111111111111111111111111111111111112", amount: "12" }] },
  { token: { symbol: "USDC", decimals: 6, name: "USD Coin" } },
  // Places in source code.
  { trace: "\tat com.example.TokenService.refresh(TokenService.java:123)" },
  { trace: "auth/password.py:123: DeprecationWarning" },
  { trace: "    at validateToken (file.js:12:3)" },
  { trace: "PHP Fatal error: Uncaught Error in /app/Token.php:1234" },
  // Names of nodes in a flow.
  { flow: ["Webhook ⟶ Get Token", "Get Token ⟶ If1", "Get Token ⟶ Switch2, Set12"] },
  { nodeName: "Send Password Email1", sentence: '"Refresh Token Request1" failed: no answer' },
  { "Validate Token Response1": [{ executionTime: 1 }] },
  { nodeName: "Is Auth Challenge?" },
  { nodeName: "Format Individual Auth Outputs1" },
  { content: "**Get Payment Token Details**\nGET https://example.com" },
  { changedTypes: ["data.access_token: number|null → string"] },
  // Names that only contain a secret's word.
  { TikTok: "https://tiktok.com/@ada99", name: "TikTok", value: "@ada99" },
  { audio: { tempo: 120, time_signature: 4 } },
  { Name: "Salt", Quantity: "2 g" },
  { name: "auth-token", valueProvider: "fieldValue" },
  // Code and prose.
  { jsCode: "const staticData = $getWorkflowStaticData('global');" },
  { html: 'show("Access Token: " + response.access_token);' },
  {
    content:
      "Name:       YOUR_POSTGRES_CREDENTIAL\nHost:       127.0.0.1\nPort:       5432\nUser:       n8n_writer",
  },
  { content: "If the login location matches, the workflow branches to the `New Location` node" },
  { content: 'Add a new credential "Google OAuth2 API" by following this guide' },
  { content: "The rating of employees who identified as lgbtqia+." },
  { command: "ffmpeg -f lavfi -i color=black@0.3:size=1080x1920:d=10" },
])("%j stays", (value) => expect(clean(value)).toEqual(value));

test.each([
  { pin_code: "4821", card: "visa" },
  { pincode: "123456", device: "door" },
  { pincode: "482913", email_address: "ada@example.com" },
  { pinCode: "482913", countryCode: "+91", capacity: 4 },
  // A password that ends in a number, like the name of a copied node.
  { text: "Hello Ada,\n\nUsername: ada\nPassword Sunshine1\n\nBye" },
  { text: "Kennwort Willkommen1" },
  { text: "Temporary Password Welcome1\nPlease change it." },
  { text: "Use Password Sunshine1 to log in" },
  { text: "Password - Summer1" },
  { name: "password", message: "hunter22x" },
  { file: `secrets.py:${HEX}` },
  { message: `SqliteError: unrecognized token: "${HEX}"` },
  { message: `Unrecognized token '${HEX}': was expecting` },
  { text: "password=$ecret(2019)!x" },
  { errors: { otp: ["The code 482913 is invalid"] } },
  { errors: { password: "Password 'sunshine' is too common" } },
  { errors: { password: "hunter2" } },
  { errors: { password: "hunter2 is too weak" } },
  { errors: { password: "swordfish is too weak" } },
  { token: { value: TOKEN, name: "ci" } },
  { message: "password → Summer24!" },
  { message: "AUTH Summer24!x" },
  { code: 'smtp.login("ada", "Summer24!x")' },
  { sql: "CREATE USER ada IDENTIFIED WITH sha256_password AS 'Summer24!x'" },
])("%j is redacted", (value) => expect(clean(value)).not.toEqual(value));

test.each(["خوش\u200cآمدید", "👨\u200d👩\u200d👧"])("%s stays beside a secret", (text) => {
  expect(clean({ text: `${text} password: hunter22` })).toEqual({
    text: `${text} password: [REDACTED:key#1]`,
  });
});
