/** Operator requests as the scripts send them, and waiting for lines that are stored after the answer. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import * as z from "zod";
import type { KeptEntry } from "../../../src/activity-log/entry.ts";
import worker from "../../../src/index.ts";
import { OPERATOR_TOKEN, PUBLIC_URL } from "../secrets.ts";

let addresses = 0;

/** Each request comes from its own address, unless one is given. */
export function askOperator(
  path: string,
  body: unknown = {},
  { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Request {
  addresses += 1;
  return new Request(`${PUBLIC_URL}/operator/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${OPERATOR_TOKEN}`,
      "Content-Type": "application/json",
      "CF-Connecting-IP": `203.0.113.${addresses % 256}`,
      ...headers,
    },
    ...(method === "GET" || method === "HEAD" ? {} : { body: JSON.stringify(body) }),
  });
}

export const send = (request: Request): Promise<Response> => exports.default.fetch(request);

/** Sends the request to a Worker with other settings. */
export async function sendWith(settings: Record<string, unknown>, request: Request): Promise<Response> {
  const ctx = createExecutionContext();
  const response = await worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    { ...env, ...settings },
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}

const pageLine = z.object({ event: z.literal("page"), cursor: z.string().nullable() });

export async function readLines(
  response: Response,
): Promise<{ entries: KeptEntry[]; cursor: string | null }> {
  const lines = (await response.text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
  return { entries: lines.slice(0, -1) as KeptEntry[], cursor: pageLine.parse(lines.at(-1)).cursor };
}

export async function readAudit(query: object = {}): Promise<KeptEntry[]> {
  return (await readLines(await send(askOperator("audit", query)))).entries;
}

/** Waits for a stored line, which is written after the answer. */
export function findEntry(expected: Record<string, unknown>): Promise<KeptEntry> {
  return vi.waitFor(async () => {
    const found = (await readAudit()).find((entry) =>
      Object.entries(expected).every(([key, value]) => Reflect.get(entry, key) === value),
    );
    if (found === undefined) throw new Error(`no line with ${JSON.stringify(expected)}`);
    return found;
  });
}
