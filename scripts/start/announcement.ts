/** What `npm start` prints once the server answers. Pure. */
import type { RecordedScenario } from "../../test/recorded-n8n/recording.ts";

export interface StartedServer {
  readonly connectorUrl: string;
  readonly passphrase: string;
  readonly scenarios: readonly RecordedScenario[];
  readonly readyAfterMs: number;
}

/** Request ids of typical uses: a nested failure, and a retry. */
export function suggestRequestIds(scenarios: readonly RecordedScenario[]) {
  const deepFailure = scenarios.find(
    ({ expected }) =>
      expected.failingNode !== undefined && expected.failingNode.workflowName !== expected.entryWorkflowName,
  );
  const retry = scenarios.find(({ expected }) => expected.retry);
  const suggestions = [
    { scenario: deepFailure, about: "failed, two sub-workflows down" },
    { scenario: retry, about: "failed, then succeeded when it was retried" },
  ];
  return suggestions.flatMap(({ scenario, about }) =>
    scenario === undefined ? [] : [{ requestId: scenario.requestId, about }],
  );
}

function toCommands(suggestions: ReturnType<typeof suggestRequestIds>): string[] {
  const width = Math.max(0, ...suggestions.map(({ requestId }) => requestId.length));
  return suggestions.map(
    ({ requestId, about }) => `  npm run ask -- ${requestId.padEnd(width)}   # ${about}`,
  );
}

export function announce({ connectorUrl, passphrase, scenarios, readyAfterMs }: StartedServer): string {
  const seconds = (readyAfterMs / 1000).toFixed(1);
  const { origin } = new URL(connectorUrl);
  const suggestions = suggestRequestIds(scenarios);
  // Pages take the passphrase from the fragment, which browsers do not send: one click signs in.
  const paths = ["/app", ...suggestions.map(({ requestId }) => `/app/requests/${requestId}`)];
  return `
n8n-observer is ready after ${seconds} s. Behind it is a recorded n8n: real answers, replayed. It only reads.

  Connector URL   ${connectorUrl}
  Passphrase      ${passphrase}

See what happened, in a browser:

${paths.map((path) => `  ${origin}${path}#passphrase=${passphrase}`).join("\n")}

Ask what happened to a request (in another terminal):

${toCommands(suggestions).join("\n")}

Connect a client; it opens a page in the browser that asks for the passphrase:

  claude mcp add --transport http n8n-observer ${connectorUrl}
  npx @modelcontextprotocol/inspector --transport http --server-url ${connectorUrl}

To watch your own n8n instead: npm run setup
Press Ctrl-C to stop.
`;
}
