/** LangChain's MCP adapters. */
import {
  demandTheNode,
  demandTools,
  REQUEST_ID,
  type RealClient,
  refusalOf,
  type Surroundings,
} from "../client.ts";
import { exportOf } from "../module-export.ts";

interface LangChainTool {
  readonly name: string;
  readonly invoke: (args: object) => Promise<unknown>;
}
type LangChainClient = new (options: {
  readonly mcpServers: Readonly<
    Record<string, { transport: "http"; url: string; headers: Readonly<Record<string, string>> }>
  >;
}) => { getTools: () => Promise<readonly LangChainTool[]>; close: () => Promise<void> };

async function createClient({ server, installed }: Surroundings): Promise<InstanceType<LangChainClient>> {
  const path = "@langchain/mcp-adapters/dist/index.js";
  const Client = await exportOf<LangChainClient>(installed, path, "MultiServerMCPClient");
  const headers = { Authorization: `Bearer ${server.serviceToken}` };
  return new Client({ mcpServers: { observer: { transport: "http", url: server.mcpUrl, headers } } });
}

export const langchain: RealClient = {
  name: "LangChain (`@langchain/mcp-adapters`)",
  packageName: "@langchain/mcp-adapters",
  signIn: "service token",
  doMainJob: async (surroundings) => {
    const client = await createClient(surroundings);
    try {
      const tools = await client.getTools();
      demandTools(tools.map(({ name }) => name).join(" "));
      const tool = tools.find(({ name }) => name.endsWith("trace_request"));
      demandTheNode(JSON.stringify(await tool?.invoke({ requestId: REQUEST_ID })));
      return "tools listed, the failing node named";
    } finally {
      await client.close();
    }
  },
  showRefusal: async (surroundings) => refusalOf((await createClient(surroundings)).getTools()),
};
