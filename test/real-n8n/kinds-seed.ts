/**
 * One workflow for each kind of failure and of agent run, and the bodies to send.
 * Afterwards all that this n8n supports are published, and their webhooks answer. A kind runs once for each body.
 */
import {
  agentNode,
  agentVersions,
  agentWith,
  chatModel,
  createModelCredential,
  hang,
} from "./agent-parts.ts";
import type { RunningN8n } from "./boot.ts";
import type { FakeModel } from "./fake-model.ts";
import { createWorkflow, type Definition, waitForWebhook } from "./seed.ts";
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

/** Base URLs of the services that the nodes call. */
export interface Services {
  /** Answers with the status at the end of its path, and an error that names the caller. */
  readonly statusUrl: string;
  /** Nothing listens there. */
  readonly deadUrl: string;
  readonly model: FakeModel;
}

export async function seedKinds(n8n: RunningN8n, services: Services): Promise<readonly Kind[]> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const planned = [
    ...handledKinds(services),
    ...failedKinds(services),
    ...(await agentKinds(n8n, services.model)),
  ];
  for (const { name, nodes, connections } of planned) {
    const [first, ...rest] = [webhook(name, "lastNode"), ...nodes];
    await createWorkflow(n8n, access, {
      name,
      nodes: [first, ...rest].filter((each) => each !== undefined),
      connections: connections ?? chain("Webhook", ...nodes.map((each) => each.name)),
    });
  }
  for (const { name } of planned) await waitForWebhook(n8n, name);
  return planned;
}

const RUN = [{ requestId: "kind-1" }];
/** Bodies of two requests that fail in the same way. */
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

/** Executions that succeed although something failed in them, and one in which nothing did. */
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
    // An expression, as n8n publishes no workflow that refers to a missing one.
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
  const counted = await createModelCredential(n8n, model.baseUrl);
  const uncounted = await createModelCredential(n8n, model.uncountedUrl);
  const limited = await createModelCredential(n8n, model.limitedUrl);
  return agentVersions[n8n.installation.version].flatMap((version) => [
    agentKind(`agent-${version}`, version, counted, 'return "12 in stock"'),
    agentKind(`agent-${version}-uncounted`, version, uncounted, 'return "12 in stock"'),
    agentKind(`agent-${version}-failing-tool`, version, counted, THROW),
    agentKind(`agent-${version}-limited`, version, limited, 'return "12 in stock"'),
  ]);
}

function agentKind(name: string, version: number, credential: string, toolCode: string): PlannedKind {
  const agent = agentNode("Agent", version, "How many are in stock?");
  const model = chatModel("Model", credential, { maxRetries: 0 });
  const tool = node("get_stock", "@n8n/n8n-nodes-langchain.toolCode", 1.1, {
    name: "get_stock",
    description: "Says how many are in stock",
    jsCode: toolCode,
  });
  return {
    name: name.replaceAll(".", "-"),
    bodies: RUN,
    nodes: [agent, model, tool],
    connections: { ...chain("Webhook", "Agent"), ...hang(agentWith(model, tool)) },
  };
}
