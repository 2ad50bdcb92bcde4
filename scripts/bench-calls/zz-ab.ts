import { startWorkerd } from "../serve/workerd-process.ts";
import { toTestSettings } from "../../test/support/test-worker.ts";
import { startRecordedServer } from "../bench/servers.ts";
import { findFreePort } from "../dev-server/ports.ts";
import { waitUntilAnswers } from "../dev-server/wait-until-answers.ts";
import { connect, costOf, timed, type ToolCall } from "./clients.ts";
import { tokensOf } from "../bench/users.ts";
import { mkdtemp } from "node:fs/promises";
const [kind = "nothing", count = "200", ...names] = process.argv.slice(2);
const tokens = tokensOf("bench", 50);
const server = await startRecordedServer(2000, { workflows: 500, milliseconds: 2 });
const found = server.oldest.filter((o) => o.executionIds.length > 0);
const calls: ToolCall[] = ({ nothing: [["validate_atdf", { atdf: "version: 1" }]], trace: found.map((o) => ["trace_request", { requestId: o.requestId }]), notfound: [["trace_request", { requestId: "never-sent" }]], get: [["get_execution", { id: found[0]!.executionIds[0] }]], explain: found.map((o) => ["explain_failure", { executionId: o.executionIds[0] }]), search: found.map((o) => ["search_executions", { path: "requestId", value: o.requestId }]) } as any)[kind];
const workers = [];
for (const [i, name] of names.entries()) {
  const port = await findFreePort(21000 + i * 50 + Math.floor(Math.random() * 40));
  const w = await startWorkerd({ configuration: `${name}/observer.capnp`, host: "127.0.0.1", port, data: await mkdtemp("/tmp/prof/data-"), settings: toTestSettings(server.n8n, tokens, { N8N_REQUESTS_PER_MINUTE: "60000" }), prints: "nothing" });
  await waitUntilAnswers(`http://localhost:${port}`, { timeoutMs: 30000, isOver: w.hasEnded });
  const clients = await Promise.all(Object.values(tokens).map((t) => connect(`http://localhost:${port}/mcp`, t)));
  workers.push({ name, w, clients, cpu: [] as number[], ms: [] as number[] });
}
const turn = (clients: any[], n: number) => Array.from({ length: n }, (_, i) => [clients[i % clients.length], calls[i % calls.length]] as any);
for (const x of workers) await costOf(x.w.processId, turn(x.clients, Math.max(60, calls.length)));
for (let r = 0; r < 7; r++) for (const x of workers) { const c = await costOf(x.w.processId, turn(x.clients, Number(count))); x.cpu.push(c.processor); x.ms.push(c.milliseconds.toSorted((a, b) => a - b)[Math.floor(Number(count) / 2)]!); }
for (const x of workers) { const s = x.cpu.toSorted((a, b) => a - b), m = x.ms.toSorted((a, b) => a - b); console.log(kind, x.name.split("/").pop(), "cpu min/med", s[0]!.toFixed(2), s[3]!.toFixed(2), "ms min/med", m[0]!.toFixed(1), m[3]!.toFixed(1)); await x.w.stop(); }
process.exit(0);
