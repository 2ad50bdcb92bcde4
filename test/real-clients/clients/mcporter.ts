/** mcporter, a command line for MCP servers. */
import { demandTheNode, demandTools, REQUEST_ID, type RealClient } from "../client.ts";

export const mcporter: RealClient = {
  name: "mcporter",
  packageName: "mcporter",
  signIn: "OAuth",
  doMainJob: async ({ server, browser, run, start }) => {
    await run("mcporter", ["config", "add", "observer", server.mcpUrl, "--allow-http", "--auth", "oauth"]);
    const signingIn = start("mcporter", ["auth", "observer"]);
    const callback = await browser.signIn(signingIn.printed, server.passphrase);
    await signingIn.finished;
    demandTools(await run("mcporter", ["list", "observer"]));
    demandTheNode(await run("mcporter", ["call", "observer.trace_request", `requestId=${REQUEST_ID}`]));
    return `called back at ${callback}; tools listed, the failing node named`;
  },
};
