/** Sends progress notifications of one call, if the client asked for them (MCP specification, "Progress"). */
import type { ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Redacted } from "../redaction/redact.ts";
import type { CallContext } from "./define-tool.ts";

/** Added if a notification would repeat or lower the value, which must increase. */
const SMALLEST_STEP = 0.001;

/** For a client that did not ask for progress. */
export const NO_PROGRESS: CallContext["progress"] = async () => {};

export interface ProgressRequest {
  readonly mcpReq: Pick<ServerContext["mcpReq"], "_meta" | "notify">;
}

export function progressOf(
  request: ProgressRequest,
  redact: (value: unknown) => Redacted,
): CallContext["progress"] {
  const progressToken = request.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return NO_PROGRESS;
  let last = Number.NEGATIVE_INFINITY;
  return async (done, message, total) => {
    last = done > last ? done : last + SMALLEST_STEP;
    await request.mcpReq.notify({
      method: "notifications/progress",
      params: {
        progressToken,
        progress: last,
        ...(total === undefined ? {} : { total: Math.max(total, last) }),
        message: z.string().parse(redact(message).value),
      },
    });
  };
}
