/**
 * The outside service that seeded workflows call: a loopback HTTP server that answers JSON.
 * Promises: it fails (500), refuses or holds its answer for exactly the request ids it was told to, until told
 * otherwise.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { canaries } from "./canaries.ts";

export interface Upstream {
  url: string;
  /** From now on, calls that carry this request id are answered 500. */
  fail: (requestId: string) => void;
  /** From now on, calls that carry this request id are answered so. */
  refuse: (requestId: string, status: number, body: unknown) => void;
  /** From now on, calls that carry this request id are kept waiting. */
  hold: (requestId: string) => void;
  /** Ends failing, refusing and holding for this request id, and answers the calls that wait. */
  heal: (requestId: string) => void;
  close: () => Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

const FAILURE: Refusal = { status: 500, body: { error: "calendar backend is down" } };

const callBody = z.object({ requestId: z.union([z.string(), z.number()]).optional() });

/** `port` 0 takes any free one. @param host 0.0.0.0 where n8n is not on this machine, or in a container */
export async function startUpstream(port = 0, host = "127.0.0.1"): Promise<Upstream> {
  const failing = new Map<string, Refusal>();
  const held = new Set<string>();
  const waiting = new Map<string, ServerResponse[]>();

  const server = createServer(async (request, response) => {
    const requestId = await readRequestId(request);
    const refusal = failing.get(requestId);
    if (refusal !== undefined) return answerRefusal(response, refusal);
    if (!held.has(requestId)) return answerSuccess(response);
    waiting.set(requestId, [...(waiting.get(requestId) ?? []), response]);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The upstream server has no port.");

  return {
    url: `http://127.0.0.1:${address.port}`,
    fail: (requestId) => failing.set(requestId, FAILURE),
    refuse: (requestId, status, body) => failing.set(requestId, { status, body }),
    hold: (requestId) => held.add(requestId),
    heal: (requestId) => {
      failing.delete(requestId);
      held.delete(requestId);
      for (const response of waiting.get(requestId) ?? []) answerSuccess(response);
      waiting.delete(requestId);
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequestId(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const body = callBody.parse(JSON.parse(Buffer.concat(chunks).toString()));
    return String(body.requestId ?? "");
  } catch {
    return "";
  }
}

function answerSuccess(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "set-cookie": canaries.upstreamSetCookie });
  response.end(JSON.stringify({ created: true, eventId: "event-1", token: canaries.upstreamToken }));
}

function answerRefusal(response: ServerResponse, { status, body }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
