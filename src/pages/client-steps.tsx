/**
 * How each app is connected: one card an app, each with all it takes. What most people use stands first and open, the
 * rest behind one line that names it. On the user's own machine the apps that connect from the internet come last.
 */
import { ClaudeCode, Codex, Cursor, GeminiCli, N8n, VsCode } from "./cards/apps-on-a-computer.tsx";
import { ChatGpt, Claude, CopilotStudio } from "./cards/apps-on-the-internet.tsx";
import {
  AnyOther,
  Goose,
  Inspector,
  LibreChat,
  Postman,
  Raycast,
  Windsurf,
  Zed,
} from "./cards/further-apps.tsx";
import { NotReachable, StartsLocalPrograms } from "./cards/not-reachable.tsx";

export interface ClientStepsProps {
  readonly connectorUrl: string;
  /** On the user's own machine only: what connects from the internet cannot reach it there. */
  readonly isLoopback: boolean;
}

export function ClientSteps({ connectorUrl, isLoopback }: ClientStepsProps) {
  const fromTheInternet = isLoopback ? [] : [<Claude />, <ChatGpt />];
  return (
    <>
      <div class="cards">
        {fromTheInternet}
        <ClaudeCode connectorUrl={connectorUrl} />
        <VsCode connectorUrl={connectorUrl} />
        <Cursor connectorUrl={connectorUrl} />
        <N8n connectorUrl={connectorUrl} />
        <NotReachable connectorUrl={connectorUrl} isLoopback={isLoopback} />
      </div>
      <details class="more">
        <summary>
          More apps: Codex, Gemini CLI, Zed, Windsurf, Goose, LibreChat, Raycast, Postman,
          {!isLoopback && " Copilot Studio,"} the MCP inspector, any other
        </summary>
        <div class="cards">
          <Codex connectorUrl={connectorUrl} />
          <GeminiCli connectorUrl={connectorUrl} />
          <Zed connectorUrl={connectorUrl} />
          <Windsurf connectorUrl={connectorUrl} />
          <Goose />
          <LibreChat connectorUrl={connectorUrl} />
          {!isLoopback && <CopilotStudio />}
          <Raycast />
          <Postman />
          <Inspector connectorUrl={connectorUrl} />
          <StartsLocalPrograms connectorUrl={connectorUrl} />
          <AnyOther />
        </div>
      </details>
    </>
  );
}
