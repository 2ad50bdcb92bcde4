/**
 * Asks a server with a real MCP client.
 * Promises: every failure is a `CommandError` that says what to do.
 */

import {
  type CallToolResult,
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { parseJson } from "../../src/platform/parse-json.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { ToolArguments, ToolCall } from "./arguments.ts";
import type { Server } from "./find-server.ts";
import { type TraceAnswer, traceAnswer } from "./render.ts";

/** Longer than the server's own time budget. */
const CALL_TIMEOUT_MS = 60_000;

export type OnProgress = (message: string) => void;

/** What happened to a request, by `trace_request`. */
export async function askServer(server: Server, args: ToolArguments, onProgress: OnProgress) {
  const { structuredContent: raw } = await callTool(server, { tool: "trace_request", args }, onProgress);
  return { answer: readAnswer(raw, server.url), raw };
}

/** Calls any tool of the server. */
export async function callTool(
  { url, token }: Server,
  { tool, args }: ToolCall,
  onProgress: OnProgress,
): Promise<CallToolResult> {
  const client = new Client(
    { name: "n8n-observer-ask", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // Redirects are not followed: a token belongs to the address that was given.
  const requestInit: RequestInit = { headers, redirect: "error" };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return await client.callTool(
      { name: tool, arguments: args },
      {
        timeout: CALL_TIMEOUT_MS,
        resetTimeoutOnProgress: true,
        onprogress: ({ message }) => message !== undefined && onProgress(message),
      },
    );
  } catch (error) {
    throw explain(error, url, token !== undefined);
  } finally {
    await client.close();
  }
}

function readAnswer(content: unknown, url: string): TraceAnswer {
  const answer = traceAnswer.safeParse(content);
  if (answer.success) return answer.data;
  throw new CommandError(`${url} answered, but not as n8n-observer does. Is it another version?`);
}

/** An error and its causes: `fetch` wraps the reason of a failure, and the client may wrap it again. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let next = error; next instanceof Error && !causes.includes(next); next = next.cause)
    causes.push(next);
  return causes;
}

function isUnreachable(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof TypeError && cause.message === "fetch failed");
}

function isNotSignedIn(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      UnauthorizedError.isInstance(cause) || (SdkHttpError.isInstance(cause) && cause.status === 401),
  );
}

function explain(error: unknown, url: string, hasToken: boolean): CommandError {
  if (error instanceof CommandError) return error;
  if (isNotSignedIn(error)) return new CommandError(notSignedIn(url, hasToken));
  if (isUnreachable(error)) {
    return new CommandError(
      `No server answers at ${url}. Run npm start (a recorded n8n) or npm run dev (yours) first, or give another address with --url.`,
    );
  }
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout) {
    return new CommandError(`${url} did not answer within ${CALL_TIMEOUT_MS / 1000} s.`);
  }
  const said = errorDescription(error);
  if (said !== undefined) return new CommandError(`${url} says: ${said}`);
  const kind = SdkHttpError.isInstance(error) ? `HTTP ${error.status}` : "no answer that an MCP client knows";
  return new CommandError(`${url} gave ${kind}. Is it the connector URL, ending in /mcp?`);
}

const oauthError = z.looseObject({ error_description: z.string().min(1) });

/** The server's own explanation, such as which setting is missing. */
function errorDescription(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if (!SdkHttpError.isInstance(cause)) continue;
    const { success, data } = oauthError.safeParse(parseJson(String(cause.data.text)));
    if (success) return data.error_description;
  }
  return undefined;
}

function notSignedIn(url: string, hasToken: boolean): string {
  return hasToken
    ? `${url} does not accept this token. It must be one whose SHA-256 is in the server's SERVICE_TOKENS, and with ACCESS_RULES a rule must name it (who.tokens).`
    : `${url} wants a sign-in. Set N8N_OBSERVER_TOKEN (or --token) to a service token of this server: see SERVICE_TOKENS in .dev.vars.example. The servers that npm start and npm run dev run on this machine need none.`;
}
