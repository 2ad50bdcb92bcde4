/** Ordinary data, especially data that resembles a secret. None of it may be redacted. */
import { DIGITS, HEX, LOWER, type Random, UPPER, WORD } from "./random.ts";

const WORDS =
  "order invoice customer shipping total created status pending the of for with García Müller 東京 naïve café delivered returned please contact support about your account settings".split(
    " ",
  );

const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((length) => random.text(HEX, length)).join("-");
const sentence = (random: Random, words: number): string =>
  Array.from({ length: words }, () => random.pick(WORDS)).join(" ");
const isoDate = (random: Random): string =>
  new Date(1_600_000_000_000 + random.below(400_000_000) * 1000).toISOString();
const base64Of = (text: string): string => Buffer.from(text).toString("base64");

const FIELDS: Readonly<Record<string, (random: Random) => unknown>> = {
  id: (random) => random.below(1_000_000),
  orderId: (random) => `ord_${random.text(WORD, 24)}`,
  uuid,
  requestId: (random) => `req-${random.text(HEX, 8)}`,
  traceId: (random) => `trace_${uuid(random)}`,
  traceparent: (random) => `00-${random.text(HEX, 32)}-${random.text(HEX, 16)}-01`,
  ulid: (random) => `01${random.text(`${DIGITS}ABCDEFGHJKMNPQRSTVWXYZ`, 24)}`,
  nanoid: (random) => random.text(`${WORD}_-`, 21),
  objectId: (random) => random.text(HEX, 24),
  stripeCustomer: (random) => `cus_${random.text(WORD, 14)}`,
  paymentIntent: (random) => `pi_${random.text(WORD, 24)}`,
  publishableKeyId: (random) => `pk_live_${random.text(WORD, 24)}`,
  md5: (random) => random.text(HEX, 32),
  sha1: (random) => random.text(HEX, 40),
  sha256: (random) => random.text(HEX, 64),
  sha512Base64: (random) => Buffer.from(random.text(HEX, 128), "hex").toString("base64"),
  integrity: (random) => `sha512-${Buffer.from(random.text(HEX, 128), "hex").toString("base64")}`,
  etag: (random) => `W/"${random.text(HEX, 32)}"`,
  commit: (random) => random.text(HEX, 40),
  digest: (random) => `sha256:${random.text(HEX, 64)}`,
  createdAt: isoDate,
  timestamp: (random) => 1_600_000_000_000 + random.below(400_000_000_000),
  price: (random) => random.below(100_000) / 100,
  amount: (random) => `${random.below(10_000)},${random.text(DIGITS, 2)} €`,
  promptTokens: (random) => random.below(9_000),
  completionTokens: (random) => random.below(9_000),
  totalTokens: (random) => random.below(9_000),
  maxTokens: (random) => random.below(9_000),
  tokens: (random) => random.below(9_000),
  tokenUsage: (random) => ({
    promptTokens: random.below(99),
    completionTokens: random.below(99),
    totalTokens: random.below(99),
  }),
  tokenCount: (random) => String(random.below(9_000)),
  costPerToken: (random) => random.below(100) / 1_000_000,
  author: (random) => sentence(random, 2),
  authority: () => "https://login.example.com/",
  authenticationMethod: () => "oauth2",
  auth: (random) => random.pick(["none", "basic", "oauth2"]),
  authorized: () => true,
  nextCursor: (random) => base64Of(JSON.stringify({ lastId: String(random.below(9999)), limit: 100 })),
  nextPageToken: (random) => random.text(WORD, 40),
  continuationToken: (random) => random.text(WORD, 40),
  cursor: (random) => base64Of(`${isoDate(random)}|${random.below(9999)}`),
  sessionId: uuid,
  keyName: (random) => random.pick(["primary", "secondary"]),
  key: (random) => random.pick(["status", "priority", "customer.name", "PROJ-123"]),
  primaryKey: () => "id",
  foreignKey: () => "customer_id",
  publicKey: (random) => `-----BEGIN PUBLIC KEY-----\n${random.text(WORD, 64)}\n-----END PUBLIC KEY-----`,
  secretName: () => "prod/db/main",
  passwordPolicyUrl: () => "https://app.test/policy",
  passwordLength: (random) => 8 + random.below(20),
  hasPassword: () => true,
  passed: (random) => random.below(100),
  pass: (random) => random.below(100),
  compass: (random) => random.pick(["N", "SE", "NNW"]),
  email: (random) => `${random.text(LOWER, 6)}@example.com`,
  phone: (random) => `+34 6${random.text(DIGITS, 2)} ${random.text(DIGITS, 3)} ${random.text(DIGITS, 3)}`,
  cardLast4: (random) => random.text(DIGITS, 4),
  bic: () => "CAIXESBBXXX",
  orderNumber: (random) => random.text(DIGITS, 16),
  accountId: (random) => random.text(DIGITS, 9),
  sku: (random) => `SK-${random.text(UPPER + DIGITS, 8)}`,
  name: (random) => sentence(random, 2),
  description: (random) => sentence(random, 30),
  japanese: () => "ご注文の商品は本日発送されました。到着までしばらくお待ちください。",
  prose: (random) =>
    random.pick([
      "Bearer authentication is needed",
      "The token: it has expired, please sign in again",
      "Wrong username or password: please try again",
      "Password must be at least 8 characters",
      "Authorization: required for this endpoint",
      "Basic understanding of tokens and secrets",
      "Set a cookie: see the docs",
      "a key = value pair, as in x = 1",
      "auth failed: invalid credentials",
      "Invalid api key provided",
      "The secret of success: work",
      "Use your API key: see settings",
      "Authorization failed: please check your credentials",
      "error: token is missing",
      "Cookie consent: accepted",
      "signature: none",
    ]),
  url: (random) =>
    `https://shop.example.com/p/${random.below(99_999)}?page=${random.below(9)}&sort=price&utm_source=mail#details`,
  webhookUrl: (random) => `https://n8n.example.com/webhook/${uuid(random)}`,
  callbackUrl: (random) => `https://app.test/done?state=ok&lang=es&code=${random.pick(["ES", "200", "EUR"])}`,
  anchor: () => "https://docs.example.com/guide/setup#2-create-the-database-and-tables",
  ip: (random) => [1, 2, 3, 4].map(() => random.below(256)).join("."),
  host: () => "localhost:5678",
  userAgent: () =>
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  contentType: () => "application/json; charset=utf-8",
  accept: () => "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
  cron: () => "0 */2 * * 1-5",
  semver: (random) => `${random.below(9)}.${random.below(40)}.${random.below(20)}-beta.1`,
  color: (random) => `#${random.text(HEX, 6)}`,
  path: (random) => `data/exports/${random.below(2030)}/${random.text(LOWER, 8)}.csv`,
  arn: (random) => `arn:aws:s3:::bucket-${random.text(LOWER, 8)}/key/${uuid(random)}`,
  expression: (random) =>
    random.pick([
      "={{ $json.body.token }}",
      "={{ $('Login').item.json.access_token }}",
      "=Bearer {{ $json.token }}",
      "={{ $json.total * 1.21 }}",
    ]),
  apiKey: () => "={{ $json.apiKey }}",
  jsCode: () =>
    "const token = $json.headers.token;\nconst key = items.map((item) => item.key);\nif (!password) throw new Error('missing');\nreturn { token: token, ok: true };",
  typescript: () => "interface Login { user: string; password: string; token?: string }",
  sql: () => "SELECT id, password_hash IS NULL AS open FROM users WHERE token = $1",
  html: () => '<label for="password">Password:</label><input type="password" name="password" required>',
  json: (random) =>
    JSON.stringify({
      id: random.below(99),
      totalTokens: 5,
      author: "Ana",
      nextCursor: random.text(WORD, 20),
    }),
  largeNumberJson: (random) => `{"id":1${random.text(DIGITS, 19)},"ok":true}`,
  base64Text: (random) => base64Of(sentence(random, 12)),
  base64Json: (random) => base64Of(JSON.stringify({ id: uuid(random), tokens: 12 })),
  stack: () =>
    "TypeError: x is not a function\n    at Object.run (evalmachine.<anonymous>:3:7)\n    at processTicksAndRejections (node:internal/process/task_queues:105:5)",
  python: () => "Traceback (most recent call last):\n  ValueError: bad",
  headers: () => ({
    host: "x.test",
    "content-length": "12",
    "x-request-id": "req-1",
    "accept-encoding": "gzip",
  }),
  query: (random) => ({ page: "2", lang: "es", key: random.pick(["status", "name"]), code: "ES" }),
  parameters: () => [
    { name: "Accept", value: "application/json" },
    { name: "author", value: "Ana" },
  ],
  cookieConsent: () => true,
  cookies: () => ({}),
  schema: () => ({
    type: "object",
    properties: { token: { type: "string", description: "The token" } },
    required: ["token"],
  }),
  networkToken: () => ({ used: false }),
  markdown: () => "Set `API_TOKEN`: the token. Then `auth: {` and `password: process.env.DB_PASSWORD!`",
  credentials: (random) => ({ slackApi: { name: sentence(random, 2) } }),
  buffer: () => ({ type: "Buffer", data: [104, 101, 108, 108, 111] }),
};

export function ordinaryRecord(random: Random): Record<string, unknown> {
  return Object.fromEntries(Object.entries(FIELDS).map(([name, make]) => [name, make(random)]));
}
