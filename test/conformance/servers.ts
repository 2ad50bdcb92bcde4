/** The servers that the suite runs against: the Worker as it is, and the same with the suite's tools. */

import { inProject } from "../../scripts/project.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import {
  SERVICE_TOKEN,
  startTestWorker,
  type TestWorker,
  type TestWorkerOptions,
} from "../support/test-worker.ts";
import { type BearerProxy, startBearerProxy } from "./bearer-proxy.ts";
import type { Target } from "./scenarios.ts";

/** The one module that the test-only Worker replaces, keyed by its specifier in `src/index.ts`. */
export const FIXTURE_TOOLS_MODULE = {
  "./wiring/endpoint.ts": inProject("test", "conformance", "worker", "endpoint.ts"),
};

export interface Servers {
  /** The Worker itself, without the proxy. */
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
    const startWithProxy = async (options: TestWorkerOptions) => {
      const worker = await startTestWorker(n8n, {}, options);
      started.push(worker);
      const proxy: BearerProxy = await startBearerProxy(worker.origin, SERVICE_TOKEN);
      started.push({ stop: proxy.close });
      return { worker, mcpUrl: `${proxy.origin}/mcp` };
    };
    const own = await startWithProxy({});
    const fixtures = await startWithProxy({ aliases: FIXTURE_TOOLS_MODULE });
    return { worker: own.worker, mcpUrls: { worker: own.mcpUrl, fixtures: fixtures.mcpUrl }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
