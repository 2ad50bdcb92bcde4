/** The first SDK as of April 2025, which many clients have embedded since. */
import {
  demandTheNode,
  demandTools,
  REQUEST_ID,
  type RealClient,
  refusalOf,
  type Surroundings,
} from "../client.ts";
import { exportOf } from "../module-export.ts";

const PACKAGE = "sdk-of-april-2025";

type OldTransport = new (url: URL, options: { requestInit: RequestInit }) => object;
type OldClient = new (info: {
  name: string;
  version: string;
}) => {
  connect: (transport: object) => Promise<void>;
  listTools: () => Promise<unknown>;
  callTool: (call: { name: string; arguments: object }) => Promise<unknown>;
  close: () => Promise<void>;
};

async function connect({ server, installed }: Surroundings): Promise<InstanceType<OldClient>> {
  const folder = `${PACKAGE}/dist/esm/client`;
  const Client = await exportOf<OldClient>(installed, `${folder}/index.js`, "Client");
  const Transport = await exportOf<OldTransport>(
    installed,
    `${folder}/streamableHttp.js`,
    "StreamableHTTPClientTransport",
  );
  const headers = { Authorization: `Bearer ${server.serviceToken}` };
  const client = new Client({ name: "old", version: "1.0.0" });
  await client.connect(new Transport(new URL(server.mcpUrl), { requestInit: { headers } }));
  return client;
}

export const oldSdk: RealClient = {
  name: "`@modelcontextprotocol/sdk` of April 2025",
  packageName: PACKAGE,
  signIn: "service token",
  doMainJob: async (surroundings) => {
    const client = await connect(surroundings);
    try {
      demandTools(JSON.stringify(await client.listTools()));
      const call = { name: "trace_request", arguments: { requestId: REQUEST_ID } };
      demandTheNode(JSON.stringify(await client.callTool(call)));
      return "tools listed, the failing node named";
    } finally {
      await client.close();
    }
  },
  showRefusal: async (surroundings) => refusalOf(connect(surroundings)),
};
