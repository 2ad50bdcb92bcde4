/**
 * `npm run tools record:agents [-- --version <n8n version>]`: records one execution or more of each kind of agent run on a
 * real n8n, into `test/recorded-n8n/recording/agents/<version>.json`, each with what its model's server counted.
 * Promises: what is saved is n8n's own answer, but for paths and ports of the machine, and parts of stacks that name
 * them; a recording that still names the machine is refused.
 */
import { agentScripts, seedAgentKinds } from "../../test/real-n8n/agent-kinds.ts";
import { runAgentKind, startStatusServer } from "../../test/real-n8n/agent-runs.ts";
import { bootN8n } from "../../test/real-n8n/boot.ts";
import { installN8n } from "../../test/real-n8n/install.ts";
import { startScriptedModel } from "../../test/real-n8n/scripted-model.ts";
import { type N8nVersion, readN8nVersion } from "../../test/real-n8n/versions.ts";
import { agentsDirectory } from "../../test/recorded-n8n/agents.ts";
import { saveRecording } from "../record/save-recording.ts";

async function main(version: N8nVersion): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const installation = await installN8n(version, console.log);
  const { url: statusUrl } = resources.adopt(
    await startStatusServer(),
    async (server) => await server.close(),
  );
  const model = resources.adopt(
    await startScriptedModel(agentScripts),
    async (server) => await server.close(),
  );
  const n8n = resources.adopt(
    await bootN8n(installation, { log: console.log }),
    async (running) => await running.stop(),
  );
  const kinds = await seedAgentKinds(n8n, model, statusUrl);
  console.log(`seeded ${kinds.length} kinds`);
  const recorded: unknown[] = [];
  for (const kind of kinds) recorded.push(...(await runAgentKind(n8n, model, kind)));
  await saveRecording(`${agentsDirectory}/${version}.json`, recorded, [
    [`${installation.directory}/node_modules/n8n/`, "/usr/local/lib/node_modules/n8n/"],
    [`${installation.directory}/node_modules/`, "/usr/local/lib/node_modules/n8n/node_modules/"],
    [n8n.baseUrl.slice("http://".length), "127.0.0.1:5678"],
    [statusUrl.slice("http://".length), "127.0.0.1:9098"],
    [new URL(model.urlOf("done")).host, "127.0.0.1:9097"],
  ]);
}

await main(readN8nVersion(process.argv.slice(2)));
