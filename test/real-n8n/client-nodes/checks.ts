/**
 * n8n's own nodes as clients of this server, over http and https: MCP Client and MCP Client Tool, with a service
 * token and with n8n's OAuth client, on the same n8n that they ask about, with
 * default settings.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import * as z from "zod";
import { createCertificate } from "../../support/certificate.ts";
import { closeAtEnd } from "../../support/close-at-end.ts";
import { PASSPHRASE, SERVICE_TOKEN, startTestWorker } from "../../support/test-worker.ts";
import { startTlsProxy } from "../../support/tls-proxy.ts";
import { createModelCredential } from "../agent-parts.ts";
import { bootN8n, type RunningN8n } from "../boot.ts";
import { installN8n, type Log } from "../install.ts";
import { callApi } from "../n8n-api.ts";
import type { LaneReport } from "../report.ts";
import { sendWebhook } from "../scenarios.ts";
import { type Script, startScriptedModel } from "../scripted-model.ts";
import type { N8nVersion } from "../versions.ts";
import {
  type Credentials,
  createCredential,
  FAILING_NODE,
  failingPath,
  mcpClient,
  mcpClientTool,
  type NodeUnderTest,
  REQUEST_ID,
  seedClientNodes,
} from "./seed.ts";
import { connectCredential } from "./sign-in.ts";

export const CLIENT_NODES = "n8n's own nodes as clients";

/** The newest agent and tool of this n8n. */
const NEWEST = {
  "2.40.5": { agent: 3.1, tool: 1.4 },
  "2.41.1": { agent: 3.1, tool: 1.4 },
  "1.123.81": { agent: 3, tool: 1.2 },
  "1.100.1": { agent: 2, tool: 1 },
} satisfies Record<N8nVersion, { agent: number; tool: number }>;

const SCRIPT: Script = [
  { calls: [{ tool: "trace_request", args: { requestId: REQUEST_ID } }] },
  { text: "I asked." },
];

/** n8n's message for a node that speaks the transport of before March 2025, which this server does not support. */
const NOT_CONNECTED = "Could not connect to your MCP server";
const SSE_REFUSED = [NOT_CONNECTED, "SSE error: Non-200 status code (405)"];
/** n8n 1 gives no reason. */
const refusalOf = (version: N8nVersion): readonly string[] =>
  version.startsWith("1.") ? [NOT_CONNECTED] : SSE_REFUSED;

const httpStreamable = (endpointUrl: string) => ({ endpointUrl, serverTransport: "httpStreamable" });

export async function checkClientNodes(version: N8nVersion, report: LaneReport, log: Log): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const { n8n, n8nOrigin, mcpUrls } = await startParts(version, resources, log);
  const bearerAuth = await createCredential(n8n, "httpBearerAuth", { token: SERVICE_TOKEN });
  const nodes: NodeUnderTest[] = [];
  for (const url of mcpUrls) {
    const { protocol } = new URL(url);
    await report.check(`n8n signs in over ${protocol.slice(0, -1)}, by its own OAuth client`, async () => {
      const mcpOAuth2Api = await connectCredential(n8n, n8nOrigin, url, PASSPHRASE);
      nodes.push(...nodesFor(url, NEWEST[version].tool, { bearerAuth, mcpOAuth2Api }));
    });
  }
  const [plainUrl = ""] = mcpUrls;
  const credentials = { bearerAuth, mcpOAuth2Api: "" };
  const stream = httpStreamable(plainUrl);
  nodes.push(mcpClientTool("tool-1-1-streamable", 1.1, stream, "bearerAuth", credentials));
  const old = [
    mcpClientTool("tool-1", 1, { sseEndpoint: plainUrl }, "bearerAuth", credentials),
    mcpClientTool("tool-1-1-sse", 1.1, { ...stream, serverTransport: "sse" }, "bearerAuth", credentials),
  ];
  const model = closeAtEnd(resources, await startScriptedModel(new Map([["ask", SCRIPT]])));
  const modelId = await createModelCredential(n8n, model.urlOf("ask"));
  await seedClientNodes(n8n, modelId, NEWEST[version].agent, [...nodes, ...old]);
  for (const each of nodes)
    await report.check(`${describe(each)} completes the main job`, async () => completeMainJob(n8n, each));
  for (const each of old)
    await report.check(`${describe(each)} is refused, and n8n says why`, async () =>
      seeRefusal(n8n, each, refusalOf(version)),
    );
}

/** Each of n8n's current nodes, with either way of signing in. */
function nodesFor(url: string, toolVersion: number, credentials: Credentials): NodeUnderTest[] {
  const scheme = new URL(url).protocol.slice(0, -1);
  const stream = httpStreamable(url);
  return [
    mcpClient(`client-bearer-${scheme}`, url, "bearerAuth", credentials),
    mcpClient(`client-oauth-${scheme}`, url, "mcpOAuth2Api", credentials),
    mcpClientTool(`tool-bearer-${scheme}`, toolVersion, stream, "bearerAuth", credentials),
    mcpClientTool(`tool-oauth-${scheme}`, toolVersion, stream, "mcpOAuth2Api", credentials),
  ];
}

interface Parts {
  readonly n8n: RunningN8n;
  /** n8n's editor over https. */
  readonly n8nOrigin: string;
  /** The connector URLs of a Worker over http and one over https, which both read that n8n. */
  readonly mcpUrls: readonly string[];
}

async function startParts(version: N8nVersion, resources: AsyncDisposableStack, log: Log): Promise<Parts> {
  const folder = resources.adopt(await mkdtemp(join(tmpdir(), "n8n-observer-ca-")), async (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const certificate = createCertificate();
  const authority = join(folder, "ca.pem");
  await writeFile(authority, certificate.cert);
  // This process trusts it too, as it simulates the person's browser.
  setDefaultCACertificates([...getCACertificates("default"), certificate.cert.toString()]);
  const startProxy = async () => closeAtEnd(resources, await startTlsProxy(certificate));
  const inFrontOfN8n = await startProxy();
  const inFrontOfWorker = await startProxy();
  const environment = { NODE_EXTRA_CA_CERTS: authority, N8N_EDITOR_BASE_URL: inFrontOfN8n.origin };
  const n8n = closeAtEnd(resources, await bootN8n(await installN8n(version, log), { log, environment }));
  inFrontOfN8n.leadTo(n8n.baseUrl);
  const startWorker = async (settings: Record<string, string>) =>
    closeAtEnd(
      resources,
      await startTestWorker(
        { baseUrl: n8n.baseUrl, apiKey: n8n.readKey },
        {},
        { settings: { N8N_EDITOR_URL: inFrontOfN8n.origin, ...settings } },
      ),
    );
  const plain = await startWorker({});
  const secure = await startWorker({ PUBLIC_URL: inFrontOfWorker.origin });
  inFrontOfWorker.leadTo(secure.origin);
  return { n8n, n8nOrigin: inFrontOfN8n.origin, mcpUrls: [plain.mcpUrl, `${inFrontOfWorker.origin}/mcp`] };
}

const describe = ({ name, node, isTool }: NodeUnderTest): string =>
  `n8n's ${isTool ? "MCP Client Tool" : "MCP Client"} ${node.typeVersion} (${name})`;

const execution = z.looseObject({
  id: z.string(),
  data: z.looseObject({
    resultData: z.looseObject({
      runData: z.record(z.string(), z.array(z.unknown())),
      error: z.looseObject({ message: z.string(), description: z.string().nullish() }).optional(),
    }),
  }),
});
const page = z.object({ data: z.array(execution) });

/**
 * Sends the failing request, then calls the webhook of the node that asks about it, and reads n8n's execution of that.
 * Repeated for each node, as an execution that asks about a request also holds its id.
 */
async function run(n8n: RunningN8n, { name }: NodeUnderTest): Promise<z.infer<typeof execution>> {
  await sendWebhook(n8n, failingPath, { requestId: REQUEST_ID });
  await sendWebhook(n8n, name, {});
  const access = { baseUrl: n8n.baseUrl, key: n8n.readKey };
  const { data } = page.parse(await callApi(access, "GET", "/executions?includeData=true&limit=1"));
  const [newest] = data;
  if (newest === undefined) throw new Error("n8n kept no execution.");
  return newest;
}

/** The node's output must name the failed node. */
async function completeMainJob(n8n: RunningN8n, each: NodeUnderTest): Promise<undefined> {
  const { data } = await run(n8n, each);
  const gave = JSON.stringify(data.resultData.runData[each.node.name] ?? []);
  if (
    gave.includes(`failed at node \\"${FAILING_NODE}\\"`) ||
    gave.includes(`failed at node \\\\\\"${FAILING_NODE}`)
  )
    return undefined;
  const { message = "no error", description = "" } = data.resultData.error ?? {};
  throw new Error(`It does not name the failing node (${message} ${description}): ${gave.slice(0, 1_500)}`);
}

/** docs/clients.md quotes this message, with the solution. */
async function seeRefusal(n8n: RunningN8n, each: NodeUnderTest, words: readonly string[]): Promise<string> {
  const said = JSON.stringify((await run(n8n, each)).data.resultData);
  const missing = words.filter((one) => !said.includes(one));
  if (missing.length > 0)
    throw new Error(`n8n does not say ${missing.join(" or ")}: ${said.slice(0, 1_500)}`);
  return words.join(": ");
}
