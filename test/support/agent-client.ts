/**
 * Real MCP clients behind one interface: what an agent does with the server, with either SDK and any protocol
 * revision. For tests over HTTP.
 */
import {
  Client as ModernClient,
  type OAuthClientProvider as ModernOAuthProvider,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as z from "zod";
import { TOOLS } from "../../src/features/index.ts";
import { renderAnswer } from "../../src/mcp/rendering/render-answer.ts";

const envelope = z.looseObject({
  status: z.enum(["success", "error"]),
  message: z.string().exactOptional(),
  data: z.record(z.string(), z.unknown()),
  meta: z.looseObject({ timestamp: z.string() }),
});
type ReceivedEnvelope = z.infer<typeof envelope>;

const toolAnswer = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.literal("text"), text: z.string() })).length(1),
  structuredContent: z.unknown(),
});

export interface Answer {
  readonly isError: boolean;
  readonly envelope: ReceivedEnvelope;
  /** The text block, which a model reads. */
  readonly text: string;
  readonly progress: readonly { readonly progress: number; readonly message: string | undefined }[];
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly destructiveHint?: boolean | undefined }
    | undefined;
}

export interface AgentClient {
  /** The negotiated protocol revision. */
  readonly protocolVersion: string | undefined;
  listTools(): Promise<readonly ListedTool[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

const INFO = { name: "n8n-observer-test", version: "1.0.0" };
const TIMEOUT_MS = 60_000;

function toAnswer(name: string, result: unknown, progress: Answer["progress"]): Answer {
  const { isError, content, structuredContent } = toolAnswer.parse(result);
  const [{ text } = { text: "" }] = content;
  const received = envelope.parse(structuredContent);
  // The text must be the rendering of the structured content, and nothing else.
  const rendered = renderAnswer(received, TOOLS.find((tool) => tool.name === name)?.rendering);
  if (text !== rendered) throw new Error("text is not the rendering of structuredContent");
  return { isError: isError ?? false, envelope: received, text, progress };
}

type OnProgress = (update: { progress: number; message?: string | undefined }) => void;

async function collect(name: string, call: (onprogress: OnProgress) => Promise<unknown>): Promise<Answer> {
  const progress: { progress: number; message: string | undefined }[] = [];
  const result = await call((update) =>
    progress.push({ progress: update.progress, message: update.message }),
  );
  return toAnswer(name, result, progress);
}

const withToken = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

/**
 * The v2 SDK: `auto` speaks the 2026-07-28 revision if the server does, `legacy` a 2025 one. It uses a token or
 * an OAuth provider.
 */
export async function connectModern(
  url: string,
  auth: string | ModernOAuthProvider,
  mode: "auto" | "legacy",
): Promise<AgentClient> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode } });
  const options = typeof auth === "string" ? withToken(auth) : { authProvider: auth };
  await client.connect(new ModernTransport(new URL(url), options));
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) =>
      await collect(name, async (onprogress) =>
        client.callTool({ name, arguments: args }, { onprogress, timeout: TIMEOUT_MS }),
      ),
    close: async () => await client.close(),
  };
}

/** The v1 SDK, which most current clients embed, with a token or an OAuth provider. */
export async function connectFirst(url: string, auth: string | OAuthClientProvider): Promise<AgentClient> {
  const client = new FirstClient(INFO);
  const options = typeof auth === "string" ? withToken(auth) : { authProvider: auth };
  const transport = new FirstTransport(new URL(url), options);
  await client.connect(transport);
  return {
    protocolVersion: transport.protocolVersion,
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) =>
      await collect(name, async (onprogress) =>
        client.callTool({ name, arguments: args }, undefined, { onprogress, timeout: TIMEOUT_MS }),
      ),
    close: async () => await client.close(),
  };
}
