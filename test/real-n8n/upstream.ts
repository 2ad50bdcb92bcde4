/**
 * The external service that seeded workflows call: a loopback HTTP server that answers JSON.
 * It fails (500), refuses or holds its answer for exactly the configured request ids, until they are
 * healed.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { canaries } from "./canaries.ts";

export interface Upstream {
  url: string;
  /** Answers calls with this request id by 500 from now on. */
  fail: (requestId: string) => void;
  /** Answers calls with this request id in this way from now on. */
  refuse: (requestId: string, status: number, body: unknown) => void;
  /** Holds calls with this request id from now on. */
  hold: (requestId: string) => void;
  /** Ends failing, refusing and holding for this request id, and answers waiting calls. */
  heal: (requestId: string) => void;
  close: () => Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

const FAILURE: Refusal = { status: 500, body: { error: "calendar backend is down" } };

const callBody = z.object({ requestId: z.union([z.string(), z.number()]).optional() });

/** @param port 0 takes any free one @param host 0.0.0.0 if n8n is on another machine or in a container */
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
