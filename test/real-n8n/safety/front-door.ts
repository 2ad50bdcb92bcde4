/**
 * The smaller promises: the start page answers its own host alone, a web page that is sent no access registers no
 * client, and without `n8n:data` a trace tells no key of the payload and confirms no PIN.
 */
import { request } from "node:http";
import * as z from "zod";
import { same } from "../trace-checks.ts";
import { ask, createSecrets, demand, post, type SafetyLane } from "./lane.ts";
import { safetyPaths } from "./seed.ts";

export async function checkFrontDoor({ worker }: SafetyLane): Promise<string> {
  same("status at its own host", (await answerTo(worker.origin, "/", {})).status, 200);
  for (const host of ["observer.example", "localhost.evil.example", "169.254.169.254"])
    for (const path of ["/", "/mcp", "/.well-known/oauth-protected-resource/mcp"])
      same(`status of ${path} at ${host}`, (await answerTo(worker.origin, path, { host })).status, 421);
  return await demandOnlyClientsRegister(worker.origin);
}

/** By `node:http`: `fetch` sends the host of the URL, whatever it is told. */
async function answerTo(
  origin: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> {
  return await new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = request(origin + path, { method, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

async function demandOnlyClientsRegister(origin: string): Promise<string> {
  const client = JSON.stringify({
    client_name: "of a web page",
    redirect_uris: ["http://127.0.0.1:33418/callback"],
    token_endpoint_auth_method: "none",
  });
  const register = async (headers: Record<string, string>) =>
    await answerTo(origin, "/register", { "content-type": "application/json", ...headers }, client);
  for (const page of ["https://evil.example", "https://localhost.evil.example", "null"]) {
    const { status, headers } = await register({ origin: page });
    same(`status of a registration by ${page}`, status, 403);
    same("leave for its scripts to read the answer", headers["access-control-allow-origin"], undefined);
  }
  same("status of a registration by an app", (await register({})).status, 201);
  return "421 at other hosts, 403 for other pages";
}

const trace = z.looseObject({
  executions: z.array(
    z.looseObject({ id: z.string(), match: z.looseObject({ path: z.string() }).nullable() }),
  ),
});

/** A key of a payload may be anybody's name; a PIN can be tried out. */
export async function checkTraceWithoutData(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(109);
  const reference = `order-${random.word(12)}`;
  const key = "jane.roe@example.com";
  const born = "1984-03-17";
  // n8n numbers its executions: these are none of their ids.
  const [pin, door] = ["74291", "74293"];
  const [id] = await post(lane, safetyPaths.keep, {
    customers: [{ [key]: { reference } }],
    pin,
    door,
    born,
  });
  const asked = async (client: SafetyLane["read"], requestId: string) => {
    const { envelope, text } = await ask(client, "trace_request", { startedAfter, requestId, deep: true });
    return { data: trace.parse(envelope.data), text };
  };
  const pathOf = ({ data }: Awaited<ReturnType<typeof asked>>): string | undefined =>
    data.executions.find((execution) => execution.id === id)?.match?.path;
  const withoutData = await asked(lane.read, reference);
  same("path without n8n:data", pathOf(withoutData), "body.*");
  demand(!withoutData.text.includes("jane"), "no key of the payload is told", withoutData.text);
  demand(pathOf(await asked(lane.data, reference))?.includes(key) === true, "with it, the path is told");
  for (const guess of [pin, "74292", door, "74294", born, "1984-03-18"]) {
    const { data, text } = await asked(lane.read, guess);
    same(`executions told for ${guess}`, data.executions, []);
    demand(text.includes("REQUEST_ID_PATHS"), "the answer says where it looked", text);
  }
  for (const value of [door, born])
    demand(pathOf(await asked(lane.data, value)) !== undefined, `${value} is found with n8n:data`);
  return withoutData.data.executions.map(({ match }) => match?.path).join();
}
