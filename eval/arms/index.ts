/** Starts the recorded n8n, and the server in front of it. */
import type { N8nAccess } from "../../scripts/bench/n8n-access.ts";
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { SERVICE_TOKEN, startTestWorker } from "../../test/support/test-worker.ts";
import { readEvalRecording } from "../instance.ts";
import type { Arm } from "./arm.ts";
import { connectMcpArm } from "./mcp.ts";
import { createRestArm } from "./rest.ts";

export const ARMS = ["this-server", "rest", "mcp"] as const;

export interface ArmOptions {
  readonly arm: (typeof ARMS)[number];
  /** Of another MCP server. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** Where the recorded n8n listens; any free port by default. */
  readonly n8nPort?: number | undefined;
  /** Called once n8n listens, for servers that are set up by hand. */
  readonly onN8n?: (n8n: N8nAccess) => Promise<void>;
}

export async function startArm({ arm, url, token, n8nPort, onN8n }: ArmOptions): Promise<Arm> {
  await using starting = new AsyncDisposableStack();
  const recording = await readEvalRecording();
  const n8n = await startRecordedN8n({ recording, port: n8nPort ?? 0 });
  starting.defer(n8n.close);
  await onN8n?.(n8n);
  const started = await connect();
  starting.use(started);
  const running = starting.move();
  return { ...started, [Symbol.asyncDispose]: async () => await running.disposeAsync() };

  async function connect(): Promise<Arm> {
    if (arm === "rest") return createRestArm(n8n);
    if (url !== undefined) return await connectMcpArm(arm, url, token);
    const worker = await startTestWorker(n8n);
    starting.defer(worker.stop);
    return await connectMcpArm(arm, worker.mcpUrl, SERVICE_TOKEN);
  }
}
