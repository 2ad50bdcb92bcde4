/**
 * Differences between the public APIs of n8n versions, as observed on running ones. Pure.
 * Their answers to mistakes are in `query.ts` and `old-query.ts`.
 */
import type { RecordedVersion } from "../real-n8n/versions.ts";

export interface Dialect {
  version: RecordedVersion;
  /** Whether OpenAPI's validator reports mistakes, in its words and including unknown parameters. */
  old: boolean;
  /** The values of `status` by which a list can be filtered. */
  statuses: readonly string[];
  /** Statuses that a list omits, unless it is filtered by that status. */
  unlisted: readonly string[];
  /** Whether a key can discover its scopes; if not, scopes are not enforced either. */
  discovers: boolean;
  /** Whether there is a path for one version of a workflow (there is none for their list). */
  hasVersions: boolean;
}

const dialects: Record<RecordedVersion, Dialect> = {
  "2.40.5": {
    version: "2.40.5",
    old: false,
    statuses: ["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"],
    unlisted: ["running"],
    discovers: true,
    hasVersions: false,
  },
  "1.123.81": {
    version: "1.123.81",
    old: true,
    statuses: ["canceled", "error", "running", "success", "waiting"],
    unlisted: ["running", "waiting"],
    discovers: false,
    hasVersions: true,
  },
  "1.100.1": {
    version: "1.100.1",
    old: true,
    statuses: ["error", "success", "waiting"],
    unlisted: ["running", "waiting"],
    discovers: false,
    hasVersions: false,
  },
};

export function dialectOf(version: RecordedVersion): Dialect {
  return dialects[version];
}
