/** The most used apps that run on the user's own computer, and n8n itself. */
import { Card } from "../card.tsx";
import { toClaudeCodeCommand, toCodexCommand, toCursorFile, toGeminiCommand } from "../client-commands.ts";
import { Copyable } from "../copyable.tsx";
import { toCursorLink, toVsCodeLink } from "../install-links.ts";

interface ConnectedTo {
  readonly connectorUrl: string;
}

export function ClaudeCode({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="Claude Code">
      <Copyable id="claude-code" name="Command for Claude Code" text={toClaudeCodeCommand(connectorUrl)} />
      <p>
        Then type <code>/mcp</code>, choose n8n-observer and sign in.
      </p>
    </Card>
  );
}

export function VsCode({ connectorUrl }: ConnectedTo) {
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

export function Cursor({ connectorUrl }: ConnectedTo) {
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
      <Copyable id="cursor" name="Content of Cursor’s mcp.json" text={toCursorFile(connectorUrl)} />
    </Card>
  );
}

/** Nodes without a choice of transport speak the one that MCP gave up (SSE): they have to be added anew. */
export function N8n({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="n8n">
      <ol>
        <li>
          Add the node MCP Client, or MCP Client Tool below an AI Agent. Choose the server transport HTTP
          Streamable, and paste <code>{connectorUrl}</code> as the endpoint.
        </li>
        <li>
          Authentication: MCP OAuth2. In a new credential, paste the same as the server URL, then Connect my
          account. Or Bearer Auth, with a service token from whoever runs this server.
        </li>
      </ol>
      <p>An older MCP Client Tool with the field SSE Endpoint does not work: delete it, and add it anew.</p>
    </Card>
  );
}

export function Codex({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="Codex">
      <Copyable id="codex" name="Command for Codex" text={toCodexCommand(connectorUrl)} />
      <p>
        It opens the sign-in at once. Later: <code>codex mcp login n8n-observer</code>
      </p>
    </Card>
  );
}

export function GeminiCli({ connectorUrl }: ConnectedTo) {
  return (
    <Card title="Gemini CLI">
      <Copyable id="gemini-cli" name="Command for Gemini CLI" text={toGeminiCommand(connectorUrl)} />
      <p>
        Then, in Gemini CLI, sign in with <code>/mcp auth n8n-observer</code>.
      </p>
    </Card>
  );
}
