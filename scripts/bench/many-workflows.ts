/**
 * An instance with many workflows: copies of the guide's MCP servers, as a real n8n returns them, and of workflows
 * shaped like public templates. Copies call each other as the originals do.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as z from "zod";
import { inProject } from "../project.ts";

const fixtures = inProject("test", "workflows", "fixtures");
const workflow = z.looseObject({ id: z.string() });
export type StoredWorkflow = z.infer<typeof workflow>;

const readJson = (...path: string[]): unknown =>
  JSON.parse(readFileSync([fixtures, ...path].join("/"), "utf8"));

function originals(): StoredWorkflow[] {
  const book = z.object({ list: z.object({ data: z.array(workflow) }) }).parse(readJson("by-the-book.json"));
  const templates = readdirSync(`${fixtures}/templates`)
    .sort()
    .map((file) => workflow.parse(readJson("templates", file)));
  return [...book.list.data, ...templates];
}

export function manyWorkflows(count: number): StoredWorkflow[] {
  const all = originals();
  const copies = Array.from({ length: Math.ceil(count / all.length) }, (_one, copy) => copied(all, copy));
  return copies.flat().slice(0, count);
}

/** Replaces ids everywhere: calls and settings hold them too, always as whole values. */
function copied(all: readonly StoredWorkflow[], copy: number): StoredWorkflow[] {
  const text = all.reduce(
    (json, { id }) => json.replaceAll(`"${id}"`, `"${id}-${copy}"`),
    JSON.stringify(all),
  );
  return z.array(workflow).parse(JSON.parse(text));
}
