/** Builds the tree of a request from the matches of its trace. Pure. */
import type { RequestIdPaths } from "../history/request-ids/request-id-paths.ts";
import { ASKED_BY_ID } from "../history/trace/find-matches.ts";
import type { HistoryTrace } from "../history/trace/history-trace.ts";
import type { Match } from "./request-node.ts";
import { buildTree, type RequestTree } from "./request-tree.ts";

/** @param paths hides payload keys from a caller who may not see payload; otherwise null */
export function treeOf(
  { family, mentioning, ...found }: Pick<HistoryTrace, "family" | "mentioning" | "matches" | "mentions">,
  paths: RequestIdPaths | null = null,
): RequestTree {
  const toMatch = (kind: Match["kind"], { nodeName, path }: Omit<Match, "kind">): Match => ({
    kind,
    nodeName,
    path: path === ASKED_BY_ID || paths === null ? path : paths.withoutPayload(path),
  });
  const matches = new Map<string, Match>([
    ...found.mentions.map((place) => [place.executionId, toMatch("mentioned", place)] as const),
    ...found.matches.map((place) => [place.executionId, toMatch("exact", place)] as const),
  ]);
  return buildTree({ family, mentioning, matches });
}
