import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedVersion } from "../real-n8n/versions.ts";
import { type RecordedReply, readRecording, readReplies } from "./recording.ts";
import { toCompact } from "./replies.ts";
import { type RecordedN8n, startRecordedN8n } from "./server.ts";

const versions: RecordedVersion[] = ["1.123.81", "1.100.1"];

function headersFor(server: RecordedN8n, key: RecordedReply["key"]): Record<string, string> {
  if (key === "none") return {};
  return { "X-N8N-API-KEY": key === "wrong" ? "wrong" : server.apiKey };
}

describe.each(versions)("the recorded n8n %s", async (version) => {
  const replies = await readReplies(version);
  let server: RecordedN8n;
  beforeAll(async () => {
    server = await startRecordedN8n({ version });
  });
  afterAll(async () => await server.close());

  it.each(replies)("answers $path ($key key) as the live n8n did", async ({ path, key, status, body }) => {
    const response = await fetch(`${server.baseUrl}/api/v1${path}`, { headers: headersFor(server, key) });
    expect({ status: response.status, body: toCompact(await response.json()) }).toEqual({ status, body });
  });

  it("answers every recorded execution exactly as n8n did, including unlisted ones", async () => {
    const { executions, snapshots } = await readRecording(version);
    expect(executions.map(({ status }) => status)).toEqual(expect.arrayContaining(["waiting", "running"]));
    for (const { answer, snapshot } of executions) {
      const response = await fetch(`${server.baseUrl}/api/v1/executions/${answer.id}?includeData=true`, {
        headers: headersFor(server, "read"),
      });
      expect(await response.json()).toEqual({ ...answer, workflowData: snapshots[snapshot] });
    }
  });

  it("holds no path or registry of the recording machine", async () => {
    expect(JSON.stringify(await readRecording(version))).not.toMatch(
      /\/(root|home)\/|\/tmp\/|\.cache|registry\.[a-z]+js/,
    );
  });

  it("holds the same scenarios as the newest version", async () => {
    const names = (await readRecording()).manifest.scenarios.map(({ name }) => name);
    expect(server.scenarios.map(({ name }) => name)).toEqual(names);
  });
});
