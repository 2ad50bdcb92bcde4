/** Gemini's command line, with a service token, as its sign-in by browser needs a terminal. Its model is simulated. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { demandTheNode, type RealClient } from "../client.ts";

const SETTINGS = { security: { auth: { selectedType: "gemini-api-key" } } };

const ADD = ["mcp", "add", "--scope", "user", "--transport", "http"];

export const geminiCli: RealClient = {
  name: "Gemini CLI",
  packageName: "@google/gemini-cli",
  signIn: "service token",
  doMainJob: async ({ server, model, home, run }) => {
    await mkdir(join(home, ".gemini"));
    await writeFile(join(home, ".gemini", "settings.json"), JSON.stringify(SETTINGS));
    const header = `Authorization: Bearer ${server.serviceToken}`;
    await run("gemini", [...ADD, "--header", header, "n8n-observer", server.mcpUrl]);
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
