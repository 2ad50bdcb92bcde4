/**
 * The smaller promises: the start page answers only at its own host, a web page with another origin registers no
 * client, and without `n8n:data` a trace shows no key of the payload and confirms no PIN.
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

/** By `node:http`, as `fetch` always sends the host of the URL. */
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

/** Without `n8n:data`, no value of a payload is confirmed: no number, no date, no word of a diagnosis. */
export async function checkTraceWithoutData(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(109);
  const reference = `order-${random.text("123456789", 8)}`;
  const key = "jane.roe@example.com";
  const born = "1984-03-17";
  // These are no execution ids.
  const [pin, door] = ["74291", "74293"];
  const note = "Patient Jane Roe has pneumonia";
  const requestId = `req-${random.word(12)}`;
  const body = { requestId, customers: [{ [key]: { reference } }], pin, door, born, note };
  const [id] = await post(lane, safetyPaths.keep, body);
  const pathAt = async (
    client: SafetyLane["read"],
    asked: string,
    deep: boolean,
  ): Promise<string | undefined> => {
    const { envelope } = await ask(client, "trace_request", { startedAfter, requestId: asked, deep });
    return trace.parse(envelope.data).executions.find((execution) => execution.id === id)?.match?.path;
  };
  same("path of a request id without n8n:data", await pathAt(lane.read, requestId, false), "body.requestId");
  for (const guess of [reference, pin, "74292", door, "74294"]) {
    const { envelope, text } = await ask(lane.read, "trace_request", { startedAfter, requestId: guess });
    same(`executions told for ${guess}`, trace.parse(envelope.data).executions, []);
    demand(text.includes("REQUEST_ID_PATHS"), "the answer says where it looked", text);
  }
  const words = note.split(" ").map((_word, index, all) => all.slice(0, index + 1).join(" "));
  const refused = new Set<string>();
  for (const guess of [...words, "Patient Jane Roe has diabetes", born, "1984-03-18", "Jane", "John"]) {
    const asked = lane.watch.requests.length;
    const { isError, text } = await lane.read.call("trace_request", { startedAfter, requestId: guess });
    demand(isError && text.includes("n8n:data"), `${guess} is refused`, text);
    same(`requests for ${guess}`, lane.watch.requests.length - asked, 0);
    refused.add(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"));
  }
  same("answers to them", refused.size, 1);
  demand(
    (await pathAt(lane.data, reference, true))?.includes(key) === true,
    "with n8n:data, the path is told",
  );
  for (const value of [door, born, note])
    demand((await pathAt(lane.data, value, true)) !== undefined, `${value} is found with n8n:data`);
  return `${words.length} words, refused alike`;
}
