/**
 * Serves tool answers as resources: `n8n://execution/{id}` or, with several n8n instances,
 * `n8n://{instance}/execution/{id}`. Promises: reading a resource goes through the same handler as a tool call, with
 * the same admission, scopes, redaction, budget and activity log. A refusal becomes an error with the same words.
 */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
  type Variables,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Tool } from "./define-tool.ts";
import type { Envelope } from "./envelope.ts";
import { renderAnswer } from "./rendering/render-answer.ts";
import { type ScopeRefusal, scopeChallengeFor } from "./scope-challenge.ts";

export interface ResourceDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tool: string;
  /** The tool's argument, part of the URI. */
  readonly argument: string;
}

const MIME_TYPE = "text/plain";
const NOT_FOUND = /_NOT_FOUND$/;

const refusal = z.looseObject({ code: z.string() });

interface ResourceOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly call: (tool: string, args: unknown, request: ServerContext) => Promise<Envelope>;
  readonly noteScopeRefused: ScopeRefusal;
  readonly instances: readonly string[];
}

export const uriTemplateOf = ({ name, argument }: ResourceDefinition, instances: readonly string[]): string =>
  `n8n://${instances.length === 0 ? "" : "{instance}/"}${name}/{${argument}}`;

export function registerResources(
  server: McpServer,
  resources: readonly ResourceDefinition[],
  { tools, call, noteScopeRefused, instances }: ResourceOptions,
): void {
  for (const resource of resources) {
    const tool = tools.get(resource.tool);
    if (tool === undefined) continue;
    const { name, title, description } = resource;
    server.registerResource(
      name,
      // Resources are not listed: there may be hundreds of thousands, and tools find them.
      new ResourceTemplate(uriTemplateOf(resource, instances), { list: undefined }),
      { title, description, mimeType: MIME_TYPE, scopeChallenge: scopeChallengeFor(tool, noteScopeRefused) },
      async (uri, variables, request) =>
        toContents(uri, await call(tool.name, argumentsOf(uri, variables), request), tool),
    );
  }
}

/** @throws ResourceNotFoundError when the URI has invalid percent-encoding */
function argumentsOf(uri: URL, variables: Variables): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, decodeURIComponent(String(value))]),
    );
  } catch (error) {
    if (error instanceof URIError) throw new ResourceNotFoundError(uri.href);
    throw error;
  }
}

/** @throws ProtocolError when the tool refused the call */
function toContents(uri: URL, answer: Envelope, { rendering }: Tool): ReadResourceResult {
  const text = renderAnswer(answer, rendering);
  if (answer.status === "success") return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text }] };
  const { code } = refusal.parse(answer.data);
  if (NOT_FOUND.test(code)) throw new ResourceNotFoundError(uri.href, text);
  throw new ProtocolError(
    code === "VALIDATION_ERROR" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    text,
  );
}
