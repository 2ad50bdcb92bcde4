/** Failures of other systems: databases, mail, files, credentials, nodes. */
import { callSubWorkflow, code, node, subWorkflowStart, type WorkflowNode } from "../workflow-parts.ts";
import { get, noOp, set, withCredential } from "./parts.ts";
import type { PlannedKind, Stage } from "./stage.ts";

const failed = (name: string, ...nodes: WorkflowNode[]): PlannedKind => ({
  name,
  family: "failed",
  draft: { nodes: [set("Take order", { order: 5 }), ...nodes] },
});

/** A node whose credential points to a port on which nothing listens. */
const refused = (
  name: string,
  type: string,
  data: (stage: Stage) => object,
  made: WorkflowNode,
): PlannedKind => ({
  name,
  family: "failed",
  draft: async (stage) => ({
    nodes: [
      set("Take order", { order: 5 }),
      withCredential(type, await stage.addCredential(type, { ...data(stage) }), made),
      noOp("Done"),
    ],
  }),
});

/** A sub-workflow that lost something after it was published. n8n would not start such a workflow directly. */
const goneFrom = (
  name: string,
  node: WorkflowNode,
  change: (nodes: string) => string,
  more: Partial<PlannedKind> = {},
): PlannedKind => ({
  name,
  family: "failed",
  draft: async (stage) => {
    const id = await stage.addCalled(`Part of ${name}`, { nodes: [subWorkflowStart(), node] });
    stage.tamper(id, change);
    return { nodes: [set("Take order", { order: 5 }), callSubWorkflow("Handle order", id)] };
  },
  executions: 2,
  ...more,
});
/** n8n 2.40.5 never ends the sub-workflow's execution: it stays "running" until n8n restarts. */
const NOT_ENDED = { hanging: 1 };

const AT_DEAD_PORT = { host: "127.0.0.1", port: 1, user: "shop", password: "only-for-tests" };
const POSTGRES = node("Read orders", "n8n-nodes-base.postgres", 2.6, {
  operation: "executeQuery",
  query: "SELECT * FROM orders",
  options: { connectionTimeout: 2 },
});
const MAIL = node("Send invoice", "n8n-nodes-base.emailSend", 2.1, {
  fromEmail: "shop@example.com",
  toEmail: "ana@example.com",
  subject: "Invoice",
  emailFormat: "text",
  text: "See you",
  options: {},
});
const KEYED = {
  authentication: "genericCredentialType",
  genericAuthType: "httpHeaderAuth",
};

export const systemKinds: readonly PlannedKind[] = [
  refused(
    "postgres-refused",
    "postgres",
    () => ({
      ...AT_DEAD_PORT,
      database: "shop",
      ssl: "disable",
      sshTunnel: false,
      allowUnauthorizedCerts: false,
      maxConnections: 5,
    }),
    POSTGRES,
  ),
  refused(
    "mail-refused",
    "smtp",
    () => ({ ...AT_DEAD_PORT, secure: false, disableStartTls: true, hostName: "" }),
    MAIL,
  ),
  refused(
    "mysql-refused",
    "mySql",
    () => ({ ...AT_DEAD_PORT, database: "shop", connectTimeout: 2000, ssl: false, sshTunnel: false }),
    node("Read orders", "n8n-nodes-base.mySql", 2.4, {
      operation: "executeQuery",
      query: "SELECT 1",
      options: {},
    }),
  ),
  refused(
    "ftp-refused",
    "ftp",
    () => ({ host: "127.0.0.1", port: 1, username: "shop", password: "only-for-tests" }),
    node("List files", "n8n-nodes-base.ftp", 1, { protocol: "ftp", operation: "list", path: "/" }),
  ),
  goneFrom("credential-missing", withCredential("postgres", "unused", POSTGRES), (nodes) =>
    nodes.replace(/"credentials":\{[^}]*\}\}/, '"credentials":{}'),
  ),
  goneFrom(
    "node-not-installed",
    noOp("Post to shop"),
    (nodes) => nodes.replace("n8n-nodes-base.noOp", "n8n-nodes-acme.shop"),
    NOT_ENDED,
  ),
  goneFrom(
    "node-switched-off",
    noOp("Run script"),
    (nodes) => nodes.replace("n8n-nodes-base.noOp", "n8n-nodes-base.executeCommand"),
    NOT_ENDED,
  ),
  {
    name: "credential-gone",
    family: "failed",
    draft: async (stage) => {
      const id = await stage.addCredential("httpHeaderAuth", { name: "X-Shop-Key", value: "only-for-tests" });
      gone.set(stage.n8n, id);
      return {
        nodes: [
          withCredential("httpHeaderAuth", id, get("Fetch orders", `${stage.services.url}/orders`, KEYED)),
        ],
      };
    },
    sent: [{ order: 1 }, { order: 2 }],
    change: async (stage) => {
      await stage.api("DELETE", `/credentials/${gone.get(stage.n8n) ?? ""}`);
    },
  },
  failed(
    "file-not-found",
    node("Read price list", "n8n-nodes-base.readWriteFile", 1.1, {
      operation: "read",
      fileSelector: "/data/prices.csv",
      options: {},
    }),
    code("Use prices", "return $input.all()"),
  ),
  {
    name: "graphql-refused",
    family: "failed",
    draft: ({ services }) => {
      services.answer("/graphql", { errors: [{ message: 'Cannot query field "prize" on type "Order"' }] });
      return {
        nodes: [
          node("Ask shop", "n8n-nodes-base.graphql", 1.1, {
            endpoint: `${services.url}/graphql`,
            requestFormat: "json",
            query: "query { order { prize } }",
          }),
        ],
      };
    },
  },
  failed(
    "parameter-missing",
    node("Wait for day", "n8n-nodes-base.wait", 1.1, {
      resume: "specificTime",
      dateTime: "={{ $json.day }}",
    }),
  ),
];

/** n8n → its credential that is deleted during play. */
const gone = new WeakMap<object, string>();
