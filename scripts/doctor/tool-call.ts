/** A call of a tool, as a client with a service token makes it: n8n, its key, and the history index. */
import * as z from "zod";
import { check } from "../../src/features/check-connection/check-line.ts";
import { parseJson } from "../../src/platform/parse-json.ts";
import { toPlainText } from "../ask/plain-text.ts";
import { type Finding, fail, type Patient, pass, skip } from "./finding.ts";
import { type Answer, ask, MCP_HEADERS } from "./request.ts";

const TOOL_CALL = "tool call";
/** The call sends n8n a dozen requests. */
const CALL_TIMEOUT_MS = 60_000;

const HOW_TO_GIVE_A_TOKEN =
  "Make one with npm run admin token -- add doctor, put it into the environment variable N8N_OBSERVER_TOKEN, and run npm run doctor -- <origin> --token-from-env. With N8N_KEYS=personal there is none: ask check_connection in your app.";

const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "check_connection", arguments: {} },
});

const REFUSALS: Readonly<Record<number, readonly [detail: string, solution: string]>> = {
  401: [
    "The server does not accept this token.",
    "Its SHA-256 must be in the server's SERVICE_TOKENS: npm run admin token -- list shows those of this machine, with --deployed those of the Worker. With ACCESS_RULES, a rule must name it (who.tokens).",
  ],
  503: [
    "The server answers no call while a setting is wrong (HTTP 503).",
    "Set what the failed line above, npm run admin status or the server's log names.",
  ],
};

const report = z.looseObject({
  status: z.literal("success"),
  data: z.looseObject({
    checks: z.array(check),
    instances: z.array(z.looseObject({ instance: z.string(), checks: z.array(check) })).optional(),
  }),
});
const failure = z.looseObject({ status: z.literal("error"), message: z.string() });
const result = z.looseObject({ result: z.looseObject({ structuredContent: z.unknown() }) });

export async function checkToolCall(patient: Patient): Promise<readonly Finding[]> {
  const { token } = patient;
  if (token === undefined)
    return [skip(TOOL_CALL, "Not tested: n8n and the index need a service token.", HOW_TO_GIVE_A_TOKEN)];
  const answer = await ask(patient, "/mcp", {
    method: "POST",
    headers: { ...MCP_HEADERS, "mcp-protocol-version": "2025-06-18", authorization: `Bearer ${token}` },
    body: CALL,
    timeoutMs: CALL_TIMEOUT_MS,
  });
  if (answer === undefined)
    return [
      fail(
        TOOL_CALL,
        "check_connection gives no answer.",
        "Look at the server's log (npx wrangler tail), and whether n8n answers at all.",
      ),
    ];
  const refusal = REFUSALS[answer.status];
  if (refusal !== undefined) return [fail(TOOL_CALL, ...refusal)];
  const structured = result.safeParse(messageOf(answer)).data?.result.structuredContent;
  const reported = report.safeParse(structured);
  if (reported.success) return [pass(TOOL_CALL, "check_connection answers."), ...linesOf(reported.data.data)];
  const failed = failure.safeParse(structured);
  return [
    fail(
      TOOL_CALL,
      failed.success
        ? `check_connection fails: ${toPlainText(failed.data.message, 300)}`
        : `check_connection gives no answer that can be used (HTTP ${answer.status}).`,
      "See that the address is that of n8n-observer, and look at the server's log (npx wrangler tail).",
    ),
  ];
}

/** JSON, or an event stream whose last message is the answer. */
function messageOf({ text, header }: Answer): unknown {
  if (!/event-stream/.test(header("content-type") ?? "")) return parseJson(text);
  const messages = text.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
  return parseJson(messages.at(-1) ?? "");
}

/** The check of the start page has reported usable settings already. */
const isReported = ({ check: name, status }: { readonly check: string; readonly status: string }): boolean =>
  name === "settings" && status === "pass";

/** With several n8n instances, each line names its instance. */
function linesOf({ checks, instances = [] }: z.infer<typeof report>["data"]): Finding[] {
  const ofInstances = instances.flatMap(({ instance, checks: lines }) =>
    lines.map((line) => ({ ...line, check: `${instance}: ${line.check}` })),
  );
  return [...checks.filter((line) => !isReported(line)), ...ofInstances].map(
    ({ check: name, status, detail, solution }) => ({
      check: toPlainText(name, 80),
      status,
      detail: toPlainText(detail, 400),
      ...(solution === undefined ? {} : { solution: toPlainText(solution, 600) }),
    }),
  );
}
