/** The MCP inspector's command line, with a simulated browser and with a service token. */
import { demandTheNode, demandTools, REQUEST_ID, type RealClient } from "../client.ts";

const CALL = [
  "--method",
  "tools/call",
  "--tool-name",
  "trace_request",
  "--tool-arg",
  `requestId=${REQUEST_ID}`,
];

export const inspector: RealClient = {
  name: "MCP inspector (command line)",
  packageName: "@modelcontextprotocol/inspector",
  signIn: "OAuth",
  doMainJob: async ({ server, browser, run, start }) => {
    const target = ["--cli", server.mcpUrl, "--transport", "http"];
    // It needs the first without a terminal to open a browser, and the second without a keychain to store its tokens.
    const interactive = { MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" };
    const listing = start("mcp-inspector", [...target, "--method", "tools/list"], interactive);
    const callback = await browser.signIn(listing.printed, server.passphrase);
    const { text } = await listing.finished;
    demandTools(text);
    demandTheNode(await run("mcp-inspector", [...target, ...CALL], interactive));
    return `called back at ${callback}; tools listed, the failing node named`;
  },
  showRefusal: async ({ server, start }) => {
    const header = ["--header", `Authorization: Bearer ${server.serviceToken}`];
    const target = ["--cli", server.mcpUrl, "--transport", "http", "--stored-auth-only", ...header];
    return (await start("mcp-inspector", [...target, "--method", "tools/list"]).finished).text;
  },
};
