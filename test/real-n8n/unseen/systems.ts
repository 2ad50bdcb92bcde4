/** Nodes of various systems, answers to callers, and a schedule. */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { list, set, withCredential } from "../kinds/parts.ts";
import type { KindServices } from "../kinds/services.ts";
import type { Stage } from "../kinds/stage.ts";
import { node, type WorkflowNode, webhook } from "../workflow-parts.ts";
import { fetch, PRIVATE } from "./parts.ts";
import type { Expected, UnseenKind, UnseenParts } from "./unseen-kind.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A workflow with one node, which has a credential and fails. */
const failsWithCredential = (
  name: string,
  [type, data]: readonly [type: string, data: Fields | ((services: KindServices) => Fields)],
  made: WorkflowNode,
  expected: Expected,
): UnseenKind => ({
  name,
  family: "failed",
  draft: async (stage) => {
    const fields = typeof data === "function" ? data(stage.services) : data;
    return { nodes: [withCredential(type, await stage.addCredential(type, fields), made)] };
  },
  expected,
});

export const systemUnseen = ({ odd }: UnseenParts): readonly UnseenKind[] => [
  failsWithCredential(
    "telegram-chat-not-found",
    ["telegramApi", { accessToken: "only-for-tests", baseUrl: `${odd.url}/telegram` }],
    node("Tell boss", "n8n-nodes-base.telegram", 1.2, { chatId: "1", text: "planted", additionalFields: {} }),
    { roots: ["Tell boss"], says: [/400/], causes: ["http_status"], neverSays: [PRIVATE] },
  ),
  failsWithCredential(
    "gitlab-token-refused",
    ["gitlabApi", { server: `${odd.url}/gitlab`, accessToken: "only-for-tests" }],
    node("Open issue", "n8n-nodes-base.gitlab", 1, {
      owner: "shop",
      repository: "site",
      title: "planted",
      body: "planted",
      labels: [],
      assignee_ids: [],
    }),
    {
      roots: ["Open issue"],
      says: [/401/, /credential/],
      causes: ["http_status", "credential"],
      neverSays: [PRIVATE],
    },
  ),
  failsWithCredential(
    "ssh-refused",
    [
      "sshPassword",
      ({ deadPort }) => ({ host: "127.0.0.1", port: deadPort, username: "ana", password: "only-for-tests" }),
    ],
    node("Restart shop", "n8n-nodes-base.ssh", 1, { command: "uptime", authentication: "password" }),
    { roots: ["Restart shop"], says: [/refused the connection|ECONNREFUSED/], causes: ["connection"] },
  ),
  {
    ...failsWithCredential(
      "token-is-none",
      ["jwtAuth", { keyType: "passphrase", secret: "only-for-tests", algorithm: "HS256" }],
      node("Check token", "n8n-nodes-base.jwt", 1, {
        operation: "verify",
        token: "={{ $json.body.token }}",
        options: {},
      }),
      {
        roots: ["Check token", "Webhook"],
        says: [/token|JWT/i],
        causes: ["invalid_request", "node_failed", "credential"],
        neverSays: [PRIVATE, /an expression could not/],
      },
    ),
    sent: [{ token: "planted" }],
  },
  {
    name: "table-is-gone",
    family: "failed",
    draft: {
      nodes: [
        node("Read stock", "n8n-nodes-base.dataTable", 1, {
          resource: "row",
          operation: "get",
          dataTableId: { __rl: true, mode: "id", value: "plantedTable0001" },
          matchType: "anyCondition",
          filters: { conditions: [] },
        }),
      ],
    },
    expected: {
      roots: ["Read stock"],
      says: [/table/i],
      causes: ["node_failed", "not_set_up", "invalid_request", "database"],
      neverSays: [PRIVATE],
    },
  },
  {
    name: "answers-where-nobody-waits",
    family: "failed",
    draft: {
      nodes: [
        set("Take order", { order: 5 }),
        node("Answer", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "allIncomingItems",
          options: {},
        }),
      ],
    },
    expected: {
      roots: ["Answer", "Webhook"],
      says: [/Webhook|respond/i],
      causes: ["invalid_request", "not_set_up", "node_failed"],
    },
  },
  {
    name: "answers-twice",
    family: "ordinary",
    draft: {
      nodes: [
        {
          ...webhook("answers-twice", "lastNode"),
          parameters: {
            path: "answers-twice",
            httpMethod: "POST",
            responseMode: "responseNode",
            options: {},
          },
        },
        node("Answer at once", "n8n-nodes-base.respondToWebhook", 1.4, {
          respondWith: "text",
          responseBody: "Got it",
          options: { responseCode: 202 },
        }),
        set("Take order", { order: 5 }),
      ],
    },
  },
  {
    name: "schedule-meets-503",
    family: "failed",
    draft: async (stage) => {
      const trigger = node("Every morning", "n8n-nodes-base.scheduleTrigger", 1.2, {
        rule: { interval: [{ field: "seconds", secondsInterval: 3 }] },
      });
      await stage.addCalled(SCHEDULED, {
        nodes: [trigger, fetch("Fetch prices", `${odd.url}/html/503`)],
      });
      return { nodes: [list("Nothing", [{ a: 1 }])] };
    },
    judged: SCHEDULED,
    judgesFirst: true,
    executions: 2,
    meanwhile: async (stage) => await endSchedule(stage.api),
    expected: { roots: ["Fetch prices"], says: [/503/], causes: ["http_status"] },
  },
];

const SCHEDULED = "Nightly prices";
const listed = z.object({ data: z.array(z.looseObject({ id: z.string() })) });
const PATIENCE_MS = 10_000;

/** Waits until it has run. */
async function endSchedule(api: Stage["api"]): Promise<void> {
  const idOf = async (path: string): Promise<string | undefined> =>
    listed.parse(await api("GET", path)).data[0]?.id;
  const id = await idOf(`/workflows?name=${encodeURIComponent(SCHEDULED)}`);
  if (id === undefined) throw new Error(`There is no workflow ${SCHEDULED}.`);
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50))
    if ((await idOf(`/executions?workflowId=${id}`)) !== undefined) break;
  await api("POST", `/workflows/${id}/deactivate`);
}
