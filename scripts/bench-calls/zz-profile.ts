import { startTestWorker } from "../../test/support/test-worker.ts";
import { startRecordedServer } from "../bench/servers.ts";
import { connect, costOf } from "./clients.ts";
import { tokensOf } from "../bench/users.ts";
import { writeFileSync } from "node:fs";
const kind = process.argv[2] ?? "nothing";
const count = Number(process.argv[3] ?? 300);
const server = await startRecordedServer(2000, { workflows: 500, milliseconds: 2 });
const tokens = tokensOf("bench", 50);
const debuggerPort = 28900 + Math.floor(Math.random()*500);
const worker = await startTestWorker(server.n8n, tokens, { settings: { N8N_REQUESTS_PER_MINUTE: "60000" }, debuggerPort });
const clients = await Promise.all(Object.values(tokens).map((t) => connect(worker.mcpUrl, t)));
const found = server.oldest.filter((o) => o.executionIds.length > 0);
const of = { nothing: [["validate_atdf", { atdf: "version: 1" }]], trace: found.map((o) => ["trace_request", { requestId: o.requestId }]), notfound: [["trace_request", { requestId: "never-sent" }]], get: [["get_execution", { id: found[0]!.executionIds[0] }]], explain: found.map((o)=>["explain_failure",{executionId:o.executionIds[0]}]), search: found.map((o)=>["search_executions",{path:"requestId",value:o.requestId}]) }[kind] as any[];
await clients[0]!(["trace_request", { requestId: found[0]!.requestId }]);
const turn = (n: number) => Array.from({ length: n }, (_, i) => [clients[i % clients.length]!, of[i % of.length]!] as any);
await costOf(worker.processId, turn(100));
const list = await (await fetch(`http://127.0.0.1:${debuggerPort}/json`)).json() as any[];
const ws = new WebSocket(list[0].webSocketDebuggerUrl);
await new Promise((r) => ws.addEventListener("open", r));
let id = 0; const waiting = new Map<number, (v: any) => void>();
ws.addEventListener("message", (m) => { const d = JSON.parse(String(m.data)); waiting.get(d.id)?.(d.result ?? d.error); });
const send = (method: string, params: any = {}) => new Promise<any>((r) => { id += 1; waiting.set(id, r); ws.send(JSON.stringify({ id, method, params })); });
await send("Profiler.enable"); await send("Profiler.setSamplingInterval", { interval: 200 }); 
const plain = await costOf(worker.processId, turn(count));
console.log("without profiler: processor", plain.processor.toFixed(2));
await send("Profiler.start");
await costOf(worker.processId, turn(count));
const { profile } = await send("Profiler.stop");
writeFileSync(`/tmp/prof/${kind}.cpuprofile`, JSON.stringify(profile));
ws.close(); await worker.stop();
// aggregate
const byId = new Map<number, any>(profile.nodes.map((n: any) => [n.id, n]));
const selfUs = new Map<number, number>();
profile.samples.forEach((s: number, i: number) => selfUs.set(s, (selfUs.get(s) ?? 0) + (profile.timeDeltas[i] ?? 0)));
const parent = new Map<number, number>(); for (const n of profile.nodes) for (const ch of n.children ?? []) parent.set(ch, n.id);
const name = (n: any) => `${n.callFrame.functionName || "(anon)"}:${n.callFrame.lineNumber + 1}`;
const self = new Map<string, number>(), total = new Map<string, number>();
for (const [nid, us] of selfUs) {
  const seen = new Set<string>();
  self.set(name(byId.get(nid)), (self.get(name(byId.get(nid))) ?? 0) + us);
  for (let p: number | undefined = nid; p !== undefined; p = parent.get(p)) { const k = name(byId.get(p)); if (!seen.has(k)) { seen.add(k); total.set(k, (total.get(k) ?? 0) + us); } }
}
const show = (m: Map<string, number>, n: number) => [...m].sort((a, b) => b[1] - a[1]).slice(0, n).map(([k, v]) => `${(v / 1000 / count).toFixed(3)} ms  ${k}`).join("\n");
console.log("SELF\n" + show(self, 45)); console.log("TOTAL\n" + show(total, 130));
process.exit(0);
