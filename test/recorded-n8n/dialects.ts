/**
 * How the public API of one n8n version differs from that of others, as seen on running ones. Pure.
 * What it answers to mistakes is in `query.ts` and `old-query.ts`.
 */
import type { RecordedVersion } from "../real-n8n/versions.ts";

export interface Dialect {
  version: RecordedVersion;
  /** Whether mistakes are told by OpenAPI's validator, in its words, unknown parameters among them. */
  old: boolean;
  /** Values of `status` that a list can be filtered by. */
  statuses: readonly string[];
  /** In no list, unless it is filtered by this very status and that is possible. */
  unlisted: readonly string[];
  /** Whether a key can ask what it may do; where not, scopes are not enforced either. */
  discovers: boolean;
  /** Whether it has a path for one version of a workflow, and none for their list. */
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
