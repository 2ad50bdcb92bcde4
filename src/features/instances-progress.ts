/** Progress of several n8n instances that are asked at the same time, reported as one. */
import type { CallContext } from "../mcp/define-tool.ts";

/**
 * What is done is what is done in all of them; each message says where.
 * @returns a function that gives an n8n's own progress, by its name
 */
export function progressOfAll(
  names: readonly string[],
  report: CallContext["progress"],
): (name: string) => CallContext["progress"] {
  const doneBy = new Map<string, number>();
  return (name) => async (done, message, total) => {
    doneBy.set(name, Math.max(done, doneBy.get(name) ?? 0));
    const all = [...doneBy.values()].reduce((sum, each) => sum + each, 0);
    await report(all, `${name}: ${message}`, total === undefined ? undefined : total * names.length);
  };
}
