/** How to connect each app: the most used ones first. On the user's own machine, those on the internet are left out. */
import type { Child } from "hono/jsx";
import { docsUrl } from "../platform/about.ts";
import {
  APPS_ON_THE_INTERNET,
  type App,
  appsOnAComputer,
  type Block,
  COPILOT_STUDIO,
  furtherApps,
} from "./apps.ts";
import { Copyable } from "./copyable.tsx";
import { Marked, Paragraph } from "./marked.tsx";

export interface ClientStepsProps {
  readonly connectorUrl: string;
  /** Runs on the user's own machine, where apps that connect from the internet cannot reach it. */
  readonly isLoopback: boolean;
}

export function ClientSteps({ connectorUrl, isLoopback }: ClientStepsProps) {
  const online = isLoopback ? [] : APPS_ON_THE_INTERNET;
  const furtherOnline = isLoopback ? [] : [COPILOT_STUDIO];
  return (
    <>
      <div class="cards">
        {[...online, ...appsOnAComputer(connectorUrl)].map(toCard)}
        <NotReachable connectorUrl={connectorUrl} isLoopback={isLoopback} />
      </div>
      <details class="more">
        <summary>
          More apps: Codex, Gemini CLI, Zed, Windsurf, Goose, LibreChat, Raycast, Postman,
          {!isLoopback && " Copilot Studio,"} the MCP inspector, any other
        </summary>
        <div class="cards">{furtherApps(connectorUrl, furtherOnline).map(toCard)}</div>
      </details>
    </>
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

const toCard = ({ title, blocks }: App) => <Card title={title}>{blocks.map(toElement)}</Card>;

function toElement(block: Block) {
  if (typeof block === "string") return <Paragraph text={block} />;
  if ("id" in block) return <Copyable {...block} />;
  if ("href" in block) {
    return (
      <p>
        <a class="button" href={block.href}>
          {block.link}
        </a>
      </p>
    );
  }
  return (
    <ol>
      {block.map((step) => (
        <li>
          <Marked text={step} />
        </li>
      ))}
    </ol>
  );
}

function NotReachable({ connectorUrl, isLoopback }: ClientStepsProps) {
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
