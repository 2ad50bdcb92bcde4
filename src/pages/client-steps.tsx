/** How each kind of client is connected: one card a client, each with all it takes. */
import type { Child } from "hono/jsx";
import { Copyable } from "./copyable.tsx";
import { toCursorLink, toVsCodeLink } from "./install-links.ts";

export interface ClientStepsProps {
  readonly connectorUrl: string;
  /** On the user's own machine only: what connects from the internet cannot reach it there. */
  readonly isLoopback: boolean;
}

export function ClientSteps({ connectorUrl, isLoopback }: ClientStepsProps) {
  const fromTheInternet = [<Claude isLoopback={isLoopback} />, <ChatGpt isLoopback={isLoopback} />];
  const fromHere = [
    <ClaudeCode connectorUrl={connectorUrl} />,
    <VsCode connectorUrl={connectorUrl} />,
    <Cursor connectorUrl={connectorUrl} />,
    <N8n />,
    <Inspector connectorUrl={connectorUrl} />,
    <AnyOther />,
  ];
  return (
    <div class="cards">
      {isLoopback ? [...fromHere, ...fromTheInternet] : [...fromTheInternet, ...fromHere]}
    </div>
  );
}

function Card({ title, children }: { title: string; children: Child }) {
  return (
    <section class="card">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Claude({ isLoopback }: { isLoopback: boolean }) {
  return (
    <Card title="Claude, on the web and the desktop">
      {isLoopback ? (
        <Unreachable />
      ) : (
        <ol>
          <li>Open Settings → Connectors → Add custom connector.</li>
          <li>Paste the connector URL, and choose Add.</li>
          <li>Choose Connect, and sign in.</li>
        </ol>
      )}
    </Card>
  );
}

function ClaudeCode({ connectorUrl }: { connectorUrl: string }) {
  return (
    <Card title="Claude Code">
      <Copyable
        id="claude-code"
        name="Command for Claude Code"
        text={`claude mcp add --transport http n8n-observer ${connectorUrl}`}
      />
      <p>
        Then type <code>/mcp</code>, choose n8n-observer and sign in.
      </p>
    </Card>
  );
}

function ChatGpt({ isLoopback }: { isLoopback: boolean }) {
  return (
    <Card title="ChatGPT">
      {isLoopback ? (
        <Unreachable />
      ) : (
        <ol>
          <li>Under Settings → Apps & Connectors → Advanced, turn on Developer mode.</li>
          <li>Choose Create, paste the connector URL, and leave OAuth as it is.</li>
          <li>Sign in. In a chat, add it from the + menu.</li>
        </ol>
      )}
    </Card>
  );
}

function VsCode({ connectorUrl }: { connectorUrl: string }) {
  return (
    <Card title="VS Code">
      <p>
        <a class="button" href={toVsCodeLink(connectorUrl)}>
          Add to VS Code
        </a>
      </p>
      <p>
        Or run <strong>MCP: Add Server</strong> from the command palette, choose HTTP, and paste the connector
        URL.
      </p>
    </Card>
  );
}

function Cursor({ connectorUrl }: { connectorUrl: string }) {
  return (
    <Card title="Cursor">
      <p>
        <a class="button" href={toCursorLink(connectorUrl)}>
          Add to Cursor
        </a>
      </p>
      <p>
        Or write this into <code>~/.cursor/mcp.json</code>:
      </p>
      <Copyable
        id="cursor"
        name="Content of Cursor’s mcp.json"
        text={JSON.stringify({ mcpServers: { "n8n-observer": { url: connectorUrl } } })}
      />
    </Card>
  );
}

function N8n() {
  return (
    <Card title="n8n">
      <ol>
        <li>Ask whoever runs this server for a service token: n8n signs in without a browser.</li>
        <li>
          In the MCP Client or MCP Client Tool node, choose the transport HTTP Streamable, and paste the
          connector URL as the endpoint.
        </li>
        <li>Choose Bearer Auth, with the service token.</li>
      </ol>
    </Card>
  );
}

function Inspector({ connectorUrl }: { connectorUrl: string }) {
  return (
    <Card title="MCP inspector">
      <Copyable
        id="inspector"
        name="Command for the MCP inspector"
        text={`npx @modelcontextprotocol/inspector --transport http --server-url ${connectorUrl}`}
      />
      <p>It opens in the browser. Choose Connect, and sign in. It needs Node 22.19 or later.</p>
    </Card>
  );
}

function AnyOther() {
  return (
    <Card title="Any other client">
      <p>
        Add a remote MCP server with the connector URL, over streamable HTTP. The client finds the sign-in by
        itself.
      </p>
    </Card>
  );
}

function Unreachable() {
  return (
    <p>
      It connects from the internet, and cannot reach this computer. Deploy the server first, or use one of
      the apps here that run on this computer.
    </p>
  );
}
