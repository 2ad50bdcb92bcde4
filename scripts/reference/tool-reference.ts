/** docs/tools.md as it should read now. */
import { TOOLS } from "../../src/features/index.ts";
import { inProject } from "../project.ts";
import { renderReference } from "./render-reference.ts";
import { listTools, measureTools } from "./tools-list.ts";

export const REFERENCE_FILE = inProject("docs", "tools.md");

export async function toolReference(): Promise<string> {
  const listed = await listTools(TOOLS);
  return renderReference({ tools: TOOLS, listed, totalTokens: measureTools(listed).total });
}
