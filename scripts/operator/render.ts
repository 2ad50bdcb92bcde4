/** The audit and the grants as tables for a terminal. Pure. Client names are sanitized. */
import type { KeptEntry } from "../../src/activity-log/entry.ts";
import { toPlainTable, toPlainText } from "../ask/plain-text.ts";
import { formatCounts } from "./audit-csv.ts";
import type { Grant } from "./operator-client.ts";

const MAXIMUM_CLIENT = 24;
const NONE = "–";

const AUDIT_HEADER = ["time", "user", "client", "what", "outcome", "asked for", "ms", "bytes", "redacted"];
const GRANT_HEADER = ["user", "via", "client", "scopes", "signed in", "expires", "last used", "grant"];

export function renderAudit(entries: readonly KeptEntry[]): string {
  return toPlainTable([AUDIT_HEADER, ...entries.map(toRow)]);
}

export function renderGrants(grants: readonly Grant[]): string {
  if (grants.length === 0) return "Nobody is signed in. (Service tokens are in SERVICE_TOKENS.)";
  return toPlainTable([
    GRANT_HEADER,
    ...grants.map((grant) => [
      grant.userId,
      grant.via ?? NONE,
      clientOf(grant),
      grant.scopes.join(" "),
      toMinute(grant.createdAt),
      toMinute(grant.expiresAt),
      toMinute(grant.lastUsedAt),
      grant.grantId,
    ]),
  ]);
}

function toRow(entry: KeptEntry): string[] {
  switch (entry.event) {
    case "tool_call":
      return [
        entry.time,
        entry.userId,
        clientOf(entry),
        entry.tool,
        entry.outcome,
        Object.entries(entry.ids)
          .map(([as, id]) => `${as} ${id}`)
          .join(" "),
        String(entry.durationMs),
        String(entry.bytesRead),
        formatCounts(entry.redactions),
      ];
    case "sign_in": {
      const { reason } = entry;
      const outcome = reason === undefined ? entry.outcome : `${entry.outcome} (${reason})`;
      const grant = entry.grantId === undefined ? "" : `grant ${entry.grantId}`;
      return [entry.time, entry.userId ?? NONE, clientOf(entry), `sign-in (${entry.via})`, outcome, grant];
    }
    case "sign_in_flood":
      return [entry.time, NONE, NONE, "sign-in", `${entry.notKept} more that day, not kept`];
  }
}

interface NamedClient {
  readonly clientName?: string | null | undefined;
  readonly clientId?: string | undefined;
}

function clientOf({ clientName, clientId }: NamedClient): string {
  return toPlainText(clientName ?? clientId ?? NONE, MAXIMUM_CLIENT);
}

function toMinute(time: string | null): string {
  return time === null ? NONE : `${time.slice(0, 16).replace("T", " ")}`;
}
