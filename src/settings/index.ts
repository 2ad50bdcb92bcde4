/**
 * The one place that reads `env`, by the table in `settings-table.ts`: lazily (never at module scope, so that
 * `wrangler check startup` works without secrets), with errors that name the setting and its fix.
 */
import { unlessFailed } from "../platform/errors.ts";
import { readInstances, secretsInInstances } from "./instances.ts";
import { secretsInN8nHeaders } from "./n8n-headers.ts";
import { readN8nKeys } from "./n8n-keys.ts";
import { readOidcSettings } from "./organisation.ts";
import { readPublicUrl } from "./public-url.ts";
import { readAccessRules } from "./read-access-rules.ts";
import { SETTING_NAMES } from "./settings-table.ts";
import { memoizeBySettings, readSetting, type SettingProblem, type SettingsSource, text } from "./source.ts";

export type { AccessRule, WorkflowSelector } from "./access-rules.ts";
export { isPlainDocumentUrl } from "./document-rules.ts";
export {
  addressOf,
  DEFAULT_INSTANCE,
  instancesSharingKey,
  limitsOfInstance,
  type N8nInstance,
  type N8nLimits,
  type N8nSettings,
  namesOfInstances,
  readInstances,
  usableInstances,
  wordForInstance,
} from "./instances.ts";
export { readN8nKeys } from "./n8n-keys.ts";
export {
  type AccessRules,
  type AccessSettings,
  type OidcSettings,
  readAccessSettings,
  readOidcSettings,
} from "./organisation.ts";
export { isConfiguredHost, readPublicUrl, readWorkerName } from "./public-url.ts";
export { type CallerAccess, groupsNamedIn, readAccessRules } from "./read-access-rules.ts";
export type { RedirectRule } from "./redirect-rules.ts";
export { isCallbackOfN8n, type RegistrationSettings, readRegistrationSettings } from "./registration.ts";
export { MAXIMUM_AUDIT_DAYS } from "./settings-table.ts";
export { memoizeBySettings, type SettingProblem, type SettingsSource } from "./source.ts";
export { isLoopbackHost, SCOPES, type Scope } from "./values.ts";

/** The dotted paths at which the request id is found. @throws ObserverError `CONFIGURATION_ERROR` */
export const readRequestIdPaths = memoizeBySettings((source) => readSetting(source, "REQUEST_ID_PATHS"));

/** Whether there are pages for people: by default if people can sign in. Off while a setting about them is malformed. */
export const arePagesOn = memoizeBySettings((source): boolean => {
  const read = () => readSetting(source, "PAGES") ?? (canSignIn(source) ? "on" : "off");
  return problemOf(read).length === 0 && read() === "on";
});

const canSignIn = (source: SettingsSource): boolean =>
  readSetting(source, "ACCESS_PASSPHRASE") !== undefined || readOidcSettings(source) !== undefined;

/** Who sees the texts of errors: callers with `n8n:data`, or all. @throws ObserverError `CONFIGURATION_ERROR` */
export const readErrorText = memoizeBySettings((source) => readSetting(source, "ERROR_TEXT"));

/** Who may sign in, in the solo form. @throws ObserverError `CONFIGURATION_ERROR` */
export const readSignInSettings = memoizeBySettings((source) => ({
  /** Without it, sign-in with a passphrase is disabled. */
  passphrase: readSetting(source, "ACCESS_PASSPHRASE"),
  /** Clients that sign in with a fixed token. Only its SHA-256 is configured. */
  serviceTokens: readSetting(source, "SERVICE_TOKENS"),
}));
export type ServiceToken = ReturnType<typeof readSignInSettings>["serviceTokens"][number];

/** What is redacted in addition to the baseline, and what is exempt. @throws ObserverError `CONFIGURATION_ERROR` */
export const readRedactionSettings = memoizeBySettings((source) => ({
  keys: readSetting(source, "REDACT_KEYS"),
  /** Keys that look secret but are not. */
  allow: readSetting(source, "REDACT_ALLOW"),
  patterns: readSetting(source, "REDACT_PATTERNS"),
  /** Whether addresses, telephone numbers, cards and bank accounts are redacted too. */
  personalData: readSetting(source, "REDACT_PII"),
}));

/** How many days a line of the activity log is kept. @throws ObserverError `CONFIGURATION_ERROR` */
export const readAuditSettings = memoizeBySettings((source) => ({ days: readSetting(source, "AUDIT_DAYS") }));

/** Who may read the activity log and revoke grants. @throws ObserverError `CONFIGURATION_ERROR` */
export const readOperatorSettings = memoizeBySettings((source) => ({
  /** SHA-256 of the operator's token, in lower-case hex. Without it there is no operator endpoint. */
  tokenSha256: readSetting(source, "OPERATOR_TOKEN_SHA256"),
}));

/** How the history index is kept up to date. @throws ObserverError `CONFIGURATION_ERROR` */
export const readHistoryIndexSettings = memoizeBySettings((source) => {
  const seconds = readSetting(source, "INDEX_INTERVAL");
  return {
    /** Milliseconds between checks for new executions; null to check only on request. */
    intervalMs: seconds === null ? null : seconds * 1_000,
    days: readSetting(source, "INDEX_DAYS"),
    /** Maximum number of executions kept; the oldest are removed first. */
    maxExecutions: readSetting(source, "INDEX_MAX_EXECUTIONS"),
  };
});

/** Every invalid setting, for `check_connection` and the landing page. */
export function settingProblems(source: SettingsSource, requestUrl: string): SettingProblem[] {
  const problems = [
    ...problemOf(() => readInstances(source)),
    ...problemOf(() => readPublicUrl(source, requestUrl)),
    ...problemsOfRows(source),
    ...problemOf(() => readOidcSettings(source)),
    ...problemOf(() => readAccessRules(source)),
    ...problemOf(() => readN8nKeys(source)),
  ];
  // Settings that an instance may override are also read with the instance.
  return [...new Map(problems.map((each) => [each.problem, each])).values()];
}

const problemsOfRows = memoizeBySettings((source) =>
  SETTING_NAMES.flatMap((name) => problemOf(() => readSetting(source, name))),
);

function problemOf(read: () => unknown): SettingProblem[] {
  return unlessFailed(
    () => {
      read();
      return [];
    },
    ({ message: problem, details: { field: setting = "", solution } }) => [{ setting, problem, solution }],
  );
}

/** Our own secrets, which must never appear in an answer. */
export const ownSecrets = memoizeBySettings((source): readonly string[] => [
  ...(["N8N_API_KEY", "ACCESS_PASSPHRASE", "OIDC_CLIENT_SECRET"] as const).flatMap(
    (name) => text(source, name) ?? [],
  ),
  ...secretsInN8nHeaders(text(source, "N8N_HEADERS") ?? ""),
  ...secretsInInstances(source),
]);
