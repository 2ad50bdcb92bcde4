/** `GET /privacy`: what this server stores, with the times that are set here. Open to everybody, as the start page is. */
import { privacyPage } from "../pages/privacy.tsx";
import { pageResponse } from "../pages/respond.ts";
import { readOr } from "../platform/errors.ts";
import { readAuditSettings, readHistoryIndexSettings } from "../settings/index.ts";
import { DEFAULT_RETENTION, type RetentionSettings, storedData } from "./stored-data.ts";

export const PRIVACY_PATH = "/privacy";

export const showPrivacy = async (env: Env): Promise<Response> =>
  await pageResponse(privacyPage(storedData(readRetention(env))), 200);

/** Uses the defaults when settings are malformed: then nobody gets in and nothing new is stored. */
const readRetention = (env: Env): RetentionSettings => ({
  auditDays: readOr(() => readAuditSettings(env).days, DEFAULT_RETENTION.auditDays),
  maxExecutions: readOr(() => readHistoryIndexSettings(env).maxExecutions, DEFAULT_RETENTION.maxExecutions),
});
