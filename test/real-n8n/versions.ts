/**
 * The n8n versions that the lane knows, and the option that selects one.
 * Each has a manifest and a lock file under `n8n/<version>/`. Pure.
 */
import {
  type Arguments,
  flag,
  readArguments,
  requireOneAtMost,
  text,
  WrongArguments,
} from "../../scripts/command-line/arguments.ts";
import { GIVEN_OPTIONS, GIVEN_USAGE, type GivenAddress, readGivenAddress } from "./given-n8n/arguments.ts";

/** The first one is the default of every command. */
export const n8nVersions = ["2.40.5", "2.41.1", "1.123.81", "1.100.1"] as const;
export type N8nVersion = (typeof n8nVersions)[number];
/** The recorded versions; 2.41.1 answers like 2.40.5. */
export const recordedVersions = ["2.40.5", "1.123.81", "1.100.1"] as const satisfies readonly N8nVersion[];
export type RecordedVersion = (typeof recordedVersions)[number];

export const defaultN8nVersion = n8nVersions[0];

/** The option of every command that needs an n8n. */
export const VERSION_OPTION = { ...text, default: defaultN8nVersion } as const;

/** @throws WrongArguments when there is no recording of this version */
export function toRecordedVersion(typed: string): RecordedVersion {
  const found = recordedVersions.find((version) => version === typed);
  if (found !== undefined) return found;
  throw new WrongArguments(`No recording is made of n8n ${typed}. Made are: ${recordedVersions.join(", ")}.`);
}

/** @throws WrongArguments with the known versions, when this one is unknown */
export function toN8nVersion(typed: string): N8nVersion {
  const found = n8nVersions.find((version) => version === typed);
  if (found !== undefined) return found;
  throw new WrongArguments(
    `n8n ${typed || "(no version)"} is not known here. Known are: ${n8nVersions.join(", ")}.`,
  );
}

/**
 * Parts of the lane that can be run alone: `safety`; `requests`, traces of each request with a filled index;
 * `missing`, requests with missing data; `kinds`, why executions failed or did nothing; `agents`, agent
 * runs; `clients`, n8n's own nodes as clients. Three run only alone: `incidents`, failures at one moment or for one
 * cause; `keys`, users with keys of their own; `rules`, access rules by tags.
 */
const laneSections = [
  "safety",
  "requests",
  "missing",
  "kinds",
  "incidents",
  "agents",
  "clients",
  "keys",
  "rules",
] as const;
type LaneSection = (typeof laneSections)[number];

export interface LaneArguments {
  version: N8nVersion;
  /** Whether to write the version's column of docs/versions.md. */
  write: boolean;
  /** Only installs n8n. */
  install: boolean;
  /** By default, the whole lane. */
  only?: LaneSection;
  /** Runs only the checks of queue mode. */
  queue?: true;
  /** Replaces an installed n8n. */
  given?: GivenAddress;
}

export const LANE_USAGE = `A real n8n, a real Worker, real MCP clients: what became of each request. Installs n8n first.

  npm run test:n8n -- [options]

  --version <version>  ${n8nVersions.join(", ")}; without it, the first
  --only <section>     ${laneSections.join(", ")}
  --write              writes the version's column of docs/versions.md
  --install            installs n8n, and asks it nothing
  --queue              n8n in queue mode: PostgreSQL, Redis, two workers (packages postgresql, redis-server)

${GIVEN_USAGE}`;

const FORM = {
  options: {
    version: VERSION_OPTION,
    only: { ...text, multiple: true },
    write: flag,
    install: flag,
    queue: flag,
    ...GIVEN_OPTIONS,
  },
} as const;

/** At most one of `--install`, `--write` and `--only`, as a section fills only a part of the column. */
export function readLaneArguments(args: readonly string[]): Arguments<LaneArguments> {
  return readArguments(args, FORM, ({ values }) => {
    requireOneAtMost(["install", "write", "only"], values);
    requireOneAtMost(["install", "queue", "only"], values);
    const version = toN8nVersion(values.version);
    const { write = false, install = false } = values;
    const given = readGivenAddress(values);
    if (given !== undefined) return { version, write, install, given };
    if (values.queue === true) return { version, write, install, queue: true };
    if (values.only === undefined) return { version, write, install };
    const only = laneSections.find((section) => section === values.only?.join(" "));
    if (only === undefined) throw new WrongArguments(`--only takes one of: ${laneSections.join(", ")}.`);
    return { version, write, install, only };
  });
}
