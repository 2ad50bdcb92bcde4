/** The prompts, in the order in which a person meets them. */
import type { Prompt } from "../mcp/define-prompt.ts";
import { whyDidTheAgent } from "./agent-run/prompt.ts";
import { whatBroke } from "./executions/prompt.ts";
import { reviewMcpServer } from "./mcp-map/prompt.ts";
import { whatHappened } from "./trace-request/prompt.ts";

export const PROMPTS: readonly Prompt[] = [whatHappened, whatBroke, whyDidTheAgent, reviewMcpServer];
