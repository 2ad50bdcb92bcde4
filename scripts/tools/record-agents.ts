/**
 * `npm run tools record:agents`: records one execution or more of each kind of agent run on a real n8n, into
 * `test/recorded-n8n/recording/agents/<version>.json`, each with what its model's server counted.
 * Promises: saves n8n's own answers, in which paths and ports of the machine are replaced; refuses a recording that
 * still names the machine.
 */
import { agentScripts, seedAgentKinds } from "../../test/real-n8n/agent-kinds.ts";
import { runAgentKind, startStatusServer } from "../../test/real-n8n/agent-runs.ts";
import { startScriptedModel } from "../../test/real-n8n/scripted-model.ts";
import { recordedVersions, toRecordedVersion, VERSION_OPTION } from "../../test/real-n8n/versions.ts";
import { agentsDirectory } from "../../test/recorded-n8n/agents.ts";
import { runScript } from "../command-line/command.ts";
import { onRealN8n } from "../record/on-real-n8n.ts";
import { saveRecording, toLines, usualPlaces } from "../record/save-recording.ts";

const USAGE = `Records each kind of agent run on a real n8n, into test/recorded-n8n/recording/agents.

  npm run tools record:agents -- [options]

  --version <version>  ${recordedVersions.join(", ")}; without it, the first`;

await runScript(USAGE, { options: { version: VERSION_OPTION } }, async ({ values }) => {
  const version = toRecordedVersion(values.version);
  await onRealN8n(version, async (n8n, keep) => {
    const { url: statusUrl } = await keep(startStatusServer());
    const model = await keep(startScriptedModel(agentScripts));
    const kinds = await seedAgentKinds(n8n, model, statusUrl);
    console.log(`seeded ${kinds.length} kinds`);
    const recorded: unknown[] = [];
    for (const kind of kinds) recorded.push(...(await runAgentKind(n8n, model, kind)));
    const services = { 9098: statusUrl, 9097: model.urlOf("done") };
    await saveRecording(`${agentsDirectory}/${version}.json`, toLines(recorded), usualPlaces(n8n, services));
  });
});
