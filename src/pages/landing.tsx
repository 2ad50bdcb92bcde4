/** The start page: what this is and how to connect. Anyone can open it, so it shows nothing of n8n. */
import type { SettingProblem } from "../settings.ts";
import { Layout } from "./layout.tsx";
import type { Page } from "./respond.ts";

export interface LandingPageProps {
  readonly connectorUrl: string;
  /** On the user's own machine only: claude.ai cannot reach it there. */
  readonly isLoopback: boolean;
  readonly problems: readonly SettingProblem[];
}

export function landingPage({ connectorUrl, isLoopback, problems }: LandingPageProps): Page {
  return (
    <Layout title="What happened in n8n?" wide>
      <h1>What happened in n8n?</h1>
      <p>
        Ask your AI assistant what became of a request, which node failed and why. This server looks into n8n
        for it. It only ever reads.
      </p>
      {problems.length > 0 && (isLoopback ? <Problems problems={problems} /> : <NotConfigured />)}
      <h2 id="url">Connector URL</h2>
      <pre>
        <code>{connectorUrl}</code>
      </pre>
      <h2>Claude</h2>
      {isLoopback ? (
        <p>
          Claude on the web and on the desktop connects from the internet and cannot reach this computer.
          Deploy the server, or use Claude Code.
        </p>
      ) : (
        <p>Settings → Connectors → Add custom connector, paste the connector URL, then Connect.</p>
      )}
      <h2>Claude Code</h2>
      <pre>
        <code>claude mcp add --transport http n8n-observer {connectorUrl}</code>
      </pre>
      <p>
        Then type <code>/mcp</code> in Claude Code, choose n8n-observer and sign in.
      </p>
      <h2>Any other MCP client</h2>
      <p>Add a remote server with the connector URL (streamable HTTP). It finds the sign-in by itself.</p>
      <p class="muted">
        You are asked for the passphrase of this server, and what the app may see. Then ask, for example:
        “What happened to request <em>your request id</em>?”
      </p>
    </Layout>
  );
}

function Problems({ problems }: { problems: readonly SettingProblem[] }) {
  return (
    <div class="note warn">
      <p>
        <strong>Not ready yet.</strong> These settings need attention:
      </p>
      <ul>
        {problems.map(({ setting, problem, solution }) => (
          <li>
            <code>{setting}</code>: {problem} {solution}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Strangers see this page too, so it does not say what is missing. */
function NotConfigured() {
  return (
    <div class="note warn">
      <p>
        <strong>This server is not fully configured.</strong> Whoever runs it can see what is missing with the
        tool <code>check_connection</code>, or in the logs.
      </p>
    </div>
  );
}
