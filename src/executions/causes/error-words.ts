/**
 * Maps an error's message to the code or HTTP status it stands for, for errors whose code was not kept. The messages
 * are those of n8n itself (n8n-workflow, `COMMON_ERRORS` and `STATUS_CODE_MESSAGES`, identical in 1.123 and 2.40),
 * Node.js, PostgreSQL, MySQL, MongoDB and Redis. They are only compared, never shown. Pure.
 */

type Words = readonly [form: RegExp, code: string];

/** n8n replaces the system's messages with these; the originals are in `messages`. */
const N8N: readonly Words[] = [
  [/^The service refused the connection - perhaps it is offline/, "ECONNREFUSED"],
  [/^The connection to the server was closed unexpectedly, perhaps it is offline/, "ECONNRESET"],
  [/^The connection cannot be established, this usually occurs due to an incorrect host/, "ENOTFOUND"],
  [/^The connection timed out, consider setting the 'Retry on Fail' option/, "ETIMEDOUT"],
  [/^The address is not available, ensure that you have the right IP address/, "EADDRNOTAVAIL"],
  [/^The connection was aborted, perhaps the server is offline/, "ECONNABORTED"],
  [/^The host is unreachable, perhaps the server is offline/, "EHOSTUNREACH"],
  [/^The DNS server returned an error, perhaps the server is offline/, "EAI_AGAIN"],
  [/^The file or directory does not exist/, "ENOENT"],
  [/^The file path was expected but the given path is a directory/, "EISDIR"],
  [/^The directory path was expected but the given path is a file/, "ENOTDIR"],
  [/^Forbidden by access permissions, make sure you have the right permissions/, "EACCES"],
  [/^The file or directory already exists/, "EEXIST"],
  [/^Operation not permitted, make sure you have the right permissions/, "EPERM"],
];

const SYSTEM: readonly Words[] = [
  [/(?:^|\s)connect ECONNREFUSED\s|^Connection refused$|ECONNREFUSED/, "ECONNREFUSED"],
  [/(?:^|\s)getaddrinfo ENOTFOUND\s|^Host not found$/, "ENOTFOUND"],
  [/(?:^|\s)getaddrinfo EAI_AGAIN\s/, "EAI_AGAIN"],
  [/(?:^|\s)connect ETIMEDOUT\s|^(?:Connection (?:timeout|timed out)|Timeout while connecting)/, "ETIMEDOUT"],
  [/^(?:read|write) ECONNRESET$|^(?:Connection terminated|Connection lost: The server closed)/, "ECONNRESET"],
  [/socket hang up/, "ECONNRESET"],
  [/^All configured authentication methods failed|^Authentication failed\.?$/, "EAUTH"],
];

const DATABASES: readonly Words[] = [
  [/^(?:relation|table) ".{1,200}" does not exist|^Table '.{1,200}' doesn't exist/, "42P01"],
  [/^column .{1,200} does not exist|^Unknown column '/, "42703"],
  [/^database ".{1,200}" does not exist|^Unknown database '/, "3D000"],
  [/^syntax error at or near |^Syntax error at line \d|^You have an error in your SQL syntax/, "42601"],
  [/^duplicate key value violates unique constraint|^Duplicate entry '|^E11000 duplicate key/, "23505"],
  [/^null value in column .{1,300} violates not-null|^Column '.{1,200}' cannot be null/, "23502"],
  [/violates foreign key constraint|foreign key constraint fails/, "23503"],
  [/violates check constraint/, "23514"],
  [/^invalid input (?:syntax|value) for |^Incorrect \w{1,20} value: '/, "22P02"],
  [/^permission denied for (?:table|relation|schema|database|sequence|function)/, "42501"],
  [/^password authentication failed for user|^Access denied for user '|^(?:WRONGPASS|NOAUTH) /, "28P01"],
  [/^deadlock detected|^Deadlock found/, "40P01"],
  [/^(?:sorry, )?too many (?:clients|connections)|^remaining connection slots are reserved/i, "53300"],
  [/^canceling statement due to (?:statement|lock) timeout|^Lock wait timeout exceeded/, "57014"],
];

const STATUSES: readonly Words[] = [
  [/^Bad request - please check your parameters/, "400"],
  [/^Authorization failed - please check your credentials/, "401"],
  [/^Payment required - perhaps check your payment details/, "402"],
  [/^Forbidden - perhaps check your credentials/, "403"],
  [/^The resource you are requesting could not be found/, "404"],
  [/^Method not allowed - please check you are using the right HTTP method/, "405"],
  [/^The service is receiving too many requests from you/, "429"],
  [/^The service was not able to process your request/, "500"],
  [/^Bad gateway - the service failed to handle your request/, "502"],
  [/^Service unavailable - try again later or consider setting this node to retry/, "503"],
  [/^Gateway timed out - perhaps try again later/, "504"],
];

const CODES: readonly Words[] = [...SYSTEM, ...DATABASES, ...N8N];

/** Quoted parts of an error are data. */
const QUOTED = /"[^"]*"|'[^']*'|\([^)]*\)/g;

function saidIn(table: readonly Words[], texts: readonly string[]): string | null {
  const bare = texts.map((text) => text.replaceAll(QUOTED, ""));
  const textsFor = (form: RegExp): readonly string[] => (form.source.startsWith("^") ? texts : bare);
  return table.find(([form]) => textsFor(form).some((text) => form.test(text)))?.[1] ?? null;
}

/** The error code that the texts imply; null if none of them is known. */
export const codeInWords = (texts: readonly string[]): string | null => saidIn(CODES, texts);

export const statusInWords = (texts: readonly string[]): string | null => saidIn(STATUSES, texts);
