/**
 * The connection of an answer of n8n's is released in every case. The same tests run in Node and in workerd, which reads
 * bodies in its own way.
 */
import { describe, expect, test } from "vitest";
import { JsonReadError } from "../../src/json/errors.ts";
import { createN8nClient, type N8nClient } from "../../src/n8n/client.ts";
import type { ByteSink } from "../../src/n8n/execution-walk.ts";
import { OUTLINE } from "../../src/n8n/read-plans.ts";
import type { Fetch, RequestOptions } from "../../src/n8n/requests.ts";
import type { TakeSlot } from "../../src/n8n/slot.ts";

const SETTINGS = { baseUrl: "https://n8n.test", apiKey: "a-key-of-these-tests" };
const SHORT: RequestOptions = { timeoutMs: 100 };
const LONG: RequestOptions = { timeoutMs: 20_000 };

/** A body that records its cancellation. */
interface WatchedBody {
  readonly stream: ReadableStream<Uint8Array>;
  wasCancelled: boolean;
}

/** Sends these pieces, and then its end or nothing for ever. */
function watchedBody(pieces: readonly string[], ends = false): WatchedBody {
  const waiting = [...pieces];
  const body: WatchedBody = {
    wasCancelled: false,
    stream: new ReadableStream({
      type: "bytes",
      async pull(controller) {
        const piece = waiting.shift();
        if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
        if (!ends) await new Promise<never>(() => {});
        controller.close();
        controller.byobRequest?.respond(0);
      },
      cancel() {
        body.wasCancelled = true;
      },
    }),
  };
  return body;
}

interface WatchedClient {
  readonly client: N8nClient;
  readonly body: WatchedBody;
  /** For each ended slot, whether the body had been cancelled. */
  readonly slots: boolean[];
}

function watchedClient(body: WatchedBody, init: ResponseInit = {}): WatchedClient {
  const headers = { "content-type": "application/json" };
  const slots: boolean[] = [];
  const fetchFromN8n: Fetch = async () => new Response(body.stream, { headers, ...init });
  const takeSlot: TakeSlot = async () => ({
    pause: async () => {},
    end: () => void slots.push(body.wasCancelled),
  });
  const client = createN8nClient(SETTINGS, { fetch: fetchFromN8n, takeSlot });
  return { client, body, slots };
}

const takeAll: ByteSink = { write() {}, end() {} };
const refuseAll: ByteSink = {
  write() {
    throw new JsonReadError("Not what was expected.");
  },
  end() {},
};
const refuse = (): never => {
  throw new JsonReadError("Not what was expected.");
};
const WORKFLOW =
  '{"id":"w","name":"orders","active":true,"createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","nodes":[],"connections":{}}';
const STRANGE = '{"hello":"world"}';
/** More than workerd reads at once. */
const FILLER = " ".repeat(200_000);

type Ask = (client: N8nClient, options: RequestOptions) => Promise<unknown>;

const listWorkflows: Ask = (client, options) => client.listWorkflows({ limit: 5 }, options);
const streamWorkflows: Ask = (client, options) => client.streamWorkflows({ limit: 5 }, () => {}, options);
const refuseWorkflows: Ask = (client, options) => client.streamWorkflows({ limit: 5 }, refuse, options);
const listExecutions: Ask = (client, options) => client.listExecutions({ limit: 5 }, options);
const readExecution: Ask = (client, options) => client.readExecution("1", OUTLINE, options);
const streamExecutions: Ask = (client, options) => client.streamExecutions({ limit: 5 }, takeAll, options);
const streamExecution: Ask = (client, options) => client.streamExecution("1", takeAll, options);
const refusePage: Ask = (client, options) => client.streamExecutions({ limit: 5 }, refuseAll, options);
const failBetween: Ask = (client, options) =>
  client.streamExecutions({ limit: 5 }, takeAll, { ...options, afterPiece: async () => refuse() });

export function describeLettingGo(): void {
  describe("a body is cancelled before its slot ends when", () => {
    test.each<[string, Ask, string]>([
      ["a workflow of a list has another shape", listWorkflows, `{"data":[${STRANGE},`],
      ["a list of workflows is no JSON", listWorkflows, "]"],
      ["the consumer of workflows fails", refuseWorkflows, `{"data":[${WORKFLOW},`],
      ["a list of executions is far too long", listExecutions, " ".repeat(9_000_000)],
      ["an execution is no JSON", readExecution, "]"],
      ["the consumer of pieces fails", refusePage, "{"],
      ["reading fails between two pieces", failBetween, "{"],
    ])("%s", async (_name, ask, text) => {
      const { client, body, slots } = watchedClient(watchedBody([text, FILLER, FILLER, FILLER]));
      await expect(ask(client, LONG)).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
      expect([body.wasCancelled, slots]).toEqual([true, [true]]);
    });

    test.each<[string, Ask]>([
      ["a list of workflows", listWorkflows],
      ["workflows", streamWorkflows],
      ["a list of executions", listExecutions],
      ["an execution", readExecution],
      ["a page of executions", streamExecutions],
      ["one execution", streamExecution],
    ])("time runs out during %s", async (_name, ask) => {
      const { client, body, slots } = watchedClient(watchedBody(['{"data":[', FILLER]));
      await expect(ask(client, SHORT)).rejects.toMatchObject({ code: "N8N_TIMEOUT" });
      expect([body.wasCancelled, slots]).toEqual([true, [true]]);
    });

    test("time runs out during an error answer", async () => {
      const { client, body, slots } = watchedClient(watchedBody(['{"message":']), { status: 400 });
      await expect(listExecutions(client, SHORT)).rejects.toMatchObject({ code: "N8N_TIMEOUT" });
      expect([body.wasCancelled, slots]).toEqual([true, [true]]);
    });

    test.each([
      ["n8n fails", { status: 503 }, "N8N_UNREACHABLE"],
      ["n8n answers with a long error", { status: 400 }, "N8N_BAD_RESPONSE"],
      ["the answer is not JSON", { headers: { "content-type": "text/html" } }, "N8N_BAD_RESPONSE"],
    ])("%s", async (_name, init, code) => {
      const { client, body, slots } = watchedClient(watchedBody([FILLER]), init);
      await expect(listExecutions(client, LONG)).rejects.toMatchObject({ code });
      expect([body.wasCancelled, slots]).toEqual([true, [true]]);
    });
  });

  test("a body that was read completely is not cancelled", async () => {
    const pieces = ['{"data":[', FILLER, WORKFLOW, FILLER, '],"nextCursor":null}'];
    const { client, body, slots } = watchedClient(watchedBody(pieces, true));
    const { workflows, nextCursor } = await client.listWorkflows({ limit: 5 }, LONG);
    expect([workflows.map(({ id }) => id), nextCursor]).toEqual([["w"], null]);
    expect([body.wasCancelled, slots]).toEqual([false, [false]]);
  });

  test.each([
    ["a broken body", {}, "N8N_UNREACHABLE"],
    ["an error answer", { status: 405 }, "N8N_BAD_RESPONSE"],
  ])("%s is reported even though it cannot be cancelled", async (_name, init, code) => {
    const stream = new ReadableStream({
      type: "bytes",
      start: (controller) => controller.error(new TypeError("The connection broke off.")),
    });
    const { client } = watchedClient({ stream, wasCancelled: false }, init);
    await expect(listWorkflows(client, LONG)).rejects.toMatchObject({ code });
  });
}
