/** What to do where apps on the internet cannot reach this server, or an app starts nothing but local programs. */

import { docsUrl } from "../../platform/about.ts";
import { Card } from "../card.tsx";
import { Copyable } from "../copyable.tsx";

interface ConnectedTo {
  readonly connectorUrl: string;
}

export function NotReachable({ connectorUrl, isLoopback }: ConnectedTo & { readonly isLoopback: boolean }) {
  return (
    <Card
      title={isLoopback ? "Claude on the web, ChatGPT, Copilot Studio" : "Not reachable from the internet?"}
    >
      <p>
        {isLoopback
          ? "They connect from the internet, and cannot reach this computer. "
          : "Claude on the web, ChatGPT and Copilot Studio connect from the internet. Where this address opens in your own network only, they cannot reach it. "}
        Apps on {isLoopback ? "this computer" : "computers in that network"} can.
      </p>
      <ul>
        <li>
          Claude Desktop: start <code>npx -y mcp-remote {connectorUrl}</code> as a local server.
        </li>
        <li>
          For the others, <a href={docsUrl("deploy.md")}>deploy the server</a>, or publish it with a{" "}
          <a href={docsUrl("private-network.md")}>Cloudflare Tunnel</a>. n8n itself may stay private.
        </li>
      </ul>
    </Card>
  );
}

/** mcp-remote: a local program that passes everything on to the remote server, and signs in for it. */
export function StartsLocalPrograms({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="Apps that start local programs only">
      <p>
        For example Claude Desktop without connectors: write this into <code>claude_desktop_config.json</code>
        .
      </p>
      <Copyable
        id="mcp-remote"
        name="Configuration with mcp-remote"
        text={JSON.stringify({
          mcpServers: { "n8n-observer": { command: "npx", args: ["-y", "mcp-remote", connectorUrl] } },
        })}
      />
    </Card>
  );
}
