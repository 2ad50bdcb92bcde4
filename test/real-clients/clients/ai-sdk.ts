/** The AI SDK's MCP client, used as by an agent that calls tools. */
import * as z from "zod";
import {
  demandTheNode,
  demandTools,
  REQUEST_ID,
  type RealClient,
  refusalOf,
  type Surroundings,
} from "../client.ts";
import { exportOf } from "../module-export.ts";

interface AiSdkClient {
  readonly tools: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}
type CreateClient = (options: {
  readonly transport: {
    readonly type: "http";
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}) => Promise<AiSdkClient>;

type Execute = (args: object, options: object) => Promise<unknown>;
const tools = z.record(
  z.string(),
  z.looseObject({ execute: z.custom<Execute>((value) => typeof value === "function") }),
);

async function connect({ server, installed }: Surroundings): Promise<AiSdkClient> {
  const create = await exportOf<CreateClient>(installed, "@ai-sdk/mcp/dist/index.js", "createMCPClient");
  const headers = { Authorization: `Bearer ${server.serviceToken}` };
  return await create({ transport: { type: "http", url: server.mcpUrl, headers } });
}

export const aiSdk: RealClient = {
  name: "AI SDK (`@ai-sdk/mcp`)",
  packageName: "@ai-sdk/mcp",
  signIn: "service token",
  doMainJob: async (surroundings) => {
    const client = await connect(surroundings);
    try {
      const offered = tools.parse(await client.tools());
      demandTools(Object.keys(offered).join(" "));
      const answer = await offered.trace_request?.execute(
        { requestId: REQUEST_ID },
        { toolCallId: "call-1", messages: [] },
      );
      demandTheNode(JSON.stringify(answer));
      return "tools listed, the failing node named";
    } finally {
      await client.close();
    }
  },
  showRefusal: async (surroundings) => refusalOf(connect(surroundings)),
};
