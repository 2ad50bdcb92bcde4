/** The recorded n8n in a process of its own. Argument: how many executions it has. */
import type { z } from "zod";
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { endWithParent, sendToParent } from "./child-process.ts";
import type { recordedServer } from "./servers.ts";

const { baseUrl, apiKey, scenariosOfCopy, copies } = await startRecordedN8n({
  multiplyTo: Number(process.argv[2]),
});
// The last copy may lack some requests.
const oldest = scenariosOfCopy(copies - 1)
  .map(({ requestId, expected }) => ({ requestId, executionIds: expected.executionIds }))
  .sort((a, b) => Math.min(...a.executionIds.map(Number)) - Math.min(...b.executionIds.map(Number)));
endWithParent();
sendToParent({ n8n: { baseUrl, apiKey }, oldest } satisfies z.infer<typeof recordedServer>);
