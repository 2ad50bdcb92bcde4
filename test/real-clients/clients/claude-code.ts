/** Claude Code's command line. Its model is simulated, so that it needs no account. */
import { join } from "node:path";
import { demandTheNode, type RealClient } from "../client.ts";

const PROMPT = "What became of the request?";
const TOOL = "mcp__n8n-observer__trace_request";

/** The package's install script, which is not run here, would only copy this program to its own place. */
const CLAUDE = join("..", "@anthropic-ai", `claude-code-${process.platform}-${process.arch}`, "claude");

const ADD = ["mcp", "add", "--transport", "http", "n8n-observer"];

export const claudeCode: RealClient = {
  name: "Claude Code",
  packageName: "@anthropic-ai/claude-code",
  signIn: "OAuth",
  doMainJob: async ({ server, browser, model, run, startInTerminal }) => {
    await run(CLAUDE, [...ADD, server.mcpUrl]);
    const signingIn = startInTerminal(CLAUDE, ["mcp", "login", "n8n-observer"]);
    const callback = await browser.signIn(signingIn.printed, server.passphrase);
    const signedIn = await signingIn.finished;
    if (signedIn.code !== 0) throw new Error(signedIn.text);
    const listing = await run(CLAUDE, ["mcp", "list"]);
    if (!/n8n-observer: .*Connected/.test(listing)) throw new Error(listing);
    const said = await run(CLAUDE, ["-p", PROMPT, "--allowedTools", TOOL], {
      ANTHROPIC_BASE_URL: model.origin,
      ANTHROPIC_API_KEY: "only-for-tests",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // All tools at once: a simulated model does not search for them.
      ENABLE_TOOL_SEARCH: "false",
    });
    demandTheNode(said);
    return `added, listed as connected, called back at ${callback}; with a played model, the failing node named`;
  },
  showRefusal: async ({ server, run }) => {
    const header = `Authorization: Bearer ${server.serviceToken}`;
    await run(CLAUDE, [...ADD, server.mcpUrl, "--header", header]);
    return await run(CLAUDE, ["mcp", "list"]);
  },
};
