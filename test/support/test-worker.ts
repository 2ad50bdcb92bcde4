/** The Worker in `wrangler dev` with settings for tests, in front of whichever n8n. */
import { createHash } from "node:crypto";
import { startWranglerDev } from "../../scripts/wrangler-dev.ts";

export const PASSPHRASE = "correct horse battery staple of the tests";
export const SERVICE_TOKEN = "service-token-of-the-tests-0123456789";

export interface TestWorker {
  readonly origin: string;
  readonly mcpUrl: string;
  /** What the Worker and wrangler printed so far. */
  output(): string;
  stop(): Promise<void>;
}

export async function startTestWorker(n8n: {
  readonly baseUrl: string;
  readonly apiKey: string;
}): Promise<TestWorker> {
  const sha256 = createHash("sha256").update(SERVICE_TOKEN).digest("hex");
  let output = "";
  const worker = await startWranglerDev({
    port: 0,
    settings: {
      N8N_BASE_URL: n8n.baseUrl,
      N8N_API_KEY: n8n.apiKey,
      ACCESS_PASSPHRASE: PASSPHRASE,
      SERVICE_TOKENS: `tests ${sha256} n8n:read n8n:data`,
    },
    onOutput: (text) => {
      output += text;
    },
  });
  return { origin: worker.origin, mcpUrl: `${worker.origin}/mcp`, output: () => output, stop: worker.stop };
}
