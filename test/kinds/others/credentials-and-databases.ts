/** Credentials that were deleted or lack a permission; databases. */
import { apiError, nodeError, one, ownError, type ReportedCase } from "./case.ts";

const HTTP = "httpRequest";
const BAD = "Bad request - please check your parameters";
export const credentials: readonly ReportedCase[] = [
  one(
    "no-access-token",
    "#18413",
    ["Ask API", HTTP, apiError(null, "Unable to sign without access token")],
    /credential/,
    /token|connect/,
  ),
  one(
    "reconnect",
    "pull request 30460",
    [
      "List files",
      "googleDrive",
      nodeError('The credential "planted" needs to be reconnected.', {
        description:
          "Access could not be refreshed because the connected account has revoked access, the refresh token expired, or the account password or permissions changed.",
      }),
    ],
    /credential/,
    /connect/,
  ),
  one(
    "grant-expired",
    "pull request 30460, what n8n said before",
    [
      "Get many messages",
      "gmail",
      apiError(
        null,
        "The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.",
      ),
    ],
    /credential/,
    /expired|connect/,
  ),
  one(
    "grant-code",
    "RFC 6749, as googleapis say it",
    [
      "Get many messages",
      "gmail",
      apiError("400", BAD, { messages: ["invalid_grant"], description: "invalid_grant" }),
    ],
    /credential/,
  ),
  one(
    "smtp-login",
    "nodemailer",
    [
      "Send email",
      "emailSend",
      {
        name: "NodeApiError",
        code: "EAUTH",
        message: "Invalid login: 535-5.7.8 Username and Password not accepted",
        messages: [],
      },
    ],
    /credential/,
  ),
  one(
    "ssh-login",
    "ssh2",
    [
      "Run script",
      "ssh",
      ownError("All configured authentication methods failed", { level: "client-authentication" }),
    ],
    /credential/,
  ),
  one(
    "no-credentials",
    "n8n-core credentials helper",
    ["Send a message", "slack", nodeError("Node does not have any credentials set")],
    /no credential/,
  ),
  one(
    "no-credentials-of-type",
    "n8n-core credentials helper",
    [
      "Send a message",
      "slack",
      nodeError('Node type "n8n-nodes-base.slack" does not have any credentials of type "slackApi" defined'),
    ],
    /credential/,
  ),
  one(
    "other-key",
    "n8n-core credentials",
    [
      "Send a message",
      "slack",
      ownError(
        'Credentials could not be decrypted. The likely reason is that a different "encryptionKey" was used to encrypt the data.',
      ),
    ],
    /credential/,
    /key/,
  ),
];

export const databases: readonly ReportedCase[] = [
  one(
    "postgres-terminated",
    "#13047",
    ["Read rows", "postgres", nodeError("Connection terminated unexpectedly")],
    /connection/i,
  ),
  one(
    "postgres-timeout",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Read rows", "postgres", nodeError("Connection timed out", { description: "10.0.0.9:5432" })],
    /answer in time|timed out/,
  ),
  one(
    "postgres-host",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Read rows", "postgres", nodeError("Host not found", { description: "planted.example" })],
    /host/,
  ),
  one(
    "postgres-table",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    [
      "Read rows",
      "postgres",
      nodeError('relation "planted" does not exist', { description: "Failed query: SELECT * FROM planted" }),
    ],
    /table or column|does not exist/,
  ),
  one(
    "postgres-column",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Insert rows", "postgres", nodeError('column "planted" of relation "orders" does not exist')],
    /table or column|does not exist/,
  ),
  one(
    "postgres-syntax",
    "n8n-nodes-base Postgres/v2/helpers/utils",
    ["Execute a SQL query", "postgres", nodeError('Syntax error at line 3 near "planted"')],
    /SQL|query/,
  ),
  one(
    "postgres-duplicate",
    "PostgreSQL",
    [
      "Insert rows",
      "postgres",
      nodeError('duplicate key value violates unique constraint "planted_pkey"', {
        description: "Key (id)=(7) already exists.",
      }),
    ],
    /already|unique/,
  ),
  one(
    "postgres-null",
    "#32475",
    [
      "Insert rows",
      "postgres",
      nodeError('null value in column "planted" of relation "orders" violates not-null constraint'),
    ],
    /constraint|must be there/,
  ),
  one(
    "postgres-type",
    "PostgreSQL",
    ["Insert rows", "postgres", nodeError('invalid input syntax for type integer: "planted"')],
    /kind|type/,
  ),
  one(
    "mysql-duplicate",
    "mysql2",
    [
      "Insert rows",
      "mySql",
      { ...nodeError("Duplicate entry 'planted' for key 'PRIMARY'"), code: "ER_DUP_ENTRY" },
    ],
    /already|unique/,
  ),
  one(
    "redis-away",
    "n8n-nodes-base Redis",
    ["Get key", "redis", { ...nodeError("connect ECONNREFUSED 127.0.0.1:6379") }],
    /refus/,
  ),
  one(
    "mongo-login",
    "mongodb driver",
    ["Find documents", "mongoDb", { name: "MongoServerError", message: "Authentication failed.", code: 18 }],
    /credential/,
  ),
];
