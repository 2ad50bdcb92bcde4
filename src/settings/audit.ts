/** How long the audit is kept, and the operator's token. */
import { fail, type SettingsSource, text } from "./source.ts";

export const DEFAULT_AUDIT_DAYS = 30;
export const MAXIMUM_AUDIT_DAYS = 365;

export interface AuditSettings {
  /** How long a line is kept. */
  readonly days: number;
}

/**
 * How long the audit is kept.
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export function readAuditSettings(source: SettingsSource): AuditSettings {
  const raw = text(source, "AUDIT_DAYS");
  if (raw === undefined) return { days: DEFAULT_AUDIT_DAYS };
  const days = /^\d{1,3}$/.test(raw) ? Number(raw) : 0;
  if (days < 1 || days > MAXIMUM_AUDIT_DAYS) {
    fail(
      "AUDIT_DAYS",
      "is not a number of days",
      `Use a whole number from 1 to ${MAXIMUM_AUDIT_DAYS}; ${DEFAULT_AUDIT_DAYS} is the default.`,
    );
  }
  return { days };
}

export interface OperatorSettings {
  /** Lower-case hex of the SHA-256 of the operator's token. Without it there is no operator endpoint. */
  readonly tokenSha256: string | undefined;
}

/**
 * Who may read the audit and revoke grants.
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export function readOperatorSettings(source: SettingsSource): OperatorSettings {
  const raw = text(source, "OPERATOR_TOKEN_SHA256");
  if (raw !== undefined && !/^[0-9a-fA-F]{64}$/.test(raw)) {
    fail(
      "OPERATOR_TOKEN_SHA256",
      "is not a SHA-256 in hex",
      "It is the hash of the operator's token, 64 hex digits, never the token itself. A token: openssl rand -base64 32. Its hash: printf %s '<token>' | sha256sum.",
    );
  }
  return { tokenSha256: raw?.toLowerCase() };
}
