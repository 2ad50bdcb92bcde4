/**
 * The one place that reads `env`, by the table in `settings-table.ts`: lazily (nothing of `env` at module scope, so that
 * `wrangler check startup` works without secrets), with errors that name the setting and its fix.
 */
import { ObserverError } from "../platform/errors.ts";
import { readInstances, secretsInInstances } from "./instances.ts";
import { secretsInN8nHeaders } from "./n8n-headers.ts";
import { readOidcSettings } from "./organisation.ts";
import { readPublicUrl } from "./public-url.ts";
import { SETTING_NAMES } from "./settings-table.ts";
import { keepingLast, readSetting, type SettingProblem, type SettingsSource, text } from "./source.ts";

export {
  DEFAULT_INSTANCE,
  instancesWithOneKey,
  inWordsOfInstance,
  limitsOfInstance,
  type N8nInstance,
  type N8nLimits,
  type N8nSettings,
  namesOfInstances,
  readInstances,
} from "./instances.ts";
export {
  type AccessRules,
  type AccessSettings,
  type OidcSettings,
  readAccessSettings,
  readOidcSettings,
} from "./organisation.ts";
export { isConfiguredHost, readPublicUrl, readWorkerName } from "./public-url.ts";
export type { RedirectRule } from "./redirect-rules.ts";
export { isCallbackOfN8n, type RegistrationSettings, readRegistrationSettings } from "./registration.ts";
export { MAXIMUM_AUDIT_DAYS, SCOPES, type Scope } from "./settings-table.ts";
export type { SettingProblem, SettingsSource } from "./source.ts";
export { isLoopbackHost } from "./values.ts";

/** The paths at which a request id is *the* request id, as dotted paths. @throws ObserverError `CONFIGURATION_ERROR` */
export const readRequestIdPaths = keepingLast((source) => readSetting(source, "REQUEST_ID_PATHS"));

/** Who is shown errors' own texts: callers with `n8n:data`, or every caller. @throws ObserverError `CONFIGURATION_ERROR` */
export const readErrorText = keepingLast((source) => readSetting(source, "ERROR_TEXT"));

/** Who may sign in, in the solo form. @throws ObserverError `CONFIGURATION_ERROR` */
export const readSignInSettings = keepingLast((source) => ({
  /** Without it, sign-in with a passphrase is disabled. */
  passphrase: readSetting(source, "ACCESS_PASSPHRASE"),
  /** Clients that sign in with a fixed token, of which only the SHA-256 is configured. */
  serviceTokens: readSetting(source, "SERVICE_TOKENS"),
}));
export type ServiceToken = ReturnType<typeof readSignInSettings>["serviceTokens"][number];

/** What is redacted besides the baseline, and what is not. @throws ObserverError `CONFIGURATION_ERROR` */
export const readRedactionSettings = keepingLast((source) => ({
  /** Further keys whose values are secret. */
  keys: readSetting(source, "REDACT_KEYS"),
  /** Keys that are not, though they look like it. */
  allow: readSetting(source, "REDACT_ALLOW"),
  patterns: readSetting(source, "REDACT_PATTERNS"),
  /** Whether addresses, telephone numbers, cards and bank accounts are redacted too. */
  personalData: readSetting(source, "REDACT_PII"),
}));

/** How many days a line of the activity log is kept. @throws ObserverError `CONFIGURATION_ERROR` */
export const readAuditSettings = keepingLast((source) => ({ days: readSetting(source, "AUDIT_DAYS") }));
export type AuditSettings = ReturnType<typeof readAuditSettings>;

/** Who may read the activity log and revoke grants. @throws ObserverError `CONFIGURATION_ERROR` */
export const readOperatorSettings = keepingLast((source) => ({
  /** SHA-256 of the operator's token, in lower-case hex. Without it there is no operator endpoint. */
  tokenSha256: readSetting(source, "OPERATOR_TOKEN_SHA256"),
}));

/** How the history index is kept up to date. @throws ObserverError `CONFIGURATION_ERROR` */
export const readHistoryIndexSettings = keepingLast((source) => {
  const seconds = readSetting(source, "INDEX_INTERVAL");
  return {
    /** Milliseconds between two looks at what is new; null when it looks only when somebody asks. */
    intervalMs: seconds === null ? null : seconds * 1_000,
    /** How many days back it reads by itself. */
    days: readSetting(source, "INDEX_DAYS"),
    /** Most executions that it knows: the oldest make room. */
    maxExecutions: readSetting(source, "INDEX_MAX_EXECUTIONS"),
  };
});

/** Every setting that is wrong, for `check_connection` and the landing page. Empty when all is well. */
export function settingProblems(source: SettingsSource, requestUrl: string): SettingProblem[] {
  const problems = [
    ...problemOf(() => readInstances(source)),
    ...problemOf(() => readPublicUrl(source, requestUrl)),
    ...problemsOfRows(source),
    ...problemOf(() => readOidcSettings(source)),
  ];
  // A setting that each instance may override is read with the instance, too.
  return [...new Map(problems.map((each) => [each.problem, each])).values()];
}

const problemsOfRows = keepingLast((source) =>
  SETTING_NAMES.flatMap((name) => problemOf(() => readSetting(source, name))),
);

function problemOf(read: () => unknown): SettingProblem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const { field: setting = "", solution } = error.details;
    return [{ setting, problem: error.message, solution }];
  }
}

/** Our own secrets: whatever else happens, these never leave in an answer. */
export const ownSecrets = keepingLast((source): readonly string[] => [
  ...(["N8N_API_KEY", "ACCESS_PASSPHRASE", "OIDC_CLIENT_SECRET"] as const).flatMap(
    (name) => text(source, name) ?? [],
  ),
  ...secretsInN8nHeaders(text(source, "N8N_HEADERS") ?? ""),
  ...secretsInInstances(source),
]);
