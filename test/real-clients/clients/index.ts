/** The clients of the lane, in the order of the table. */
import type { RealClient } from "../client.ts";
import { aiSdk } from "./ai-sdk.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { inspector } from "./inspector.ts";
import { langchain } from "./langchain.ts";
import { mcpRemote } from "./mcp-remote.ts";
import { mcporter } from "./mcporter.ts";
import { oldSdk } from "./old-sdk.ts";

export const CLIENTS: readonly RealClient[] = [
  claudeCode,
  codex,
  geminiCli,
  inspector,
  mcpRemote,
  mcporter,
  aiSdk,
  langchain,
  oldSdk,
];
