/** Runs the threads' workflows on a real n8n and writes what its API says of each. For once, by hand. */
import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { bootN8n } from "../boot.ts";
import { installN8n } from "../install.ts";
import { callApi } from "../n8n-api.ts";
import { type Script, startScriptedModel } from "../scripted-model.ts";
import { createWorkflow, waitForWebhook } from "../seed.ts";
import { chain, webhook } from "../workflow-parts.ts";
import { casesOf, subWorkflowNodes } from "./cases.ts";
import { startOutside } from "./outside.ts";

const scripts = new Map<string, Script>([
  ["misfit", [{ text: '{"output": {"invoice": "8812", "total": "four hundred"}}' }]],
  ["plain", [{ text: "Invoice 8812 is 400." }]],
  ["endless", [{ calls: [{ tool: "get_stock", args: { item: "lamp" } }] }]],
  ["empty-input", [{ calls: [{ tool: "get_stock", args: {} }] }, { text: "I do not know." }]],
  [
    "gives-up",
    [
      { calls: [{ tool: "get_quotes", args: { customer: "Ana" } }] },
      { text: "I could not look at the quotes at the moment." },
    ],
  ],
  [
    "good",
    [
      { calls: [{ tool: "get_stock", args: { item: "lamp" } }] },
      { calls: [{ tool: "format_final_json_response", args: { output: { invoice: "8812", total: 400 } } }] },
      { text: '{"output": {"invoice": "8812", "total": 400}}' },
    ],
  ],
]);

const folder = mkdtempSync("/tmp/threads-");
chmodSync(folder, 0o777);
execFileSync(
  "openssl",
  [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=outside",
    "-addext",
    "subjectAltName=DNS:slack.com,DNS:sheets.googleapis.com,DNS:oauth2.googleapis.com,DNS:www.googleapis.com",
    "-keyout",
    join(folder, "key.pem"),
    "-out",
    join(folder, "cert.pem"),
  ],
  { stdio: "ignore" },
);
const outside = await startOutside({
  key: readFileSync(join(folder, "key.pem"), "utf8"),
  cert: readFileSync(join(folder, "cert.pem"), "utf8"),
});
const model = await startScriptedModel(scripts);
const databasePort = 23_711;
const asPostgres = (command: string) => ["-u", "postgres", "--", "sh", "-c", command];
execFileSync("runuser", asPostgres(`initdb -D ${folder}/pg -A trust -U postgres`), { stdio: "ignore" });
const database = spawn(
  "runuser",
  asPostgres(`exec postgres -D ${folder}/pg -p ${databasePort} -k ${folder} -c listen_addresses=127.0.0.1`),
  { stdio: "ignore", detached: true },
);
await sleep(3_000);
execFileSync(
  "runuser",
  asPostgres(
    `psql -h 127.0.0.1 -p ${databasePort} -U postgres -c "CREATE TABLE notes (note text, written_at timestamptz)"`,
  ),
);
const n8n = await bootN8n(await installN8n("2.40.5", console.log), {
  log: console.log,
  environment: {
    HTTPS_PROXY: outside.proxyUrl,
    NO_PROXY: "127.0.0.1,localhost",
    NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
    N8N_RUNNERS_TASK_TIMEOUT: "5",
  },
});
try {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const created = z.object({ id: z.string() });
  const make = async (type: string, name: string, data: object) => ({
    id: created.parse(await callApi(access, "POST", "/credentials", { name, type, data })).id,
    name,
  });
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const credentials: Record<string, { id: string; name: string }> = {};
  const plans: Record<string, [string, object]> = {
    oAuth2Api: [
      "Fabric",
      {
        grantType: "clientCredentials",
        authUrl: "",
        accessTokenUrl: `${outside.url}/oauth/token`,
        clientId: "c",
        clientSecret: "only-for-tests",
        scope: "",
        authQueryParameters: "",
        authentication: "body",
      },
    ],
    postgres: [
      "Shop database",
      {
        host: "127.0.0.1",
        port: databasePort,
        database: "postgres",
        user: "postgres",
        password: "only-for-tests",
        ssl: "disable",
        sshTunnel: false,
        maxConnections: 10,
        allowUnauthorizedCerts: false,
      },
    ],
    googleApi: [
      "Sheets",
      {
        email: "bot@example.iam.gserviceaccount.com",
        privateKey,
        inpersonate: false,
        httpNode: false,
        region: "us-central1",
      },
    ],
    telegramApi: ["Bot", { accessToken: "1:only-for-tests", baseUrl: outside.url }],
    slackApi: ["Slack", { accessToken: "only-for-tests", signatureSecret: "" }],
    smtp: [
      "Mail",
      {
        user: "",
        password: "",
        host: "127.0.0.1",
        port: outside.mailPort,
        secure: true,
        disableStartTls: false,
        hostName: "",
      },
    ],
  };
  for (const [type, [name, data]] of Object.entries(plans)) {
    try {
      credentials[type] = await make(type, name, data);
    } catch (error) {
      console.log("CREDENTIAL", type, String(error).slice(0, 600));
    }
  }
  const models = new Map<string, { id: string; name: string }>();
  for (const script of scripts.keys())
    models.set(
      script,
      await make("openAiApi", "Model of the tests", {
        apiKey: "only-for-tests",
        url: model.urlOf(script),
        header: false,
      }),
    );
  const subs: Record<string, string> = {};
  for (const [name, nodes] of Object.entries(subWorkflowNodes))
    subs[name] = await createWorkflow(n8n, access, {
      name: `Price an order (${name})`,
      nodes: [...nodes],
      connections: chain(...nodes.map((each) => each.name)),
      calledOnly: true,
    });
  const cases = casesOf({
    url: outside.url,
    deadUrl: "http://127.0.0.1:9",
    credential: (type) => credentials[type] ?? { id: "x", name: "x" },
    model: (script) => models.get(script) ?? { id: "x", name: "x" },
    emptySubWorkflow: subs.empty ?? "",
    goodSubWorkflow: subs.good ?? "",
  });
  const found: Record<string, string> = {};
  for (const each of cases) {
    const nodes = each.form
      ? [...each.nodes]
      : [webhook(each.name, each.name.includes("approval") ? "onReceived" : "lastNode"), ...each.nodes];
    try {
      const id = await createWorkflow(n8n, access, {
        name: each.name,
        nodes,
        connections: each.connections ?? chain(...nodes.map(({ name }) => name)),
        ...(each.settings ? { settings: each.settings } : {}),
      });
      if (!each.form) await waitForWebhook(n8n, each.name);
      else await sleep(1_500);
      for (let time = 0; time < (each.times ?? 1); time += 1) {
        if (each.form) {
          const body = new FormData();
          body.append("field-0", "Ana");
          const answer = await fetch(`${n8n.baseUrl}/form/${each.name}`, {
            method: "POST",
            body,
            signal: AbortSignal.timeout(8_000),
          }).catch((error: unknown) => error);
          console.log(
            each.name,
            answer instanceof Response
              ? `${answer.status} ${(await answer.text()).slice(0, 100)}`
              : String(answer),
          );
        } else {
          const answer = await fetch(`${n8n.baseUrl}/webhook/${each.name}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(each.body ?? { requestId: "t" }),
            signal: AbortSignal.timeout(30_000),
          }).catch((error: unknown) => error);
          if (answer instanceof Response) await answer.text();
          else console.log(each.name, String(answer));
        }
      }
      found[each.name] = id;
    } catch (error) {
      console.log("CASE", each.name, String(error).slice(0, 400));
    }
  }
  await sleep(2_000);
  const read = async (path: string): Promise<unknown> =>
    await (await fetch(`${n8n.baseUrl}/api/v1${path}`, { headers: { "X-N8N-API-KEY": n8n.readKey } })).json();
  const list = z.object({
    data: z.array(
      z.object({
        id: z.union([z.string(), z.number()]).transform(String),
        workflowId: z.string(),
        status: z.string(),
      }),
    ),
  });
  const all = list.parse(await read("/executions?limit=250")).data;
  const waiting = list.parse(await read("/executions?limit=250&status=waiting")).data;
  const listed = [...all, ...waiting.filter(({ id }) => !all.some((each) => each.id === id))];
  const executions: unknown[] = [];
  for (const { id } of listed) executions.push(await read(`/executions/${id}?includeData=true`));
  const workflows = await read("/workflows?limit=250");
  for (const [name, id] of Object.entries(found)) {
    const newest = listed.find((each) => each.workflowId === id);
    console.log(
      name.padEnd(40),
      newest?.id,
      newest?.status,
      cases.find((each) => each.name === name)?.truth.is,
    );
  }
  writeFileSync(
    "/tmp/th/recorded.json",
    JSON.stringify({
      places: [n8n.baseUrl, outside.url, n8n.installation.directory, folder],
      found,
      listed,
      executions,
      workflows,
    }),
  );
} finally {
  await n8n.stop();
  await model.close();
  await outside.close();
  if (database.pid !== undefined) process.kill(-database.pid, "SIGINT");
}
process.exit();
