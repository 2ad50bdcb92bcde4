/**
 * What seeding, sending and checking have to know about each n8n version, as observed on a running one. Pure.
 * The observer itself knows none of this: it learns from n8n's answers.
 */
import type { N8nVersion } from "./versions.ts";

export interface N8nAbilities {
  /** Sub-workflows and error workflows have to be published before they can be called. Other versions refuse to publish them. */
  publishesCalled: boolean;
  /** By the public API. Other versions only by the editor's endpoint, with the owner's session. */
  retriesByApi: boolean;
  stopsByApi: boolean;
  /** `POST /workflows` accepts pinned data. Other versions refuse the whole workflow. */
  takesPinnedData: boolean;
  /** The same for the setting `callerPolicy`. */
  takesCallerPolicy: boolean;
}

const ofN8n2: N8nAbilities = {
  publishesCalled: true,
  retriesByApi: true,
  stopsByApi: true,
  takesPinnedData: true,
  takesCallerPolicy: true,
};

const abilities: Record<N8nVersion, N8nAbilities> = {
  "2.40.5": ofN8n2,
  "2.41.1": ofN8n2,
  "1.123.81": {
    publishesCalled: false,
    retriesByApi: true,
    stopsByApi: false,
    takesPinnedData: false,
    takesCallerPolicy: true,
  },
  "1.100.1": {
    publishesCalled: false,
    retriesByApi: false,
    stopsByApi: false,
    takesPinnedData: false,
    takesCallerPolicy: false,
  },
};

export function abilitiesOf(version: N8nVersion): N8nAbilities {
  return abilities[version];
}

/** Major and minor number of the first release with these abilities, newest first. */
const firstReleases: readonly (readonly [major: number, minor: number, N8nVersion])[] = [
  [2, 0, "2.41.1"],
  [1, 123, "1.123.81"],
  [0, 0, "1.100.1"],
];

/**
 * The abilities of an n8n that the lane did not install: those of the closest earlier release that is known.
 * @param release according to n8n; undefined if it does not say
 */
export function abilitiesOfRelease(release: string | undefined): N8nAbilities {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(release ?? "") ?? [];
  // An n8n that hides its version is taken for a new one.
  if (major === undefined) return ofN8n2;
  const found = firstReleases.find(
    ([since, sinceMinor]) =>
      Number(major) > since || (Number(major) === since && Number(minor) >= sinceMinor),
  );
  return found === undefined ? ofN8n2 : abilities[found[2]];
}

/** A kind of check that is not possible on a version, and why. */
export interface Omission {
  kind: string;
  reason: string;
}

const ofOldN8n: Omission[] = [
  { kind: "what was changed in a workflow", reason: "its public API has no list of a workflow's versions" },
  { kind: "pinned data left out of an export", reason: "its public API takes no pinned data" },
  {
    kind: "an MCP server by the book",
    reason: "what it is made of has to be published, which this n8n refuses without a trigger",
  },
  {
    kind: "executions that cannot be read",
    reason: "needs the display limit and the agent of n8n 2; these cases are asked on 2.40.5",
  },
  { kind: "why it failed, or did nothing", reason: "its kinds are made for n8n 2, and asked on 2.40.5" },
  { kind: "security promises", reason: "the promises concern the Worker, which is tested on 2.40.5" },
];
/** Its agents are those of 1.123, on which half of the kinds cannot be made. */
const ofOldestN8n: Omission[] = [
  {
    kind: "what agents did and why they stopped",
    reason: "its agents lack nested ones and others; asked on 1.123 and 2.40.5",
  },
  { kind: "people with keys of their own", reason: "its invitations are accepted otherwise" },
  { kind: "n8n's own nodes as clients", reason: "its MCP Client Tool speaks the old SSE transport alone" },
];
const omissions: Record<N8nVersion, readonly Omission[]> = {
  "2.40.5": [],
  "2.41.1": [],
  "1.123.81": ofOldN8n,
  "1.100.1": [...ofOldN8n, ...ofOldestN8n],
};

export function omissionsOf(version: N8nVersion): readonly Omission[] {
  return omissions[version];
}
