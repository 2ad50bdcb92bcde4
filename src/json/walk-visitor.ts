/** What a walk over JSON reports, and to whom. */
import type { Gathered } from "./gathered-bytes.ts";

/** Every item or member of a container: more than fit into any answer. */
export const ALL = 2 ** 30 - 1;

export type Scalar = string | number | boolean | null;

export interface Passed {
  readonly isArray: boolean;
  /** How many items or members the container, or its rest, has. */
  readonly count: number;
  /** The size of the whole container, or of its rest without the closing bracket. */
  readonly byteLength: number;
}

/** Where a walk is, as its visitor sees it. */
export interface WalkPosition {
  /** How many containers are open. */
  readonly depth: number;
  /** The current key in the innermost container; "" in an array. */
  readonly key: string;
  /** Whether the current key is wanted; in an array, the key that the array stands under. */
  readonly isKeyWanted: boolean;
  /** The size in bytes of the current item or member, including its key, up to the end of what is being reported. */
  readonly itemByteLength: number;
  /** The current key or index in the container at this depth; the outermost one has depth 0. */
  segmentAt(depth: number): string | number;
  /** Keys and indexes from the container at this depth down to the walk's current place. */
  path(fromDepth?: number): (string | number)[];
}

/** What a walk reports. Only the methods that the guide's options name are called. */
export interface Visitor {
  /** True when scalars under this key are wanted, also in an array. The result is cached, but may be requested again. */
  wantsKey?(key: string): boolean;
  /**
   * A container with `isOptional` begins; the position's path leads to it. Returns how many of its items or members to
   * visit (`ALL`, or fewer): 0 skips the whole container.
   */
  enters?(place: string, position: WalkPosition, isArray: boolean): number;
  /** A container with `isReported` begins; the position's path leads to it. */
  open?(place: string, position: WalkPosition): void;
  /** A container with `isReported` ends. `length`: how many items an array has; 0 for an object. */
  close?(place: string, position: WalkPosition, length: number): void;
  /** A container with `isMeasured` was skipped; the path leads to it. */
  passed?(place: string, position: WalkPosition, passed: Passed): void;
  /** The rest of a container with `isMeasured` was skipped; `close` follows. */
  passedRest?(place: string, position: WalkPosition, passed: Passed): void;
  scalar?(place: string, value: Scalar, position: WalkPosition): void;
  /** A string in a place with `raw` scalars: its first bytes as written, and its total length in bytes. */
  rawString?(bytes: Uint8Array, byteLength: number, position: WalkPosition): void;
  /** How many bytes may be held of a raw string that continues in the next chunk. */
  roomForString?(): number;
  /** A container with `isGathered` begins. Returns how many of its bytes may be held. */
  roomFor?(place: string): number;
  /** A gathered container ends; the path leads to it. */
  gathered?(place: string, gathered: Gathered, position: WalkPosition): void;
  /**
   * Something was skipped: a container that is too deep, or a string that is too long but would have been reported.
   * If scalars are `wanted`, those that are only `named` do not count as a loss.
   */
  onSkipped?(place: string, position: WalkPosition): void;
  /** The isolated container is malformed. Its `close` is not called. */
  broken?(place: string, position: WalkPosition): void;
}
