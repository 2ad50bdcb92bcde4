/**
 * Answers a token without a tool's scope with HTTP 403 `insufficient_scope` and all needed scopes, so that a client can
 * step up (RFC 6750 section 3.1; MCP authorization, "Step-Up Authorization Flow"). Callers that cannot step up (service
 * tokens, people who may not have the scope) get the refusal as an ordinary answer of `call-tool.ts`.
 */
import type { AuthInfo, ScopeChallengeHandler } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Scope } from "../settings/index.ts";
import type { Tool } from "./define-tool.ts";

const cannotStepUp = z.looseObject({
  props: z.union([
    z.looseObject({ via: z.literal("service-token") }),
    z.looseObject({ cannotStepUp: z.literal(true) }),
  ]),
});

/** All scopes that a caller of the tool needs, because a challenge must name every one. */
export const neededScopes = ({ scope }: Tool): [Scope, ...Scope[]] =>
  scope === "n8n:data" ? ["n8n:read", "n8n:data"] : ["n8n:read"];

/** Called for each call that is refused here, because it does not reach the tool handler. */
export type ScopeRefusal = (tool: Tool, caller: AuthInfo) => void;

export function scopeChallengeFor(tool: Tool, noteRefused: ScopeRefusal): ScopeChallengeHandler {
  return ({ authInfo }) => {
    if (authInfo === undefined || authInfo.scopes.includes(tool.scope)) return undefined;
    if (cannotStepUp.safeParse(authInfo.extra).success) return undefined;
    noteRefused(tool, authInfo);
    return {
      scopes: neededScopes(tool),
      errorDescription: `The tool ${tool.name} needs the scope ${tool.scope}. Sign in again and allow it.`,
    };
  };
}
