/**
 * Sends the doctor's HTTP requests. Promises: each follows no redirect, so that a token goes nowhere else; ends within
 * its timeout; reads no more than needed. Unlike `fetch` it accepts additional trusted certificates.
 */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import * as z from "zod";
import { parseJson } from "../../src/platform/parse-json.ts";
import type { Patient } from "./finding.ts";

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 * 1024;

interface RequestOptions {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  /** The first value of each name, in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** For a message to `/mcp`. */
export const MCP_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** @returns undefined if no complete answer arrives in time */
export async function ask(
  { origin, ca }: Patient,
  path: string,
  { method = "GET", headers = {}, body, timeoutMs = TIMEOUT_MS }: RequestOptions = {},
): Promise<Answer | undefined> {
  const url = new URL(path, origin);
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = new Promise<Answer>((resolve, reject) => {
    const options = { method, headers, signal, agent: false, ...(ca === undefined ? {} : { ca }) };
    const outgoing = send(url.href, options, (incoming) => {
      let text = "";
      let size = 0;
      incoming.setEncoding("utf8");
      incoming.on("data", (piece: string) => {
        size += piece.length;
        if (size <= MAX_BYTES) text += piece;
      });
      incoming.once("error", reject);
      incoming.once("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          header: (name) => {
            const value = incoming.headers[name];
            return Array.isArray(value) ? value[0] : value;
          },
          text,
        }),
      );
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
  return await answer.catch(() => undefined);
}

const refusal = z.looseObject({ error_description: z.string() });

/** The server's own error; undefined when something else answers. */
export const refusalIn = ({ text }: Answer): string | undefined =>
  refusal.safeParse(parseJson(text)).data?.error_description;
