/**
 * One workflow for each kind of failure and of agent run, and what has to be sent to it.
 * Promises: all that this n8n can have are published, and their webhooks answer. A kind runs once for each body.
 */
import * as z from "zod";
import type { RunningN8n } from "./boot.ts";
import type { FakeModel } from "./fake-model.ts";
import { callApi } from "./n8n-api.ts";
import { createWorkflow, type Definition, waitForWebhook } from "./seed.ts";
import type { N8nVersion } from "./versions.ts";
import { callSubWorkflow, chain, code, node, type WorkflowNode, webhook } from "./workflow-parts.ts";

export interface Kind {
  /** Also the path of its webhook. */
  readonly name: string;
  readonly bodies: readonly unknown[];
}

interface PlannedKind extends Kind {
  readonly nodes: readonly WorkflowNode[];
  readonly connections?: Definition["connections"];
}

/** Base URLs of what answers the nodes. */
export interface Services {
  /** Answers with the status that its path ends with, and an error that names who asked. */
  readonly statusUrl: string;
  /** Nothing listens there. */
  readonly deadUrl: string;
  readonly model: FakeModel;
}

const created = z.object({ id: z.string() });

export async function seedKinds(n8n: RunningN8n, services: Services): Promise<readonly Kind[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const planned = [
    ...handledKinds(services),
    ...failedKinds(services),
    ...(await agentKinds(n8n, services.model)),
  ];
  for (const { name, nodes, connections } of planned) {
    const [first, ...others] = [webhook(name, "lastNode"), ...nodes];
    await createWorkflow(n8n, access, {
      name,
      nodes: [first, ...others].filter((each) => each !== undefined),
      connections: connections ?? chain("Webhook", ...nodes.map((each) => each.name)),
    });
  }
  for (const { name } of planned) await waitForWebhook(n8n, name);
  return planned;
}

const RUN = [{ requestId: "kind-1" }];
/** The same failure of two requests. */
const TWICE = [
  { requestId: "kind-1", customer: "Ana", order: 4711, to: "ana@example.com" },
  { requestId: "kind-2", customer: "Bo Ek", order: 92, to: "bo.ek@example.org" },
];

const THROW = 'throw new Error("Stock of 17 is gone.")';
const THROW_DATA = `const { order, customer, to } = $json.body;
throw new Error('Order ' + order + ' of "' + customer + '" cannot be sent to ' + to + ': see https://shop.example/orders/' + order + '?by=' + to)`;

function http(name: string, url: string, more: Partial<WorkflowNode> = {}): WorkflowNode {
  const parameters = {
    method: "POST",
    url,
    sendBody: true,
    specifyBody: "json",
    jsonBody: "={{ JSON.stringify($json.body ?? {}) }}",
  };
  return {
    ...node(name, "n8n-nodes-base.httpRequest", 4.2, { ...parameters, options: { timeout: 400 } }),
    ...more,
  };
}

/** Executions that succeed, though something failed in them; and one in which nothing did. */
function handledKinds({ statusUrl }: Services): PlannedKind[] {
  const after = code("After", "return $input.all()");
  const one = (name: string, ...nodes: WorkflowNode[]): PlannedKind => ({ name, nodes, bodies: RUN });
  return [
    one("caught-code", { ...code("Stock", THROW), onError: "continueRegularOutput" }, after),
    one("caught-code-output", { ...code("Stock", THROW), onError: "continueErrorOutput" }, after),
    one("caught-http", http("Fetch", `${statusUrl}/500`, { onError: "continueRegularOutput" }), after),
    one("caught-http-output", http("Fetch", `${statusUrl}/404`, { onError: "continueErrorOutput" }), after),
    one("caught-item", code("Split", "return [1, 2, 3].map((number) => ({ json: { number } }))"), {
      ...node("Each", "n8n-nodes-base.code", 2, {
        mode: "runOnceForEachItem",
        jsCode: 'if ($json.number === 2) throw new Error("Two is refused."); return { json: $json }',
      }),
      onError: "continueRegularOutput",
    }),
    one("error-as-data", code("Answer", 'return [{ json: { error: "nothing found", code: 7 } }]'), after),
  ];
}

/** Executions that fail. */
function failedKinds({ statusUrl, deadUrl }: Services): PlannedKind[] {
  const one = (name: string, ...nodes: WorkflowNode[]): PlannedKind => ({ name, nodes, bodies: RUN });
  return [
    { ...one("throws", code("Send", THROW_DATA)), bodies: TWICE },
    { ...one("http-404", http("Fetch", `=${statusUrl}/{{ $json.body.order }}/404`)), bodies: TWICE },
    one("http-429", http("Fetch", `${statusUrl}/429`)),
    one("refused", http("Fetch", deadUrl)),
    one("timed-out", http("Fetch", `${statusUrl}/slow`)),
    one("stopped", node("Stop", "n8n-nodes-base.stopAndError", 1, { errorMessage: "Order 12 is not paid." })),
    // Worked out when it runs: n8n publishes no workflow that names one which is not there.
    one("no-such-sub-workflow", callSubWorkflow("Call", "={{ 'NoSuchWorkflow01' }}")),
    one(
      "expression",
      node("Set", "n8n-nodes-base.set", 3.4, {
        assignments: {
          assignments: [{ id: "a", name: "x", type: "string", value: "={{ $('Gone').item.json.x }}" }],
        },
        options: {},
      }),
    ),
    {
      ...one(
        "late-failure",
        { ...code("First", THROW), onError: "continueRegularOutput" },
        code("Last", THROW),
      ),
    },
  ];
}

async function agentKinds(n8n: RunningN8n, model: FakeModel): Promise<PlannedKind[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const credentialFor = async (url: string): Promise<string> => {
    // n8n 1.100 knows no header, and newer ones want to be told that there is none.
    const header = n8n.installation.version === "1.100.1" ? {} : { header: false };
    const data = { apiKey: "only-for-tests", url, ...header };
    const body = { name: "Model of the tests", type: "openAiApi", data };
    return created.parse(await callApi(access, "POST", "/credentials", body)).id;
  };
  const counted = await credentialFor(model.baseUrl);
  const uncounted = await credentialFor(model.uncountedUrl);
  const limited = await credentialFor(model.limitedUrl);
  return agentVersions[n8n.installation.version].flatMap((version) => [
    agentKind(`agent-${version}`, version, counted, 'return "12 in stock"'),
    agentKind(`agent-${version}-uncounted`, version, uncounted, 'return "12 in stock"'),
    agentKind(`agent-${version}-failing-tool`, version, counted, THROW),
    agentKind(`agent-${version}-limited`, version, limited, 'return "12 in stock"'),
  ]);
}

/** One of each generation that it has. */
const agentVersions: Readonly<Record<N8nVersion, readonly number[]>> = {
  "2.40.5": [1.7, 2.2, 3.1],
  "2.41.1": [1.7, 2.2, 3.1],
  "1.123.81": [1.7, 2.2, 3],
  "1.100.1": [1.7, 2],
};

function agentKind(name: string, version: number, credential: string, toolCode: string): PlannedKind {
  const agent = node("Agent", "@n8n/n8n-nodes-langchain.agent", version, {
    ...(version < 2 ? { agent: "toolsAgent" } : {}),
    promptType: "define",
    text: "How many are in stock?",
    options: {},
  });
  const model: WorkflowNode = {
    ...node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.2, {
      model: { __rl: true, mode: "id", value: "gpt-4o-mini" },
      options: { maxRetries: 0 },
    }),
    credentials: { openAiApi: { id: credential, name: "Model of the tests" } },
  };
  const tool = node("get_stock", "@n8n/n8n-nodes-langchain.toolCode", 1.1, {
    name: "get_stock",
    description: "Says how many are in stock",
    jsCode: toolCode,
  });
  return {
    name: name.replaceAll(".", "-"),
    bodies: RUN,
    nodes: [agent, model, tool],
    connections: {
      ...chain("Webhook", "Agent"),
      Model: { ai_languageModel: [[{ node: "Agent", type: "ai_languageModel", index: 0 }]] },
      get_stock: { ai_tool: [[{ node: "Agent", type: "ai_tool", index: 0 }]] },
    },
  };
}
