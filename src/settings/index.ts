/**
 * The one place that reads `env`. Parsed by zod, lazily (nothing at module scope, so that
 * `wrangler check startup` works without secrets), with errors that name the variable and its fix.
 * Each group of settings is read in a file of its own under `settings/`.
 */
import { ObserverError } from "../platform/errors.ts";
import { readAccessSettings } from "./access.ts";
import { readAuditSettings, readOperatorSettings } from "./audit.ts";
import { readErrorText } from "./error-text.ts";
import { readHistoryIndexSettings } from "./history-index.ts";
import { secretsInInstances } from "./instance-secrets.ts";
import { readInstances } from "./instances.ts";
import { readN8nLimits } from "./limits.ts";
import { readLocationHint } from "./location-hint.ts";
import { secretsInN8nHeaders } from "./n8n-headers.ts";
import { readOidcSettings } from "./oidc.ts";
import { readPublicUrl } from "./public-url.ts";
import { readRedactionSettings } from "./redaction.ts";
import { readRegistrationSettings } from "./registration.ts";
import { readRequestIdPaths } from "./request-id-paths.ts";
import { readSignInSettings } from "./sign-in.ts";
import { keepingLast, type SettingProblem, type SettingsSource, text } from "./source.ts";

export { type AccessRules, type AccessSettings, readAccessSettings } from "./access.ts";
export {
  type AuditSettings,
  DEFAULT_AUDIT_DAYS,
  MAXIMUM_AUDIT_DAYS,
  type OperatorSettings,
  readAuditSettings,
  readOperatorSettings,
} from "./audit.ts";
export { type ErrorTextRule, readErrorText } from "./error-text.ts";
export { type HistoryIndexSettings, readHistoryIndexSettings } from "./history-index.ts";
export { inWordsOfInstance } from "./instance-words.ts";
export {
  DEFAULT_INSTANCE,
  instancesWithOneKey,
  limitsOfInstance,
  MAX_INSTANCES,
  type N8nInstance,
  namesOfInstances,
  readInstances,
} from "./instances.ts";
export { type N8nLimits, readN8nLimits } from "./limits.ts";
export { readLocationHint } from "./location-hint.ts";
export { type N8nSettings, readN8nSettings } from "./n8n.ts";
export { isCallbackOfN8n } from "./n8n-callbacks.ts";
export { type OidcSettings, readOidcSettings } from "./oidc.ts";
export { isConfiguredHost, readPublicUrl, readWorkerName } from "./public-url.ts";
export { type RedactionSettings, readRedactionSettings } from "./redaction.ts";
export {
  DEFAULT_REDIRECTS,
  type RedirectRule,
  type RegistrationSettings,
  readRegistrationSettings,
} from "./registration.ts";
export { DEFAULT_REQUEST_ID_PATHS, readRequestIdPaths } from "./request-id-paths.ts";
export {
  readSignInSettings,
  SCOPES,
  type Scope,
  type ServiceToken,
  type SignInSettings,
} from "./sign-in.ts";
export { isLoopbackHost, type SettingProblem, type SettingsSource } from "./source.ts";

/** Every setting that is wrong, for `check_connection` and the landing page. Empty when all is well. */
export function settingProblems(source: SettingsSource, requestUrl: string): SettingProblem[] {
  const readers = [
    () => readInstances(source),
    () => readPublicUrl(source, requestUrl),
    () => readSignInSettings(source),
    () => readRegistrationSettings(source),
    () => readOidcSettings(source),
    () => readAccessSettings(source),
    () => readRequestIdPaths(source),
    () => readRedactionSettings(source),
    () => readErrorText(source),
    () => readAuditSettings(source),
    () => readOperatorSettings(source),
    () => readN8nLimits(source),
    () => readHistoryIndexSettings(source),
    () => readLocationHint(source),
  ];
  const problems = readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      return [
        { setting: error.details.field ?? "", problem: error.message, solution: error.details.solution },
      ];
    }
  });
  // Settings that each instance may override are read with the instance.
  return [...new Map(problems.map((each) => [each.problem, each])).values()];
}

/** Our own secrets: whatever else happens, these never leave in an answer. */
export const ownSecrets = keepingLast((source): readonly string[] => {
  const secrets = ["N8N_API_KEY", "ACCESS_PASSPHRASE", "OIDC_CLIENT_SECRET"];
  return [
    ...secrets.flatMap((name) => text(source, name) ?? []),
    ...secretsInN8nHeaders(source),
    ...secretsInInstances(source),
  ];
});
