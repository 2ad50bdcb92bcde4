/** docs/tools.md as it should read now. */
import { TOOLS, toolsForInstances } from "../../src/features/index.ts";
import { inProject } from "../project.ts";
import { renderReference } from "./render-reference.ts";
import { listTools, measureTools } from "./tools-list.ts";

export const REFERENCE_FILE = inProject("docs", "tools.md");

export async function toolReference(): Promise<string> {
  const listed = await listTools(TOOLS);
  const withThree = await listTools(toolsForInstances(TOOLS, ["prod", "staging", "dev"]));
  const { total, shownToModel } = measureTools(listed);
  return renderReference({
    tools: TOOLS,
    listed,
    totalTokens: total,
    shownToModel,
    tokensWithThree: measureTools(withThree).total,
  });
}
