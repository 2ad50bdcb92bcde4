/**
 * Exchanges messages with the host (JSON-RPC 2.0 over `postMessage`, MCP Apps 2026-01-26). Promises: it listens only to
 * the parent window, and never treats received data as code or HTML.
 */
import { isObject } from "../../platform/is-object.ts";
import type { Members } from "./members.ts";

type HostNotice = (params: Members) => void;

export interface Host {
  /** The host's answer. @throws Error with the host's own message */
  request(method: string, params: Members): Promise<Members>;
  notify(method: string, params: Members): void;
  on(method: string, notice: HostNotice): void;
}

interface Waiting {
  readonly resolve: (result: Members) => void;
  readonly reject: (error: Error) => void;
}

export function connectHost(): Host {
  const waiting = new Map<unknown, Waiting>();
  const notices = new Map<string, HostNotice>();
  let lastId = 0;
  // A view does not know the host's origin, only its parent window, which may receive everything that is sent.
  const send = (message: Members): void => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

  window.addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== window.parent || !isObject(data) || data.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") return settle(waiting, data);
    notices.get(data.method)?.(isObject(data.params) ? data.params : {});
    // `ping` and `ui/resource-teardown` only need an empty response.
    if (data.id !== undefined) send({ id: data.id, result: {} });
  });
  return {
    request(method, params) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
    notify: (method, params) => send({ method, params }),
    on: (method, notice) => notices.set(method, notice),
  };
}

function settle(waiting: Map<unknown, Waiting>, { id, result, error }: Members): void {
  const asked = waiting.get(id);
  waiting.delete(id);
  if (isObject(error)) asked?.reject(new Error(String(error.message)));
  else asked?.resolve(isObject(result) ? result : {});
}
