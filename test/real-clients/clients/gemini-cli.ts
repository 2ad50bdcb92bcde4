/** Gemini's command line, with a service token: its sign-in by browser needs a terminal. Its model is played. */
import { demandTheNode, type RealClient } from "../client.ts";

export const geminiCli: RealClient = {
  name: "Gemini CLI",
  packageName: "@google/gemini-cli",
  signIn: "service token",
  doMainJob: async ({ server, model, run }) => {
    const header = `Authorization: Bearer ${server.serviceToken}`;
    await run("gemini", [
      "mcp",
      "add",
      "--scope",
      "user",
      "--transport",
      "http",
      "--header",
      header,
      "n8n-observer",
      server.mcpUrl,
    ]);
    const played = {
      GOOGLE_GEMINI_BASE_URL: model.origin,
      GEMINI_API_KEY: "only-for-tests",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    };
    const listing = await run("gemini", ["mcp", "list"], played);
    if (!/n8n-observer: .*Connected/.test(listing)) throw new Error(listing);
    demandTheNode(await run("gemini", ["-y", "-p", "What became of the request?"], played));
    return "added, listed as connected; with a played model, the failing node named";
  },
};
