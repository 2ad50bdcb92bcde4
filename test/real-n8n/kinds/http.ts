/** Failures of HTTP requests: refused by the service, not delivered, or not answered. */
import type { WorkflowNode } from "../workflow-parts.ts";
import { code } from "../workflow-parts.ts";
import { get, list, post } from "./parts.ts";
import type { KindServices } from "./services.ts";
import type { PlannedKind } from "./stage.ts";

const failed = (name: string, nodes: (services: KindServices) => WorkflowNode[]): PlannedKind => ({
  name,
  family: "failed",
  draft: ({ services }) => ({ nodes: nodes(services) }),
});

const refusal = (status: number): PlannedKind =>
  failed(`http-${status}`, ({ url }) => [
    post("Create invoice", `${url}/refuse/${status}`),
    code("Tell", "return $input.all()"),
  ]);

export const httpKinds: readonly PlannedKind[] = [
  ...[400, 401, 403, 404, 409, 422, 429, 500, 503].map(refusal),
  failed("connection-refused", ({ deadUrl }) => [post("Create invoice", `${deadUrl}/invoices`)]),
  failed("no-such-host", () => [get("Fetch rates", "http://rates.invalid/latest")]),
  failed("request-timed-out", ({ url }) => [
    get("Fetch report", `${url}/slow`, { options: { timeout: 300 } }),
  ]),
  failed("certificate-not-trusted", ({ secureUrl }) => [get("Fetch rates", `${secureUrl}/rates`)]),
  failed("https-to-http", ({ url }) => [get("Fetch rates", `${url.replace("http:", "https:")}/rates`)]),
  failed("retries-exhausted", ({ url }) => [
    { ...post("Book room", `${url}/refuse/503`), retryOnFail: true, maxTries: 3, waitBetweenTries: 50 },
  ]),
  failed("fourth-request-of-five", ({ url }) => [
    list(
      "List orders",
      [200, 200, 200, 404, 200].map((status, order) => ({
        order,
        path: status === 404 ? "refuse/404" : "ok",
      })),
    ),
    get("Fetch order", `=${url}/{{ $json.path }}`),
  ]),
];
