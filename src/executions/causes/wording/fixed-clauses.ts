/** Clauses after `"Node" failed because` without data of the execution, each implied by a known message. */
export const FIXED_CLAUSES = {
  "credential.expired":
    "its credential's access has expired or was revoked: the credential has to be connected again",
  "credential.no_token":
    "its OAuth credential holds no access token: the credential has to be connected (again)",
  "credential.no_scope": "its credential lacks a right (scope) that this needs",
  "runner.late": "no task runner accepted its code in time: the runner is down, not ready, or busy",
  "runner.memory": "the task runner ran out of memory: there was too much data for its code",
  "runner.gone": "the task runner stopped answering while its code ran",
  "runner.python": "this n8n has no task runner for Python",
  "timeout.runner": "its code ran longer than the task runner allows",
  "not_set_up.issues":
    "a node of the workflow is not set up: a parameter or a credential that it needs is missing",
  "not_set_up.sub_node": "a sub-node that it needs (a model, a tool, …) is not connected, or switched off",
  "not_set_up.session":
    "it was given no session id: the field or parameter that it takes as its key came out empty",
  "not_set_up.unused_respond":
    "there is a Respond to Webhook node, and the Webhook is not set to answer by it",
  "not_set_up.no_respond": "it is set to answer by a Respond to Webhook node, and there is none",
  "not_set_up.no_webhook": "no Webhook node before it waits for its answer",
  "not_set_up.no_form": "no Form Trigger ran before it",
  "invalid_request.columns":
    "the sheet's columns are not those that it was set up with: its list of columns has to be refreshed",
  "tool_failed.arguments": "the model called a tool with arguments that the tool's schema refuses",
  "model.format": "the model's answer did not fit the format that is asked for",
  "model.unreadable": "the model's answer could not be parsed into the expected form",
  "not_json.answer": "what the service answered is not valid JSON, and it is set to read JSON",
  "invalid_request.pagination":
    "its pagination did not end: the service answered the same page again and again, and n8n stopped it",
  "invalid_request.data_table":
    "the data table that it uses does not exist (any more), or is not in its project",
  "connection.mcp": "the MCP server could not be reached, or did not let it in",
  "http_status.own_error": "the service answered with an error of its own",
  "node_failed.command": "the command that it ran ended with an error",
  "code_syntax.expression": "an expression in it is not valid: there is a fault in its syntax",
  "wrong_type.method": "an expression in it calls a method on a value of a type that does not have it",
  "code_return.mode": "its code uses what its mode (once for all items, or once for each) does not have",

  "invalid_request.history":
    "the items that it would have to remember exceed its maximum history size: it takes no more than its history size",
  "wrong_type.kept": "what is stored under that key is of the wrong kind (type) for this operation",
  "wrong_type.nothing": "code in it met a value that is not there (undefined or null), or of another type",
  "invalid_request.encoding":
    "the data is not in the compression or encoding (gzip, zip, …) that it is said to be in, or is damaged",
  "file.protected": "the file is protected by a password",
  "expired.token": "a token, session, signature or link has expired",
  expired: "what it used has expired, or is no longer valid",
  "denied.signature": "a signature, token (JWT) or key does not fit, so it was not accepted",
  "invalid_request.key": "a key or certificate that it was given cannot be read",
  "denied.row_policy": "a row-level security policy of the table does not allow it",
  "denied.sender": "the sender's address was rejected",
  "denied.recipient": "a recipient or mailbox was rejected",
  "not_set_up.upgrade": "what it uses is deprecated or removed, or needs a newer version",
  "denied.env":
    "an expression or code in it reads $env, and this n8n denies access to environment variables (N8N_BLOCK_ENV_ACCESS_IN_NODE)",
  "denied.settings": "the settings of this n8n, or of the service, do not allow it",
  "denied.sign_in": "it was not authorized: the login, password or key was not accepted",
  "credential.none": "a credential that it needs is missing",
  denied: "access was denied: it is not allowed to do this",
  "limit.rate": "too many requests: a rate limit was reached",
  "limit.quota": "a quota, balance or storage limit is used up",
  "limit.memory": "the data exceeds what fits into memory",
  "limit.size": "something is too large or too long: it exceeds a limit",
  "timeout.said": "it took too long, and was given up (a timeout)",
  "invalid_request.locked": "what it needs is locked or in use by another",
  "invalid_request.changed": "it is in conflict with what is there: that was changed meanwhile, or differs",
  "certificate.said": "the encrypted connection (TLS, certificate) could not be set up",
  "connection.said": "the service is unreachable, or closed the connection",

  "not_json.some_text": "a text that it was given, or made, is not valid JSON",
  "invalid_request.syntax":
    "a query or expression that it was given cannot be parsed: its syntax is not valid",
  "invalid_request.unreadable":
    "what it was given to read is in a format that it does not know or cannot read",
  "file.none": "it needs a file, and found none",
  "invalid_request.match_column":
    "a column that it matches by is missing in its input, or empty there (0 counts as empty, too)",
  "invalid_request.column": "a column that it is set to use was not found",
  "invalid_request.unsupported": "it was asked for what it, or this n8n, does not know or does not allow",
  "invalid_request.empty": "a value that it needs is not set, or came out empty",
  "invalid_request.header":
    "the name or value of a header that it was to send holds what is not allowed there (a blank in a name, a line break)",
  "invalid_request.csv":
    "the file is not well-formed CSV: a quote in it is not doubled or not closed, or a line has another number of columns",
  "invalid_request.key_used":
    "the idempotency key that it sent was used before with another request (each needs a key of its own)",
  "invalid_request.exists": "what it was to create or do already exists or was already done",
  "invalid_request.not_found": "what it was asked for does not exist, or was not found",
  "invalid_request.markup":
    "the marks for formatting (Markdown, HTML) in the text that was sent cannot be read",
  "invalid_request.webhook":
    "n8n does not listen at that webhook: its workflow is not published, or it is a test address (/webhook-test/), which answers only while somebody listens in the editor",
  "invalid_request.several": "what it was asked for is not one thing, but several, or one thing twice",
  "invalid_request.state": "what it was to change is in a state that does not allow it",
  "invalid_request.form": "a value is not valid, or not of the form that is expected",
  "node_failed.not_read": "it could not get or read what it asked for",
  "node_failed.not_done": "what it was to create, change, send or run was not done",
  "node_failed.nothing_back": "it, or the service, returned nothing that it could continue with",

  "file.no_match": "no file is at the path that it was given",
  "file.not_allowed": "n8n's settings do not allow it access to that path",
  "file.not_there": "the file does not exist, or n8n may not read it",
  "file.no_rights": "n8n may not read or write at the path that it was given",
  "file.too_large": "the file is larger than n8n can read",
  "file.no_address": "the file or address does not exist",

  "code_return.item":
    "its code does not return what n8n takes for an item: it runs for each item, and has to return one object, and no list",
  "code_return.items": "its code does not return what n8n takes for items: a list of objects with `json`",
  code_syntax: "its code is not valid: there is a fault in its syntax",
  sub_workflow_missing: "the sub-workflow it calls does not exist (any more)",
  sub_workflow_unpublished:
    "the sub-workflow it calls is not published: there is a draft, which is never run",
  sub_workflow_unavailable: "the sub-workflow it calls is not published, or does not exist",
  "sub_workflow_unavailable.no_start": "the sub-workflow it calls has no trigger that it can be called by",
  sub_workflow_refused:
    "the sub-workflow it calls does not allow this workflow as its caller (its caller policy)",
  sub_workflow_not_chosen: "the sub-workflow it calls is not named: the parameter with its id came out empty",
} as const;

export type FixedKind = keyof typeof FIXED_CLAUSES;

export const isFixedKind = (kind: string): kind is FixedKind => Object.hasOwn(FIXED_CLAUSES, kind);
