/** Apps that connect from their makers' servers: they reach only what is reachable from the internet. */
import { Card } from "../card.tsx";

export function Claude() {
  return (
    <Card title="Claude, on the web and the desktop">
      <ol>
        <li>Open Settings → Connectors → Add custom connector.</li>
        <li>Paste the connector URL, and choose Add.</li>
        <li>Choose Connect, and sign in.</li>
      </ol>
    </Card>
  );
}

export function ChatGpt() {
  return (
    <Card title="ChatGPT">
      <ol>
        <li>Under Settings → Apps & Connectors → Advanced, turn on Developer mode.</li>
        <li>Choose Create, paste the connector URL, and leave OAuth as it is.</li>
        <li>Sign in. In a chat, add it from the + menu.</li>
      </ol>
    </Card>
  );
}

/** https://learn.microsoft.com/microsoft-copilot-studio/mcp-add-existing-server-to-agent */
export function CopilotStudio() {
  return (
    <Card title="Copilot Studio">
      <ol>
        <li>In your agent, open Tools → Add a tool → New tool → Model Context Protocol.</li>
        <li>Give it a name and a description, and paste the connector URL.</li>
        <li>
          Under Authentication choose OAuth 2.0, then Dynamic discovery. Create a connection, and sign in.
        </li>
      </ol>
    </Card>
  );
}
