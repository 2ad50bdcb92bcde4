/**
 * What an ATDF block says, and what may be wrong with one. ATDF (Agent Tool Description Format) is the YAML in
 * the `description` of a `toolWorkflow` node. The fields are those of the n8n MCP server guide of
 * agent-tool-description-format, section "Recommended Fields for ATDF"; a version is asked for as well.
 */

export interface AtdfInput {
  readonly name: string;
  readonly type: string | null;
  readonly required: boolean | null;
  readonly description: string | null;
  /** The line within the block, counted from 1. */
  readonly line: number;
}

/** What could be read: a field that is missing or of the wrong kind is null. */
export interface AtdfBlock {
  readonly description: string | null;
  readonly version: string | null;
  readonly whenToUse: string | null;
  readonly inputs: readonly AtdfInput[];
  /** The names under `outputs`. */
  readonly outputs: readonly string[];
}

export type AtdfCode =
  | "too_long"
  | "not_yaml"
  | "not_a_mapping"
  | "fence"
  | "several_blocks"
  | "alias"
  | "tag"
  | "duplicate_key"
  | "misnamed"
  | "misplaced"
  | "missing"
  | "empty"
  | "wrong_kind"
  | "unknown_type"
  | "expression";

export interface AtdfFinding {
  readonly code: AtdfCode;
  /** A block with an error is not valid. */
  readonly severity: "error" | "warning";
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** Dots between keys, `[n]` for items; empty for the block as a whole. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

export interface AtdfReading {
  readonly valid: boolean;
  /** Sorted by line. */
  readonly findings: readonly AtdfFinding[];
  /** Null when it could not be read at all. */
  readonly block: AtdfBlock | null;
}

/** A longer text is not a description of a tool. Counted in characters. */
export const MAX_ATDF_LENGTH = 20_000;
