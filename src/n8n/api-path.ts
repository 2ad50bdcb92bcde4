/**
 * Builds paths of n8n's public API in which each id is confined to one segment.
 *
 * Ids come from agents, and agents repeat what payloads say: otherwise an id like `1/../../workflows` would reach
 * another endpoint with our key.
 */
import { ObserverError } from "../platform/errors.ts";

declare const apiPathBrand: unique symbol;

/** A path below `/api/v1`, which only this module can create. */
export type ApiPath = string & { readonly [apiPathBrand]: true };

function segment(id: string): string {
  if (id === "" || id === "." || id === ".." || id.length > 256 || !id.isWellFormed()) {
    throw new ObserverError("VALIDATION_ERROR", "An id is empty, too long or not an id.", {
      solution: "Use an id from list_workflows or get_workflow_executions.",
    });
  }
  return encodeURIComponent(id);
}

const isApiPath = (path: string): path is ApiPath => path.startsWith("/");

/** `` apiPath`/executions/${id}` ``: the literal parts are ours, each value becomes one segment. */
export function apiPath(literals: TemplateStringsArray, ...ids: readonly string[]): ApiPath {
  const path = literals.reduce((built, literal, index) => {
    const id = ids[index - 1];
    return id === undefined ? built + literal : built + segment(id) + literal;
  });
  if (!isApiPath(path)) throw new TypeError("A path of the API begins with a slash.");
  return path;
}
