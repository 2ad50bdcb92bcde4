/**
 * Further apps, each as its own documentation says: https://zed.dev/docs/ai/mcp, Windsurf's `mcp_config.json`
 * (`serverUrl`), goose's "Using extensions", LibreChat's `mcpServers`, https://manual.raycast.com/ai/model-context-protocol,
 * Postman's "MCP requests".
 */
import { Card } from "../card.tsx";
import { toInspectorCommand } from "../client-commands.ts";
import { Copyable } from "../copyable.tsx";

interface ConnectedTo {
  readonly connectorUrl: string;
}

export function Zed({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="Zed">
      <p>Add this to Zed’s settings, and sign in when Zed asks:</p>
      <Copyable
        id="zed"
        name="Setting for Zed"
        text={`"context_servers": ${JSON.stringify({ "n8n-observer": { url: connectorUrl } })}`}
      />
    </Card>
  );
}

export function Windsurf({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="Windsurf">
      <p>
        Write this into <code>~/.codeium/windsurf/mcp_config.json</code>, with a service token from whoever
        runs this server:
      </p>
      <Copyable
        id="windsurf"
        name="Content of Windsurf’s mcp_config.json"
        text={JSON.stringify({
          mcpServers: {
            "n8n-observer": {
              serverUrl: connectorUrl,
              headers: { Authorization: "Bearer <service token>" },
            },
          },
        })}
      />
    </Card>
  );
}

export function Goose() {
  return (
    <Card title="Goose">
      <ol>
        <li>Open Extensions → Add custom extension.</li>
        <li>Choose the type Streamable HTTP, and paste the connector URL as the endpoint.</li>
        <li>Add it, and sign in.</li>
      </ol>
      <p>
        In a terminal: <code>goose configure</code>, Add Extension, Remote Extension (Streamable HTTP).
      </p>
    </Card>
  );
}

export function LibreChat({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="LibreChat">
      <p>
        Whoever runs this server adds LibreChat’s callback to <code>ALLOWED_REDIRECT_HOSTS</code>:{" "}
        <code>https://your-librechat/api/mcp/n8n-observer/oauth/callback</code>. Then add this to{" "}
        <code>librechat.yaml</code>, and restart LibreChat:
      </p>
      <Copyable
        id="librechat"
        name="Setting for LibreChat"
        text={`mcpServers: { n8n-observer: { type: streamable-http, url: "${connectorUrl}" } }`}
      />
    </Card>
  );
}

export function Raycast() {
  return (
    <Card title="Raycast">
      <ol>
        <li>Run the command Install MCP Server.</li>
        <li>Choose the transport HTTP, and paste the connector URL.</li>
        <li>
          Add the HTTP header <code>Authorization</code> with <code>Bearer</code> and a service token from
          whoever runs this server.
        </li>
      </ol>
    </Card>
  );
}

export function Postman() {
  return (
    <Card title="Postman">
      <ol>
        <li>Choose New → MCP, then HTTP, and paste the connector URL.</li>
        <li>
          Choose Connect, and sign in; or, under Authorization, choose Bearer Token with a service token.
        </li>
      </ol>
    </Card>
  );
}

export function Inspector({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="MCP inspector">
      <Copyable id="inspector" name="Command for the MCP inspector" text={toInspectorCommand(connectorUrl)} />
      <p>It opens in the browser. Choose Connect, and sign in. It needs Node 22.19 or later.</p>
    </Card>
  );
}

export function AnyOther() {
  return (
    <Card title="Any other app">
      <p>
        Add a remote MCP server with the connector URL, over streamable HTTP. The app finds the sign-in by
        itself. An app without a browser sends a service token: <code>Authorization: Bearer …</code>
      </p>
    </Card>
  );
}
