/**
 * Faults between the observer and n8n, on demand.
 * A fault affects only the requests it was set for; all others are answered as usual.
 */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export type Fault =
  /** Any status, with any body. */
  | { kind: "status"; status: number; body?: unknown; headers?: Record<string, string> }
  /** A web page with status 200, like a proxy's login page. */
  | { kind: "html" }
  /** Never answers. */
  | { kind: "hang" }
  /** Answers as usual, after a delay. */
  | { kind: "slow"; milliseconds: number }
  /** Status 200 and the first half of the JSON, ended as if it were whole. */
  | { kind: "broken-json" }
  /** Status 200, the first half of the JSON, and then the connection breaks. */
  | { kind: "cut" }
  | { kind: "redirect"; to: string };

/** Sets and clears faults while the server runs. `path` limits a fault to matching paths with their query. */
export interface Faults {
  /** For the next matching request only. Several are used up in the order they were set. */
  once: (fault: Fault, path?: RegExp) => void;
  /** For every matching request until `clear`. */
  always: (fault: Fault, path?: RegExp) => void;
  clear: () => void;
}

interface SetFault {
  fault: Fault;
  path: RegExp;
  lasting: boolean;
}

export interface FaultPlan extends Faults {
  /** The fault for this request, removed if it was for one request only. */
  take: (path: string) => Fault | undefined;
}

export function createFaultPlan(): FaultPlan {
  let faults: SetFault[] = [];
  return {
    once: (fault, path = /^/) => faults.push({ fault, path, lasting: false }),
    always: (fault, path = /^/) => faults.push({ fault, path, lasting: true }),
    clear: () => {
      faults = [];
    },
    take: (path) => {
      const struck = faults.find((each) => each.path.test(path));
      if (struck && !struck.lasting) faults = faults.filter((each) => each !== struck);
      return struck?.fault;
    },
  };
}

/** @param body that of the usual answer @param answer sends the usual answer */
export async function strike(
  fault: Fault,
  response: ServerResponse,
  body: string,
  answer: () => void,
): Promise<void> {
  switch (fault.kind) {
    case "status": {
      const headers = { "content-type": "application/json; charset=utf-8", ...fault.headers };
      response.writeHead(fault.status, headers);
      const message = fault.body ?? { message: `Recorded n8n was told to answer ${fault.status}` };
      response.end(typeof message === "string" ? message : JSON.stringify(message));
      return;
    }
    case "html":
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end("<!doctype html><title>Sign in</title><h1>Sign in to continue</h1>");
      return;
    case "hang":
      return;
    case "slow":
      await sleep(fault.milliseconds);
      answer();
      return;
    case "broken-json":
      response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
      response.end(half(body));
      return;
    case "cut":
      response.writeHead(200, {
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(body),
      });
      response.write(half(body), () => response.destroy());
      return;
    case "redirect":
      response.writeHead(302, { location: fault.to });
      response.end();
  }
}

function half(body: string): string {
  return body.slice(0, Math.ceil(body.length / 2));
}
