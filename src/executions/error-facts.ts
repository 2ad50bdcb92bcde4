/**
 * What is known of errors in n8n: classes (`name`), `context.type`, causes (`failure.cause`) and codes, each with a
 * sentence of ours. Whoever throws an error sets all of these, so one that stands in no table is payload like any
 * other text. Sources: n8n 2.40.5 (n8n-workflow, n8n-core, n8n, n8n-nodes-base, the langchain nodes, the task
 * runner), Node.js `util.getSystemErrorMap()` and `errors` documentation, axios, nodemailer, SQLSTATE (PostgreSQL,
 * appendix A), MySQL's server errors, OpenAI's error codes. Facts only. Pure.
 */

/** Things that mean the same to who looks for the reason. */
interface Fact {
  readonly sentence: string;
  readonly names: readonly string[];
}

const CLASSES: readonly Fact[] = [
  {
    sentence:
      "The service that the node called answered with an error. See the node's request and its answer.",
    names: [
      "NodeApiError",
      "AxiosError",
      "HTTPError",
      "RequestError",
      "StatusCodeError",
      "FetchError",
      "APIError",
    ],
  },
  {
    sentence: "The node could not do its work. See its parameters and what it was given.",
    names: [
      "NodeOperationError",
      "NodeError",
      "OperationalError",
      "ApplicationError",
      "UserError",
      "BaseError",
    ],
  },
  {
    sentence:
      "The workflow is not set up as it has to be. See the node's parameters and the nodes attached to it.",
    names: [
      "WorkflowConfigurationError",
      "WorkflowHasIssuesError",
      "WorkflowValidationError",
      "NotATriggerError",
    ],
  },
  {
    sentence:
      "n8n could not go on with this workflow. See its settings, and the sub-workflows that it calls.",
    names: [
      "WorkflowOperationError",
      "ExecutionBaseError",
      "UnexpectedError",
      "WorkflowStructureValidationError",
    ],
  },
  {
    sentence: "A sub-workflow could not be run, or failed. See the execution that was called.",
    names: ["SubworkflowOperationError", "CliWorkflowOperationError", "SubworkflowPolicyDenialError"],
  },
  {
    sentence:
      "The connection is not trusted: there is a fault in the service's certificate. See its TLS set-up.",
    names: ["NodeSslError"],
  },
  {
    sentence: "An expression could not be worked out. See the node's parameters and the fields of its input.",
    names: [
      ...[
        "ExpressionError",
        "ExpressionExtensionError",
        "ExpressionClassExtensionError",
        "JmespathQueryError",
      ],
      ...[
        "ExpressionDestructuringError",
        "ExpressionComputedDestructuringError",
        "ExpressionWithStatementError",
      ],
      ...["ExpressionReservedVariableError", "SecurityViolationError", "RuntimeError", "FilterError"],
    ],
  },
  {
    sentence: "Somebody stopped the execution.",
    names: ["ExecutionCancelledError", "ManualExecutionCancelledError"],
  },
  {
    sentence: "What the node was doing was given up before it was done.",
    names: ["TaskCancelledError", "CanceledError"],
  },
  {
    sentence:
      "n8n stopped the execution: it took longer than the workflow may. See the time limit in its settings.",
    names: ["TimeoutExecutionCancelledError", "McpExecutionTimeoutError"],
  },
  {
    sentence: "n8n was shut down while the execution ran. Start it again if its work is still to be done.",
    names: ["SystemShutdownExecutionCancelledError"],
  },
  {
    sentence:
      "n8n crashed while the execution ran, perhaps for lack of memory. See n8n's own log of that time.",
    names: ["WorkflowCrashedError", "NodeCrashedError", "MaxStalledCountError"],
  },
  {
    sentence: "There was too little memory for what the node did. See how much data it was given.",
    names: ["TaskRunnerOomError", "MemoryLimitError"],
  },
  {
    sentence: "Something took too long and was given up. See what the node waited for.",
    names: [
      ...[
        "TimeoutError",
        "AbortError",
        "APIConnectionTimeoutError",
        "ConnectTimeoutError",
        "HeadersTimeoutError",
      ],
      ...["BodyTimeoutError", "TaskRequestTimeoutError", "TaskRunnerExecutionTimeoutError"],
      ...["TaskRunnerAcceptTimeoutError", "TaskRequesterAcceptTimeoutError", "PollTimeoutError"],
    ],
  },
  {
    sentence: "n8n's runner of code did not answer, or went away. See the log of the task runner.",
    names: [
      ...["TaskRunnerDisconnectedError", "TaskRunnerFailedHeartbeatError", "TaskRunnerRestartLoopError"],
      ...[
        "TaskRunnerUnreachableError",
        "IsolateError",
        "PoolDisposedError",
        "PoolExhaustedError",
        "TaskRunnerShutdownTimeoutError",
        "TaskRejectError",
        "TaskDeferredError",
      ],
      ...["PythonRunnerUnavailableError", "PythonDisabledError"],
    ],
  },
  {
    sentence: "The code of the node threw an error. See its code, at the line that is named, and its input.",
    names: [
      "WrappedExecutionError",
      "ExecutionError",
      "SerializableError",
      "Error",
      "AggregateError",
      "DOMException",
    ],
  },
  {
    sentence:
      "The code of the node used a value that is not what it takes it for. See the node's code and its input.",
    names: ["TypeError", "ReferenceError", "EvalError", "URIError"],
  },
  {
    sentence:
      "The code of the node used a number, date or length that is out of range, or called itself too deeply. See the node's code and its input.",
    names: ["RangeError"],
  },
  {
    sentence: "A text could not be read: as JSON, or as code. See the node's input and its code.",
    names: ["SyntaxError", "ParseError", "OutputParserException", "XMLParserError", "YAMLException"],
  },
  {
    sentence:
      "The code uses a module or a function that this n8n does not allow. See n8n's settings for code.",
    names: ["DisallowedModuleError", "UnsupportedFunctionError", "EngineRequestNotSupportedError"],
  },
  {
    sentence: "The data does not have the form that is asked for. See the node's input or what it returned.",
    names: [
      ...[
        "ValidationError",
        "ZodError",
        "ReservedKeyFoundError",
        "ToolInputParsingException",
        "VariableValidationError",
      ],
      ...[
        "InvalidExecutionMetadataError",
        "NonJsonBodyError",
        "UnprocessableEntityError",
        "UnprocessableRequestError",
      ],
    ],
  },
  {
    sentence: "A credential is missing, or cannot be used. See the node's credential in n8n.",
    names: [
      ...[
        "CredentialNotFoundError",
        "CredentialDataError",
        "CredentialMissingIdError",
        "InvalidCredentialError",
      ],
      ...[
        "InaccessibleCredentialError",
        "InaccessibleCredentialForUserError",
        "UnrecognizedCredentialTypeError",
      ],
      ...["CredentialResolutionError", "CredentialResolverNotFoundError", "OAuth2SessionExpiredError"],
      ...["AuthenticationError", "AuthError", "OAuthError", "UnauthenticatedError"],
    ],
  },
  {
    sentence: "It was not allowed. See what the credential, or who called, has rights to.",
    names: [
      ...[
        "PermissionDeniedError",
        "ForbiddenError",
        "WebhookAuthorizationError",
        "ChatTriggerAuthorizationError",
      ],
      ...[
        "SsrfBlockedIpError",
        "SsrfBlockedHostnameError",
        "PolicyViolationError",
        "DisallowedFilepathError",
      ],
      ...["FeatureNotLicensedError", "GuardrailError", "SecurityError"],
    ],
  },
  {
    sentence:
      "The service is receiving too many requests. See how often the node calls it, and whether it retries.",
    names: ["RateLimitError", "TooManyRequestsError"],
  },
  {
    sentence: "The service could not be reached. See its address, and whether it is up.",
    names: [
      "APIConnectionError",
      "ConnectionError",
      "ConnectionLostError",
      "SocketError",
      "ServiceUnavailableError",
    ],
  },
  {
    sentence: "What was asked for does not exist. See the ids and names in the node's parameters.",
    names: [
      ...[
        "NotFoundError",
        "WebhookNotFoundError",
        "ExecutionNotFoundError",
        "FileNotFoundError",
        "FolderNotFoundError",
      ],
      ...[
        "BinaryDataFileNotFoundError",
        "NodeTypeNotFoundError",
        "NodeVersionNotFoundError",
        "DataTableNotFoundError",
      ],
      ...["UnrecognizedNodeTypeError", "SharedWorkflowNotFoundError", "WorkflowNotFoundError"],
    ],
  },
  {
    sentence: "The request was rejected as invalid. See the node's parameters.",
    names: ["BadRequestError", "ConflictError", "UnsupportedMediaTypeError", "UnsupportedMimeTypeError"],
  },
  {
    sentence: "The data exceeds the size limit. See the size of what the node was given or fetched.",
    names: [
      ...[
        "FileTooLargeError",
        "ContentTooLargeError",
        "DecompressedSizeExceededError",
        "TotalFileSizeExceededError",
      ],
      ...["WebhookResponseTooLargeError"],
    ],
  },
  {
    sentence: "The database did not answer, or refused. See the query in the node's parameters.",
    names: [
      "QueryFailedError",
      "DatabaseError",
      "DbConnectionTimeoutError",
      "MongoServerError",
      "MongoError",
    ],
  },
  {
    sentence: "The workflow could not be switched on or off. See its trigger nodes.",
    names: [
      ...[
        "WorkflowActivationError",
        "WorkflowDeactivationError",
        "WebhookPathTakenError",
        "TriggerCloseError",
      ],
      ...[
        "SingleWebhookTriggerError",
        "WorkflowActivationBadRequestError",
        "WorkflowDeactivationBadRequestError",
      ],
    ],
  },
  {
    sentence: "The MCP server or client at the other end reported an error. See the tool that was called.",
    names: ["McpError", "StreamableHTTPError", "SseError", "UrlElicitationRequiredError"],
  },
  {
    sentence: "The model's provider reported an error. See the model's node and its credential.",
    names: [
      "OpenAIError",
      "AnthropicError",
      "APIUserAbortError",
      "LengthFinishReasonError",
      "GoogleGenerativeAIError",
    ],
  },
  {
    sentence: "The service failed at its own end. It may be worth trying again.",
    names: ["InternalServerError", "InternalServerException", "ThrottlingException"],
  },
  {
    sentence: "n8n could not read or write what it keeps of the execution. See n8n's own log of that time.",
    names: [
      ...[
        "ExecutionDataWriteError",
        "UnreadableRunDataError",
        "MissingExecutionDataError",
        "DeduplicationError",
      ],
      ...["CorruptedExecutionDataError", "StoragePathError", "InvalidManagerError", "InvalidSourceTypeError"],
      ...["MissingSourceIdError", "ExecutionAlreadyResumingError", "PreExecuteBlockedError"],
      ...["AbortedExecutionRetryError", "QueuedExecutionRetryError", "DuplicateExecutionError"],
    ],
  },
];

const TYPES: readonly Fact[] = [
  {
    sentence: "An expression reads a node that has not run in this execution. See which branch was taken.",
    names: ["no_execution_data", "no_node_execution_data", "no_input_connection"],
  },
  {
    sentence:
      "An expression asks which item of an earlier node belongs to this one, and a node between does not say.",
    names: ["paired_item_no_info", "paired_item_invalid_info", "paired_item_intermediate_nodes"],
  },
  {
    sentence: "An expression reads a node that this one is not connected to. See the connections.",
    names: ["paired_item_no_connection"],
  },
  {
    sentence: "An expression asks for the one item that belongs to this one, and there are several.",
    names: ["paired_item_multiple_matches"],
  },
  { sentence: "An expression could not be worked out, by a fault inside n8n.", names: ["internal"] },
];

const CAUSES: readonly Fact[] = [
  { sentence: "The service is throttling requests. It works again after a while.", names: ["rate-limited"] },
  { sentence: "The quota at the service is used up until it is reset.", names: ["quota-exhausted"] },
  {
    sentence: "The service is down or degraded. It may be worth trying again.",
    names: ["temporarily-unavailable"],
  },
  {
    sentence: "The credential is not valid any more: somebody has to connect it again.",
    names: ["credential-invalid"],
  },
  {
    sentence: "The node points at something that is gone, or not allowed any more. See its parameters.",
    names: ["configuration-invalid"],
  },
  { sentence: "There is a bug in the node itself.", names: ["node-defect"] },
];

const CODES: readonly Fact[] = [
  {
    sentence: "The service refused the connection. See its address and port, and whether it is up.",
    names: ["ECONNREFUSED"],
  },
  {
    sentence: "The connection broke off. It may be worth trying again.",
    names: [
      "ECONNRESET",
      "ECONNABORTED",
      "EPIPE",
      "ESOCKET",
      "ESTREAM",
      "EOF",
      "UND_ERR_SOCKET",
      "ERR_STREAM_PREMATURE_CLOSE",
    ],
  },
  {
    sentence: "The host's name is not known. See the address in the node's parameters.",
    names: ["ENOTFOUND", "EAI_NONAME", "EAI_NODATA", "EDNS", "GETADDRINFO", "ERR_INVALID_URL"],
  },
  {
    sentence: "The host's name could not be looked up just then. It may be worth trying again.",
    names: ["EAI_AGAIN", "EAI_FAIL"],
  },
  {
    sentence: "The service did not answer in time. See the node's time limit, and how busy the service is.",
    names: [
      ...[
        "ETIMEDOUT",
        "ESOCKETTIMEDOUT",
        "UND_ERR_CONNECT_TIMEOUT",
        "UND_ERR_HEADERS_TIMEOUT",
        "UND_ERR_BODY_TIMEOUT",
      ],
      ...["57014", "ER_LOCK_WAIT_TIMEOUT"],
    ],
  },
  {
    sentence: "The service's network cannot be reached from n8n.",
    names: [
      "EHOSTUNREACH",
      "ENETUNREACH",
      "EHOSTDOWN",
      "ENETDOWN",
      "EADDRNOTAVAIL",
      "ERR_NETWORK",
      "ECONNECTION",
      "08006",
      "08001",
    ],
  },
  {
    sentence: "The service's certificate is not trusted, or does not fit. See its TLS set-up.",
    names: [
      ...[
        "CERT_HAS_EXPIRED",
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "CERT_NOT_YET_VALID",
      ],
      ...[
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "UNABLE_TO_GET_ISSUER_CERT",
        "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      ],
      ...[
        "ERR_TLS_CERT_ALTNAME_INVALID",
        "HOSTNAME_MISMATCH",
        "CERT_UNTRUSTED",
        "CERT_REVOKED",
        "EPROTO",
        "ETLS",
      ],
    ],
  },
  {
    sentence: "A key or certificate in the credential cannot be read.",
    names: ["ERR_OSSL_PEM_NO_START_LINE", "ERR_OSSL_UNSUPPORTED"],
  },
  {
    sentence: "The credential was not accepted. See the node's credential in n8n.",
    names: [
      "EAUTH",
      "ENOAUTH",
      "28P01",
      "28000",
      "ER_ACCESS_DENIED_ERROR",
      "invalid_api_key",
      "invalid_grant",
      "invalid_client",
    ],
  },
  {
    sentence: "The file or directory does not exist. See the path in the node's parameters.",
    names: ["ENOENT", "ENOTDIR", "EISDIR", "MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"],
  },
  {
    sentence: "n8n may not read or write there. See the rights on the file.",
    names: ["EACCES", "EPERM", "EROFS"],
  },
  {
    sentence: "There is something of this name already.",
    names: ["EEXIST", "ENOTEMPTY", "EADDRINUSE", "ERRADDRINUSE"],
  },
  {
    sentence: "n8n's machine ran out of room, memory or open files.",
    names: ["ENOSPC", "ENOMEM", "EMFILE", "ENFILE", "EDQUOT", "ERR_WORKER_OUT_OF_MEMORY"],
  },
  {
    sentence: "The service refused the request.",
    names: ["ERR_BAD_REQUEST", "EENVELOPE", "EMESSAGE", "EPROTOCOL"],
  },
  { sentence: "The service failed at its own end.", names: ["ERR_BAD_RESPONSE"] },
  { sentence: "The request was given up.", names: ["ERR_CANCELED", "ECANCELED", "ABORT_ERR"] },
  { sentence: "The service redirected too often. See the address.", names: ["ERR_FR_TOO_MANY_REDIRECTS"] },
  {
    sentence: "The data exceeds the size limit.",
    names: ["ERR_BUFFER_TOO_LARGE", "EFBIG", "EMSGSIZE", "ERR_OUT_OF_RANGE", "E2BIG"],
  },
  {
    sentence: "A value is not of the kind that is asked for.",
    names: ["ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE", "EINVAL", "22P02"],
  },
  { sentence: "A row of this key is there already (unique constraint).", names: ["23505", "ER_DUP_ENTRY"] },
  {
    sentence:
      "A constraint of the database was broken: a row that is referred to, or a value that must be there.",
    names: [
      "23503",
      "23502",
      "23514",
      "ER_NO_REFERENCED_ROW_2",
      "ER_ROW_IS_REFERENCED_2",
      "ER_BAD_NULL_ERROR",
    ],
  },
  {
    sentence: "The query names a table or column that does not exist. See the query.",
    names: ["42P01", "42703", "ER_NO_SUCH_TABLE", "ER_BAD_FIELD_ERROR", "ER_BAD_DB_ERROR", "3D000"],
  },
  { sentence: "The query is not valid SQL. See the query.", names: ["42601", "ER_PARSE_ERROR"] },
  {
    sentence: "The database does not allow it. See the rights of the credential.",
    names: ["42501", "ER_TABLEACCESS_DENIED_ERROR"],
  },
  {
    sentence: "The database has too many connections, or transactions got in each other's way.",
    names: ["53300", "40P01", "40001", "ER_LOCK_DEADLOCK", "ER_CON_COUNT_ERROR"],
  },
  {
    sentence: "The quota at the model's provider is used up.",
    names: ["insufficient_quota", "quota_exceeded"],
  },
  {
    sentence: "The model's provider is receiving too many requests.",
    names: ["rate_limit_exceeded", "MODEL_RATE_LIMIT"],
  },
  {
    sentence: "The text is longer than the model takes.",
    names: ["context_length_exceeded", "CONTEXT_OVERFLOW"],
  },
  {
    sentence: "The model does not exist, or the credential may not use it.",
    names: ["model_not_found", "MODEL_NOT_FOUND"],
  },
  { sentence: "The model's provider did not accept the credential.", names: ["MODEL_AUTHENTICATION"] },
  {
    sentence: "The model's answer could not be read.",
    names: ["OUTPUT_PARSING_FAILURE", "INVALID_TOOL_RESULTS"],
  },
];

/** By the first digits of what a service answered. */
const STATUSES: readonly Fact[] = [
  {
    sentence: "The service refused the request as wrong. See what the node sent.",
    names: ["400", "422", "4"],
  },
  {
    sentence: "The service did not accept the credential. See the node's credential in n8n.",
    names: ["401", "407"],
  },
  { sentence: "The service asks for payment.", names: ["402"] },
  {
    sentence: "The service does not allow it. See what the credential has rights to.",
    names: ["403", "451"],
  },
  {
    sentence: "The service does not know the address, or what was asked for. See the URL and the ids in it.",
    names: ["404", "410"],
  },
  { sentence: "The service does not take this method there. See the node's method and URL.", names: ["405"] },
  { sentence: "The service did not get the request in time.", names: ["408"] },
  { sentence: "What was sent is in conflict with what the service has.", names: ["409", "412"] },
  { sentence: "The service was sent more than it takes.", names: ["413", "414", "431"] },
  {
    sentence: "The service does not take this kind of content. See the node's headers and body.",
    names: ["406", "415"],
  },
  {
    sentence:
      "The service is receiving too many requests. See how often the node calls it, and whether it retries.",
    names: ["429"],
  },
  { sentence: "The service failed at its own end. It may be worth trying again.", names: ["5"] },
  {
    sentence: "The service, or a proxy before it, is not available. It may be worth trying again.",
    names: ["502", "503", "529"],
  },
  {
    sentence: "The service did not answer its own proxy in time. It may be worth trying again.",
    names: ["504", "524"],
  },
  { sentence: "The service redirected, which the node did not follow. See its URL.", names: ["3"] },
];

const toTable = (facts: readonly Fact[]): ReadonlyMap<string, string> =>
  new Map(facts.flatMap(({ sentence, names }) => names.map((name) => [name, sentence] as const)));

/** Known value → our sentence. */
export const CLASS_SENTENCES = toTable(CLASSES);
export const TYPE_SENTENCES = toTable(TYPES);
export const CAUSE_SENTENCES = toTable(CAUSES);
export const CODE_SENTENCES = toTable(CODES);
/** HTTP status, or its first digit → our sentence. */
export const STATUS_SENTENCES = toTable(STATUSES);
