/**
 * The known errors of n8n, by class (`name`), `context.type`, cause (`failure.cause`), code and HTTP status. The code
 * that throws an error sets all of these, so a value that is in no table is payload like any other text.
 *
 * A row of a table: the names, on one or more lines; after `:` their meaning, as a clause; after `|` the advice.
 * Sources: n8n 2.40.5 (n8n-workflow, n8n-core, n8n, n8n-nodes-base, the langchain nodes, the task runner), Node.js
 * `util.getSystemErrorMap()` and `errors` documentation, axios, nodemailer, SQLSTATE (PostgreSQL, appendix A), MySQL's
 * server errors, OpenAI's error codes. Pure.
 */

export interface ErrorMeaning {
  /** A clause, without capital letter and full stop. */
  readonly says: string;
  /** A sentence; empty if there is no advice. */
  readonly see: string;
}

type Table = ReadonlyMap<string, ErrorMeaning>;

function readTable(text: string): Table {
  const rows = text
    .trim()
    .replaceAll("\n| ", " | ")
    .split(/(?<=^: .*)\n/m);
  return new Map(
    rows.flatMap((row) => {
      const [names = "", meaning = ""] = row.split("\n: ");
      const [says = "", see = ""] = meaning.split(" | ");
      return names.split(/\s+/).map((name) => [name, { says, see }] as const);
    }),
  );
}

export const ERROR_CLASSES = readTable(`
NodeApiError AxiosError HTTPError RequestError StatusCodeError FetchError APIError
: the service that the node called answered with an error | See the node's request and its answer.
NodeOperationError NodeError OperationalError ApplicationError UserError BaseError
: the node could not do its work | See its parameters and what it was given.
WorkflowConfigurationError WorkflowHasIssuesError WorkflowValidationError NotATriggerError
: the workflow is not set up as it has to be | See the node's parameters and the nodes attached to it.
WorkflowOperationError ExecutionBaseError UnexpectedError WorkflowStructureValidationError
: n8n could not go on with this workflow | See its settings, and the sub-workflows that it calls.
SubworkflowOperationError CliWorkflowOperationError SubworkflowPolicyDenialError
: a sub-workflow could not be run, or failed | See the execution that was called.
NodeSslError
: the connection is not trusted: there is a fault in the service's certificate | See its TLS set-up.
ExpressionError ExpressionExtensionError ExpressionClassExtensionError JmespathQueryError
ExpressionDestructuringError ExpressionComputedDestructuringError ExpressionWithStatementError
ExpressionReservedVariableError SecurityViolationError RuntimeError FilterError
: an expression could not be worked out | See the node's parameters and the fields of its input.
ExecutionCancelledError ManualExecutionCancelledError
: somebody stopped the execution
TaskCancelledError CanceledError
: what the node was doing was given up before it was done
TimeoutExecutionCancelledError McpExecutionTimeoutError
: n8n stopped the execution: it took longer than the workflow may | See the time limit in its settings.
SystemShutdownExecutionCancelledError
: n8n was shut down while the execution ran | Start it again if its work is still to be done.
WorkflowCrashedError NodeCrashedError
: n8n crashed while the execution ran, perhaps for lack of memory | See n8n's own log of that time.
MaxStalledCountError
: the worker that ran the execution died or stopped answering | See the log of n8n's workers.
TaskRunnerOomError MemoryLimitError
: there was too little memory for what the node did | See how much data it was given.
TimeoutError AbortError APIConnectionTimeoutError ConnectTimeoutError HeadersTimeoutError BodyTimeoutError
TaskRequestTimeoutError TaskRunnerExecutionTimeoutError TaskRunnerAcceptTimeoutError
TaskRequesterAcceptTimeoutError PollTimeoutError
: something took too long and was given up | See what the node waited for.
TaskRunnerDisconnectedError TaskRunnerFailedHeartbeatError TaskRunnerRestartLoopError
TaskRunnerUnreachableError IsolateError PoolDisposedError PoolExhaustedError TaskRunnerShutdownTimeoutError
TaskRejectError TaskDeferredError PythonRunnerUnavailableError PythonDisabledError
: n8n's task runner did not answer, or stopped | See the log of the task runner.
WrappedExecutionError ExecutionError SerializableError Error AggregateError DOMException
: the code of the node threw an error
TypeError ReferenceError EvalError
: the code of the node used a value of another type or shape than it expects | See the node's code and its input.
RangeError
: the code of the node used a number, date or length that is out of range, or called itself too deeply
| See the node's code and its input.
SyntaxError URIError ParseError OutputParserException XMLParserError YAMLException
: a text could not be read: as JSON, code, a regular expression, or URL-encoded | See the node's input and its code.
DisallowedModuleError UnsupportedFunctionError EngineRequestNotSupportedError
: the code uses a module or a function that this n8n does not allow | See n8n's settings for code.
ValidationError ZodError ReservedKeyFoundError ToolInputParsingException VariableValidationError
InvalidExecutionMetadataError NonJsonBodyError UnprocessableEntityError UnprocessableRequestError
: the data does not have the form that is asked for | See the node's input or what it returned.
CredentialNotFoundError CredentialDataError CredentialMissingIdError InvalidCredentialError
InaccessibleCredentialError InaccessibleCredentialForUserError UnrecognizedCredentialTypeError
CredentialResolutionError CredentialResolverNotFoundError OAuth2SessionExpiredError AuthenticationError
AuthError OAuthError UnauthenticatedError
: a credential is missing, or cannot be used | See the node's credential in n8n.
PermissionDeniedError ForbiddenError WebhookAuthorizationError ChatTriggerAuthorizationError
SsrfBlockedIpError SsrfBlockedHostnameError PolicyViolationError DisallowedFilepathError
FeatureNotLicensedError GuardrailError SecurityError
: it was not allowed | See what the credential, or who called, has rights to.
RateLimitError TooManyRequestsError
: the service is receiving too many requests | See how often the node calls it, and whether it retries.
APIConnectionError ConnectionError ConnectionLostError SocketError ServiceUnavailableError
: the service could not be reached | See its address, and whether it is up.
NotFoundError WebhookNotFoundError ExecutionNotFoundError FileNotFoundError FolderNotFoundError
BinaryDataFileNotFoundError NodeTypeNotFoundError NodeVersionNotFoundError DataTableNotFoundError
UnrecognizedNodeTypeError SharedWorkflowNotFoundError WorkflowNotFoundError
: what was asked for does not exist | See the ids and names in the node's parameters.
BadRequestError ConflictError UnsupportedMediaTypeError UnsupportedMimeTypeError
: the request was rejected as invalid | See the node's parameters.
FileTooLargeError ContentTooLargeError DecompressedSizeExceededError TotalFileSizeExceededError
WebhookResponseTooLargeError
: the data exceeds the size limit | See the size of what the node was given or fetched.
QueryFailedError DatabaseError DbConnectionTimeoutError MongoServerError MongoError
: the database did not answer, or refused | See the query in the node's parameters.
WorkflowActivationError WorkflowDeactivationError WebhookPathTakenError TriggerCloseError
SingleWebhookTriggerError WorkflowActivationBadRequestError WorkflowDeactivationBadRequestError
: the workflow could not be switched on or off | See its trigger nodes.
McpError StreamableHTTPError SseError UrlElicitationRequiredError
: the MCP server or client at the other end reported an error | See the tool that was called.
OpenAIError AnthropicError APIUserAbortError LengthFinishReasonError GoogleGenerativeAIError
: the model's provider reported an error | See the model's node and its credential.
InternalServerError InternalServerException ThrottlingException
: the service failed at its own end | It may be temporary.
ExecutionDataWriteError UnreadableRunDataError MissingExecutionDataError DeduplicationError
CorruptedExecutionDataError StoragePathError InvalidManagerError InvalidSourceTypeError MissingSourceIdError
ExecutionAlreadyResumingError PreExecuteBlockedError AbortedExecutionRetryError QueuedExecutionRetryError
DuplicateExecutionError
: n8n could not read or write what it keeps of the execution | See n8n's own log of that time.
`);

export const ERROR_TYPES = readTable(`
no_execution_data no_node_execution_data no_input_connection
: an expression reads a node that has not run in this execution | See which branch was taken.
paired_item_no_info paired_item_invalid_info paired_item_intermediate_nodes
: an expression asks which item of an earlier node belongs to this one, and a node between does not say
paired_item_no_connection
: an expression reads a node that this one is not connected to | See the connections.
paired_item_multiple_matches
: an expression asks for the one item that belongs to this one, and there are several
internal
: an expression could not be worked out, by a fault inside n8n
`);

export const ERROR_CAUSES = readTable(`
rate-limited
: the service is throttling requests | It works again after a while.
quota-exhausted
: the quota at the service is used up until it is reset
temporarily-unavailable
: the service is down or degraded | It may be temporary.
credential-invalid
: the credential is not valid any more: somebody has to connect it again
configuration-invalid
: the node points at something that is gone, or not allowed any more | See its parameters.
node-defect
: there is a bug in the node itself
`);

export const ERROR_CODES = readTable(`
ECONNREFUSED
: the service refused the connection | See its address and port, and whether it is up.
ECONNRESET ECONNABORTED EPIPE ESTREAM EOF UND_ERR_SOCKET ERR_STREAM_PREMATURE_CLOSE
: the connection broke off | It may be temporary.
ESOCKET ECONNECTION
: the connection failed or was closed | See the service's address, port and TLS set-up, and whether it is up.
ENOTFOUND EAI_NONAME EAI_NODATA EDNS GETADDRINFO ERR_INVALID_URL
: the host's name is not known | See the address in the node's parameters.
EAI_AGAIN EAI_FAIL
: the host's name could not be looked up just then | It may be temporary.
ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT
: the service did not answer in time | See the node's time limit, and how busy the service is.
EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL ERR_NETWORK 08006 08001
: the service's network cannot be reached from n8n
CERT_HAS_EXPIRED
: the service's certificate has expired | See its TLS set-up.
DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN
: the service's certificate is self-signed, and so not trusted | See its TLS set-up.
ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH
: the service's certificate is for another host name | See the address and its TLS set-up.
UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY
: the service's certificate comes from an issuer that is not known here | See its TLS set-up.
CERT_NOT_YET_VALID CERT_UNTRUSTED CERT_REVOKED EPROTO ETLS
: the service's certificate is not trusted, or does not fit | See its TLS set-up.
ERR_OSSL_PEM_NO_START_LINE ERR_OSSL_UNSUPPORTED
: a key or certificate that the node was given cannot be read
EAUTH ENOAUTH 28P01 28000 ER_ACCESS_DENIED_ERROR invalid_api_key invalid_grant invalid_client
: the credential (login, password or key) was not accepted | See the credential, if the node has one.
ENOENT ENOTDIR EISDIR MODULE_NOT_FOUND ERR_MODULE_NOT_FOUND
: the file or directory does not exist | See the path in the node's parameters.
EACCES EPERM EROFS
: n8n may not read or write there | See the rights on the file.
EEXIST ENOTEMPTY EADDRINUSE ERRADDRINUSE
: there is something of this name already
ENOSPC ENOMEM EMFILE ENFILE EDQUOT ERR_WORKER_OUT_OF_MEMORY
: n8n's machine ran out of room, memory or open files
ERR_BAD_REQUEST EENVELOPE EMESSAGE EPROTOCOL
: the service refused the request
ERR_BAD_RESPONSE
: the service failed at its own end
ERR_CANCELED ECANCELED ABORT_ERR
: the request was given up
ERR_FR_TOO_MANY_REDIRECTS
: the service redirected too often | See the address.
ERR_BUFFER_TOO_LARGE EFBIG EMSGSIZE ERR_OUT_OF_RANGE E2BIG
: the data exceeds the size limit
ERR_INVALID_ARG_TYPE ERR_INVALID_ARG_VALUE EINVAL 22P02
: a value is not of the kind that is asked for
23505 ER_DUP_ENTRY
: a row of this key is there already (unique constraint)
23503 ER_NO_REFERENCED_ROW_2 ER_ROW_IS_REFERENCED_2 ER_NO_REFERENCED_ROW ER_ROW_IS_REFERENCED
: a foreign key constraint of the database was broken: a row refers to one that does not exist, or is referred to
23502 ER_BAD_NULL_ERROR ER_NO_DEFAULT_FOR_FIELD
: a column that must not be null was given no value (not-null constraint)
23514 ER_CHECK_CONSTRAINT_VIOLATED
: a value breaks a check constraint of the table
22001 ER_DATA_TOO_LONG
: a value is too long for its column
22003 ER_WARN_DATA_OUT_OF_RANGE
: a number is out of range for its column
22012 ER_DIVISION_BY_ZERO
: the query divides by zero
ER_TRUNCATED_WRONG_VALUE ER_TRUNCATED_WRONG_VALUE_FOR_FIELD
: a value is not of the type of its column
42P01 ER_NO_SUCH_TABLE
: the query names a table that does not exist | See the query.
42703 ER_BAD_FIELD_ERROR
: the query names a column that does not exist | See the query.
3D000 ER_BAD_DB_ERROR
: the database that it names does not exist | See the credential and the query.
3F000
: the query names a schema that does not exist | See the query.
42883 ER_SP_DOES_NOT_EXIST
: the query uses a function or operator that does not exist for these types | See the query.
08P01 ER_WRONG_VALUE_COUNT_ON_ROW
: the query is given another number of values than it has places for | See the query and its parameters.
57014 ER_QUERY_INTERRUPTED ER_QUERY_TIMEOUT
: the database canceled the query: it ran longer than allowed (timeout), or somebody canceled it
55P03 ER_LOCK_WAIT_TIMEOUT ER_LOCK_NOWAIT
: it waited too long for a lock (a row or table) that another transaction holds
42601 ER_PARSE_ERROR
: the query is not valid SQL | See the query.
42501 ER_TABLEACCESS_DENIED_ERROR ER_COLUMNACCESS_DENIED_ERROR ER_DBACCESS_DENIED_ERROR
ER_SPECIFIC_ACCESS_DENIED_ERROR
: the database denied access: its user has no right to do this | See the rights of the credential.
25006 ER_OPTION_PREVENTS_STATEMENT
: the database can only be read there (read-only)
53300 ER_CON_COUNT_ERROR ER_TOO_MANY_USER_CONNECTIONS
: the database has too many connections
40P01 40001 ER_LOCK_DEADLOCK
: transactions of the database got in each other's way (a deadlock, or a conflict of locks)
insufficient_quota quota_exceeded
: the quota at the model's provider is used up
rate_limit_exceeded MODEL_RATE_LIMIT
: the model's provider is receiving too many requests
context_length_exceeded CONTEXT_OVERFLOW
: the text is longer than the model takes
model_not_found MODEL_NOT_FOUND
: the model does not exist, or the credential may not use it
MODEL_AUTHENTICATION
: the model's provider did not accept the credential
OUTPUT_PARSING_FAILURE INVALID_TOOL_RESULTS
: the model's answer could not be read
`);

/** By HTTP status, or its first digit. `{it}` is replaced by the service that answered. */
export const HTTP_STATUSES = readTable(`
400 422 4
: {it} refused the request as wrong | See what the node sent.
401 407
: {it} did not accept the credential (login or key), or was given none | See the credential, if the node has one.
402
: {it} asks for payment
403 451
: {it} does not allow it | See what the credential has rights to.
404 410
: {it} does not know the address, or what was asked for | See the URL and the ids in it.
405
: {it} does not take this method there | See the node's method and URL.
408
: {it} did not get the request in time
409 412
: what was sent is in conflict with what {it} has
413 414 431
: {it} was sent more than it takes
406 415
: {it} does not take this kind of content | See the node's headers and body.
429
: {it} is receiving too many requests | See how often the node calls it, and whether it retries.
5
: {it} failed at its own end | It may be temporary.
502 503 529
: {it}, or a proxy before it, is not available | It may be temporary.
504 524
: {it} did not answer its own proxy in time | It may be temporary.
3
: {it} redirected, which the node did not follow | See its URL.
`);

/** The meaning of a status, worded for the service that answered; undefined if it is not a status. */
export function statusMeaning(status: string, who = "the service"): ErrorMeaning | undefined {
  const meaning = HTTP_STATUSES.get(status) ?? HTTP_STATUSES.get(status.charAt(0));
  return meaning && { ...meaning, says: meaning.says.replace("{it}", who) };
}
