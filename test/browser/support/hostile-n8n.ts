/** The recorded n8n with hostile names and payload in one failure. */

import { type Recording, readRecording } from "../../recorded-n8n/recording.ts";
import { type RecordedN8n, startRecordedN8n } from "../../recorded-n8n/server.ts";

const SCRIPT = "globalThis.attacked=1";

/** Replaces names and values of the failure of `req-deep-failure`. */
export const HOSTILE = {
  workflow: `</bdi><script>${SCRIPT}</script>"'><a href="javascript:${SCRIPT}">x</a>`,
  node: `<svg onload=${SCRIPT}><img src=x onerror=${SCRIPT}>\u202egnp.exe`,
  value: `</pre><!--answer--><iframe srcdoc="<script>parent.${SCRIPT}</script>"></iframe>\u2066javascript:${SCRIPT}`,
} as const;

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function hostile(recording: Recording): Recording {
  const text = JSON.stringify(recording)
    .replaceAll("SWF_Fetch_Rate", inJson(HOSTILE.workflow))
    .replaceAll("Fetch Rate", inJson(HOSTILE.node))
    .replaceAll('"unknown"', `"${inJson(HOSTILE.value)}"`);
  return JSON.parse(text) as Recording;
}

export async function startHostileN8n(): Promise<RecordedN8n> {
  return await startRecordedN8n({ recording: hostile(await readRecording()) });
}
