/** Codex's command line. Its model is simulated, so that it needs no account. */
import { demandTheNode, type RealClient } from "../client.ts";

const PROMPT = "What became of the request?";

export const codex: RealClient = {
  name: "Codex CLI",
  packageName: "@openai/codex",
  signIn: "OAuth",
  doMainJob: async ({ server, browser, model, run, start }) => {
    // It signs in as soon as the server is added.
    const adding = start("codex", ["mcp", "add", "n8n-observer", "--url", server.mcpUrl]);
    const callback = await browser.signIn(adding.printed, server.passphrase);
    const added = await adding.finished;
    if (added.code !== 0) throw new Error(added.text);
    const listing = await run("codex", ["mcp", "list"]);
    if (!/n8n-observer .*enabled +OAuth/.test(listing)) throw new Error(listing);
    const provider = `model_providers.played={name="played",base_url="${model.origin}/v1",wire_api="responses",env_key="PLAYED_KEY"}`;
    const said = await run(
      "codex",
      [
        "exec",
        ...["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
        ...["-c", provider, "-c", 'model_provider="played"', "-c", 'model="gpt-5"'],
        PROMPT,
      ],
      { PLAYED_KEY: "only-for-tests" },
    );
    demandTheNode(said);
    return `added, listed, called back at ${callback}; with a played model, the failing node named`;
  },
};
