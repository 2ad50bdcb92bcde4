/**
 * Progress notifications for one call, if the client asked for them (MCP specification, "Progress": the
 * value must grow with each notification).
 */
import type { ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Redacted } from "../redaction/redact.ts";
import type { CallContext } from "./define-tool.ts";

/** Added where two notifications would stand at the same value. */
const SMALLEST_STEP = 0.001;

/** The part of a request that progress needs. */
export interface ProgressRequest {
  readonly mcpReq: Pick<ServerContext["mcpReq"], "_meta" | "notify">;
}

export function progressOf(
  request: ProgressRequest,
  redact: (value: unknown) => Redacted,
): CallContext["progress"] {
  const progressToken = request.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return async () => {};
  let last = 0;
  return async (progress, message) => {
    last = progress > last ? progress : last + SMALLEST_STEP;
    const clean = z.string().parse(redact(message).value);
    await request.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress: last, message: clean },
    });
  };
}
