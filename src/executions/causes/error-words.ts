/**
 * Maps an error's message to the code or HTTP status it stands for, for errors whose code was not kept. The messages
 * are those of n8n itself (n8n-workflow, `COMMON_ERRORS` and `STATUS_CODE_MESSAGES`, identical in 1.123 and 2.40),
 * Node.js, PostgreSQL, MySQL, MongoDB and Redis. They are only compared, never shown. Pure.
 */

type Words = readonly [form: RegExp, code: string];

/**
 * A row: the code, `/` and the flags if it has any, and forms, one a line or separated by ` | `; `\x20` is a blank
 * at an end.
 */
const readTable = (text: string): Words[] =>
  text
    .trim()
    .split(/\n(?=\S)/)
    .map((row) => {
      const [, code = "", flags, forms = ""] = /^(\w+)(?:\/(\w))? (.*)$/s.exec(row) ?? [];
      return [new RegExp(forms.split(/ \| |\n */).join("|"), flags), code];
    });

/** n8n replaces the system's messages with these; the originals are in `messages`. */
const N8N: readonly Words[] = [
  [/^The service refused the connection - perhaps it is offline/, "ECONNREFUSED"],
  [/^The connection to the server was closed unexpectedly, perhaps it is offline/, "ECONNRESET"],
  [/^The connection cannot be established, this usually occurs due to an incorrect host/, "ENOTFOUND"],
  [/^The connection timed out, consider setting the /, "ETIMEDOUT"],
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
  [/^Maximum number of redirects exceeded/, "ERR_FR_TOO_MANY_REDIRECTS"],
];

/** For all databases: the code stands for the meaning, and is shown only if the data contains it. */
const DATABASES = readTable(String.raw`
42P01 ^(?:relation|table) ".{1,200}" does not exist | ^Table '.{1,200}' doesn't exist
  ^Invalid object name ' | ^(?:SQLITE_ERROR: )?no such table:\x20 | ^ORA-00942\b
42703 ^column .{1,200} does not exist | ^Unknown column ' | ^Invalid column name '
  ^(?:SQLITE_ERROR: )?(?:no such column: |table .{1,100} has no column named ) | ^ORA-00904\b
  ^SQL compilation error:[\s\S]{0,40}\binvalid identifier\b
3D000 ^database ".{1,200}" does not exist | ^Unknown database ' | ^Cannot open database "
3F000 ^schema ".{1,200}" does not exist
42883 ^(?:function|operator|procedure) .{1,300} does not exist
  ^(?:FUNCTION|PROCEDURE) .{1,200} does not exist
42601/i ^syntax error at\x20 | ^Syntax error at line \d | ^You have an error in your SQL syntax
  ^Incorrect syntax near\x20 | ^(?:SQLITE_ERROR: )?near .{1,40}: syntax error | ^ORA-009(?:00|33|36)\b
23505 ^duplicate key value violates unique constraint | ^Duplicate entry '
  ^(?:MongoServerError: )?E11000 duplicate key | ^Violation of (?:PRIMARY|UNIQUE) KEY
  ^Cannot insert duplicate key | ^(?:SQLITE_CONSTRAINT: )?UNIQUE constraint failed | ^ORA-00001\b
23502 ^null value in column .{1,300} violates not-null | ^Column '.{1,200}' cannot be null
  ^Field '.{1,200}' doesn't have a default value | ^Cannot insert the value NULL
  ^(?:SQLITE_CONSTRAINT: )?NOT NULL constraint failed | ^ORA-01400\b
23503 violates foreign key constraint | foreign key constraint fails
  ^The [A-Z]{1,20} statement conflicted with the (?:FOREIGN KEY|REFERENCE|SAME TABLE)
  ^(?:SQLITE_CONSTRAINT: )?FOREIGN KEY constraint failed | ^ORA-0229[12]\b
23514 violates check constraint | ^The [A-Z]{1,20} statement conflicted with the CHECK
  ^Check constraint .{1,200} is violated | ^(?:SQLITE_CONSTRAINT: )?CHECK constraint failed
22001 ^value too long for type | ^Data too long for column | ^String or binary data would be truncated
  ^ORA-12899\b
22003 ^(?:integer|smallint|bigint|value .{1,60}) (?:is )?out of range | ^numeric field overflow
  ^Out of range value for column | ^Arithmetic overflow
22012 ^division by zero | ^Divide by zero
22P02 ^invalid input (?:syntax|value) for\x20 | ^Incorrect \w{1,20} value: '
  ^(?:Conversion|Error converting) .{1,60} (?:failed|to)
  ^column .{1,200} is of type .{1,60} but expression is of type\x20
08P01 ^bind message supplies \d | ^there is no parameter \$\d | ^Column count doesn't match value count
  ^INSERT has more\x20
42501 ^new row violates row-level security policy
  ^permission denied for (?:table|relation|schema|database|sequence|function)
  ^[A-Z ]{1,30} command denied to user ' | ^The [A-Z]{1,20} permission was denied
  ^Access denied for user '.{1,200}' to database | ^not authorized on .{1,100} to execute command
  ^ORA-01031\b
28P01 ^password authentication failed for user | ^Access denied for user ' | ^(?:WRONGPASS|NOAUTH)\x20
  ^Login failed for user | ^role ".{1,200}" does not exist | ^ORA-01017\b
40P01 ^deadlock detected | ^Deadlock found | ^Transaction .{1,60} was deadlocked on lock
  ^could not serialize access | ^ORA-00060\b
53300/i ^(?:sorry, )?too many (?:clients|connections) | ^remaining connection slots are reserved
55P03 ^canceling statement due to lock timeout | ^Lock wait timeout exceeded | ^could not obtain lock
  ^Lock request time out | ^(?:SQLITE_BUSY: )?database is locked | ^ORA-00054\b
57014/i ^canceling statement due to\x20 | ^Query execution was interrupted
  ^maximum statement execution time exceeded
25006 ^cannot execute .{1,40} in a read-only transaction
  ^The \w{1,20} server is running with the --read-only option
`);

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

/** The mySql node puts the driver's code at the end of the description. */
export const WRITTEN_CODE = /^sql: [\s\S]*, code: (ER_[A-Z_0-9]{1,60})$/;

/** Parts of an error in quotes or brackets are data. */
const QUOTED = /(["'])[^"']*\1|(\()[^)]*(\))/g;

function saidIn(table: readonly Words[], texts: readonly string[]): string | null {
  const bare = texts.map((text) => text.replaceAll(QUOTED, "$1$2…$1$3"));
  return table.find(([form]) => bare.some((text) => form.test(text)))?.[1] ?? null;
}

export const isReplaced = (text: string): boolean => [...N8N, ...STATUSES].some(([form]) => form.test(text));

/** The error code that the texts imply; null if none of them is known. */
export const codeInWords = (texts: readonly string[]): string | null => saidIn(CODES, texts);

export const statusInWords = (texts: readonly string[]): string | null => saidIn(STATUSES, texts);
