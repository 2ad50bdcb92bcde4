/** Runs a real n8n while a function uses it. */
import { bootN8n, type RunningN8n } from "../../test/real-n8n/boot.ts";
import { installN8n } from "../../test/real-n8n/install.ts";
import type { N8nVersion } from "../../test/real-n8n/versions.ts";

interface Server {
  readonly close: () => Promise<unknown>;
}

/** Registers a server that is closed before n8n stops. */
export type Keep = <Started extends Server>(server: Promise<Started>) => Promise<Started>;

export async function onRealN8n<Result>(
  version: N8nVersion,
  run: (n8n: RunningN8n, keep: Keep) => Promise<Result>,
  environment: Record<string, string> = {},
): Promise<Result> {
  await using resources = new AsyncDisposableStack();
  const n8n = resources.adopt(
    await bootN8n(await installN8n(version, console.log), { log: console.log, environment }),
    async (running) => await running.stop(),
  );
  return await run(n8n, async (server) =>
    resources.adopt(await server, async (started) => void (await started.close())),
  );
}
