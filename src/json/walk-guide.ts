/** Defines what a walk over JSON visits. A walk follows guides as steps. */
import { memoizeByObject } from "../platform/memoize.ts";

/** What to visit in a container. Guides may refer to themselves. */
export interface Guide {
  /** How the visitor tells places apart. */
  readonly place: string;
  /** Containers under these keys are entered; null skips one that `otherMembers` would enter. */
  readonly members?: ReadonlyMap<string, Guide | null>;
  /** Containers under all other keys are entered with this guide, or skipped if it is absent. */
  readonly otherMembers?: Guide;
  /** Containers in an array are entered with this guide, or skipped if it is absent. */
  readonly items?: Guide;
  /**
   * Which scalars directly in this container are reported. `wanted`: those under a wanted key, and strings
   * that look like JSON. `named`: only those in `named`. `raw`: all, strings as their bytes, however long they are.
   * Default none.
   */
  readonly scalars?: "all" | "wanted" | "named" | "raw";
  /** Keys under which scalars are reported, in addition to the wanted ones. */
  readonly named?: ReadonlySet<string>;
  readonly isReported?: boolean;
  /** The visitor decides whether, and how much of, the container is entered. */
  readonly isOptional?: boolean;
  /** If the visitor skips the container or a part of it, the skipped part is reported. */
  readonly isMeasured?: boolean;
  /** Its bytes are passed on once it ends, in addition to reports. Gathered containers do not nest. */
  readonly isGathered?: boolean;
  /** Malformed JSON inside is reported, and skipped up to this container's end. */
  readonly isIsolated?: boolean;
}

/** The same guide for a container and all below it. */
export function guideThroughout(part: Guide): Guide {
  const guide: { -readonly [Key in keyof Guide]: Guide[Key] } = { ...part };
  guide.otherMembers = guide;
  guide.items = guide;
  return guide;
}

const NO_KEYS: ReadonlySet<string> = new Set();
const NO_MEMBERS: ReadonlyMap<string, Step | null> = new Map();

/** A guide with all of its members set, because objects of one shape are read faster. */
export class Step {
  readonly place: string;
  readonly reportsAll: boolean;
  readonly reportsRaw: boolean;
  readonly reportsWanted: boolean;
  readonly reportsNamed: boolean;
  readonly named: ReadonlySet<string>;
  readonly isReported: boolean;
  readonly isOptional: boolean;
  readonly isMeasured: boolean;
  readonly isGathered: boolean;
  readonly isIsolated: boolean;
  /** Nothing in it is visited, though its bytes may be gathered. */
  isOpaque = false;
  members = NO_MEMBERS;
  otherMembers: Step | undefined;
  items: Step | undefined;

  constructor(guide: Guide) {
    this.place = guide.place;
    this.reportsRaw = guide.scalars === "raw";
    this.reportsAll = guide.scalars === "all" || this.reportsRaw;
    this.reportsWanted = guide.scalars === "wanted";
    this.named = guide.named ?? NO_KEYS;
    this.reportsNamed = this.named.size > 0;
    this.isReported = guide.isReported === true;
    this.isOptional = guide.isOptional === true;
    this.isMeasured = guide.isMeasured === true;
    this.isGathered = guide.isGathered === true;
    this.isIsolated = guide.isIsolated === true;
    this.otherMembers = undefined;
    this.items = undefined;
  }

  /** Whether any scalar in it may be reported. */
  get reports(): boolean {
    return this.reportsAll || this.reportsWanted || this.reportsNamed;
  }
}

const STEPS = new WeakMap<Guide, Step>();

/** Guides may refer to themselves, so each becomes one step. */
export function stepOf(guide: Guide): Step {
  const known = STEPS.get(guide);
  if (known !== undefined) return known;
  const step = new Step(guide);
  STEPS.set(guide, step);
  const { members, otherMembers, items } = guide;
  if (members !== undefined)
    step.members = new Map([...members].map(([key, next]) => [key, next === null ? null : stepOf(next)]));
  step.otherMembers = otherMembers && stepOf(otherMembers);
  step.items = items && stepOf(items);
  step.isOpaque = step.isGathered && !step.reports && !members && !otherMembers && !items;
  return step;
}

/** The step around a whole value. A scalar that is the whole value is reported only if scalars are raw. */
export const outsideOf = memoizeByObject((root: Guide): Step => {
  const { place, scalars } = root;
  const outside = new Step(scalars === "raw" ? { place, scalars } : { place });
  outside.otherMembers = stepOf(root);
  return outside;
});
