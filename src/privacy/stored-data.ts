/** What this server stores, where, and for how long, for the page `/privacy` and `docs/privacy.md`. No I/O. */
import { MAX_STRANGER_ENTRIES_A_DAY } from "../activity-log/activity-rows.ts";
import { MAX_TRACES, TRACE_LIFETIME_MS } from "../history/resuming/trace-states.ts";
import type { StoredKind } from "../pages/privacy.tsx";
import { counted } from "../platform/counted.ts";
import { MINUTE_MS } from "../platform/durations.ts";
import { readAuditSettings, readHistoryIndexSettings } from "../settings/index.ts";
import { LOCKED_FOR_MS, TRIES_FORGOTTEN_AFTER_MS } from "../sign-in/lock-out.ts";
import { PAGE_SESSION_SECONDS } from "../sign-in/page/page-client.ts";
import {
  ACCESS_TOKEN_SECONDS,
  GRANT_SECONDS,
  IDLE_CLIENT_SECONDS,
  UNUSED_CLIENT_SECONDS,
} from "../sign-in/registration/client-retention.ts";
import { WINDOW_MS } from "../sign-in/registration/registration-limits.ts";

const DAY_SECONDS = 24 * 3600;

/** The settings that say how long something is kept. */
export interface RetentionSettings {
  /** `AUDIT_DAYS`. */
  readonly auditDays: number;
  /** `INDEX_MAX_EXECUTIONS`. */
  readonly maxExecutions: number;
}

export const DEFAULT_RETENTION: RetentionSettings = {
  auditDays: readAuditSettings({}).days,
  maxExecutions: readHistoryIndexSettings({}).maxExecutions,
};

export function storedData({ auditDays, maxExecutions }: RetentionSettings): StoredKind[] {
  return [
    {
      what: "Activity log",
      holds:
        "Each tool call and each sign-in: time, user id, app, tool, the ids of executions and workflows that were asked for, outcome, duration. A request id is kept as a keyed digest. Of wrong passphrases and the like, no more than " +
        `${MAX_STRANGER_ENTRIES_A_DAY} lines a day.`,
      place: "Durable Object ActivityLog",
      kept: `${counted(auditDays, "day")} (AUDIT_DAYS)`,
    },
    {
      what: "History index",
      holds:
        "Facts about n8n's executions, for all users: ids, workflow names, status, times, links between executions, node names, names of models, error class. Request ids and words of payloads as keyed digests that cannot be read back. No payload.",
      place: "Durable Object HistoryIndex, one for each n8n",
      kept: `Until newer ones take its place (INDEX_MAX_EXECUTIONS, ${maxExecutions.toLocaleString("en-US")}), or the settings name another n8n`,
    },
    {
      what: "Traces and searches that go on",
      holds: "For each user: the request id of a trace, or a digest of a search, and how far n8n was read.",
      place: "Durable Object HistoryIndex",
      kept: `${hours(TRACE_LIFETIME_MS / 1_000)} after the last call, ${MAX_TRACES} unfinished and ${MAX_TRACES} complete ones for each user`,
    },
    {
      what: "Sign-ins",
      holds:
        "For each app that somebody allowed, and each session on the page: an opaque user id, the scopes, the app. With an organisation's sign-in also email address, domain, object id, groups and the provider's refresh token, and with N8N_KEYS=personal the person's n8n keys, encrypted with the app's own token.",
      place: "KV namespace OAUTH_KV",
      kept: `${days(GRANT_SECONDS)}, or until it is revoked; an access token ${hours(ACCESS_TOKEN_SECONDS)}; a session on the page ${hours(PAGE_SESSION_SECONDS)}`,
    },
    {
      what: "Record of used tokens",
      holds:
        "For each sign-in: digests of codes and refresh tokens, to notice one that is used twice, and of the provider's refresh token, to use it once.",
      place: "Durable Object GrantLedger",
      kept: `${days(GRANT_SECONDS + DAY_SECONDS)}`,
    },
    {
      what: "Registered apps",
      holds: "What an app says about itself: its name and its callback addresses.",
      place: "KV namespace OAUTH_KV",
      kept: `${hours(UNUSED_CLIENT_SECONDS)} when nobody signs in with it; else ${days(IDLE_CLIENT_SECONDS)} after its last sign-in has ended`,
    },
    {
      what: "Counters against guessing",
      holds:
        "The number of wrong passphrases, without who typed them. IP addresses that register apps, as digests under a salt that is then deleted.",
      place: "Durable Objects PassphraseLock, RegistrationGate",
      kept: `Wrong passphrases ${minutes(TRIES_FORGOTTEN_AFTER_MS)} (a lock ${minutes(LOCKED_FOR_MS)}), addresses ${minutes(2 * WINDOW_MS)}`,
    },
    {
      what: "Key of the user ids",
      holds:
        "A random key. User ids are HMACs under it, so an id does not show who it is. No list of people is kept.",
      place: "Durable Object UserIds",
      kept: "As long as the server",
    },
    {
      what: "Address and limits",
      holds:
        "The workers.dev address of the first sign-in, where PUBLIC_URL is not set. For each n8n: its address, the number of requests in the last minute, and what its version can do. No personal data.",
      place: "Durable Objects PublicAddress, N8nLimiter",
      kept: "The address as long as the server, the rest until it is counted or tested again",
    },
    {
      what: "Logs",
      holds:
        "The lines of the activity log, and faults by their code. No payload, no token, no address with its query.",
      place: "Workers Logs of the Cloudflare account",
      kept: "As long as Cloudflare keeps them for that account's plan",
    },
    {
      what: "Cookies",
      holds:
        "On the sign-in page: it ties the form to your browser. On the page for people: your session, and whether data is shown.",
      place: "Your browser",
      kept: `Minutes, until sign-in is done; a session ${hours(PAGE_SESSION_SECONDS)}`,
    },
  ];
}

const days = (seconds: number): string => counted(seconds / DAY_SECONDS, "day");
const hours = (seconds: number): string => counted(seconds / 3600, "hour");
const minutes = (milliseconds: number): string => counted(milliseconds / MINUTE_MS, "minute");
