/** The servers that the suite asks: the Worker as it is, and the same with the suite's tools. */
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";
import { type BearerProxy, startBearerProxy } from "./bearer-proxy.ts";
import type { Target } from "./scenarios.ts";
import { fixtureConfiguration } from "./worker-configuration.ts";

export interface Servers {
  /** The Worker itself, without a proxy in front. */
  readonly worker: TestWorker;
  /** MCP endpoints that need no bearer header. */
  readonly mcpUrls: Readonly<Record<Target, string>>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const started: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    for (const each of started.splice(0).reverse()) await each.stop();
  };
  try {
    const n8n: RecordedN8n = await startRecordedN8n();
    started.push({ stop: n8n.close });
    const startWithProxy = async (configuration: { configuration?: string }) => {
      const worker = await startTestWorker(n8n, {}, configuration);
      started.push(worker);
      const proxy: BearerProxy = await startBearerProxy(worker.origin, SERVICE_TOKEN);
      started.push({ stop: proxy.close });
      return { worker, mcpUrl: `${proxy.origin}/mcp` };
    };
    const own = await startWithProxy({});
    const fixtures = await startWithProxy({ configuration: await fixtureConfiguration() });
    return { worker: own.worker, mcpUrls: { worker: own.mcpUrl, fixtures: fixtures.mcpUrl }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
