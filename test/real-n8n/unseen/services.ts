/** Services that misbehave. */
import { noOp } from "../kinds/parts.ts";
import { wire } from "../kinds/stage.ts";
import { failsIn, fetch, PRIVATE, stop } from "./parts.ts";
import type { UnseenKind, UnseenParts } from "./unseen-kind.ts";

export const serviceUnseen = ({ odd }: UnseenParts): readonly UnseenKind[] => [
  failsIn("redirects-without-end", fetch("Fetch page", `${odd.url}/round`), {
    says: [/redirect/i],
    causes: ["connection", "http_status"],
  }),
  failsIn("html-502", fetch("Fetch orders", `${odd.url}/html/502`), {
    says: [/502/],
    causes: ["http_status"],
    neverSays: [/nginx/],
  }),
  failsIn("html-504", fetch("Fetch orders", `${odd.url}/html/504`), {
    says: [/504/],
    causes: ["http_status"],
  }),
  failsIn("empty-500", fetch("Fetch orders", `${odd.url}/empty/500`), {
    says: [/500/],
    causes: ["http_status"],
  }),
  failsIn("payload-too-large", fetch("Upload", `${odd.url}/empty/413`), {
    says: [/413/, /large|big|too much|more than/],
    causes: ["http_status"],
  }),
  failsIn("gone-410", fetch("Fetch offer", `${odd.url}/problem/410`), {
    says: [/410/],
    causes: ["http_status"],
    neverSays: [PRIVATE],
  }),
  failsIn("connection-cut", fetch("Fetch orders", `${odd.url}/cut`), {
    says: [/broke off|closed|reset|ECONNRESET|hang up/i],
    causes: ["connection"],
  }),
  failsIn(
    "half-json",
    fetch("Fetch orders", `${odd.url}/half`, {
      options: { response: { response: { responseFormat: "json" } } },
    }),
    { says: [/JSON/], causes: ["not_json"] },
  ),
  failsIn(
    "url-without-protocol",
    fetch("Fetch orders", "={{ $json.body.host }}/orders"),
    {
      roots: ["Fetch orders", "Webhook"],
      says: [/URL|address/i, /http|valid|not one/i],
      causes: ["invalid_request"],
      neverSays: [PRIVATE],
    },
    { host: "planted.example" },
  ),
  {
    // n8n sends it nevertheless.
    name: "line-break-in-header",
    family: "ordinary",
    draft: {
      nodes: [
        fetch("Fetch orders", `${odd.url}/ok`, {
          sendHeaders: true,
          headerParameters: { parameters: [{ name: "X-Customer", value: "={{ $json.body.name }}" }] },
        }),
        noOp("Done"),
      ],
    },
    sent: [{ name: "planted\nname" }],
  },
  failsIn(
    "pages-without-end",
    fetch("Fetch all", `${odd.url}/same-page`, {
      options: {
        pagination: {
          pagination: {
            paginationMode: "updateAParameterInEachRequest",
            parameters: { parameters: [{ type: "qs", name: "page", value: "={{ $pageCount + 1 }}" }] },
            paginationCompleteWhen: "other",
            completeExpression: "={{ $response.body.more === false }}",
            limitPagesFetched: false,
            requestInterval: 0,
          },
        },
      },
    }),
    {
      says: [/same|identical|page|pagination/i],
      causes: ["invalid_request", "http_status", "node_failed", "loop"],
    },
  ),
  {
    name: "failed-lookup-stops-on-purpose",
    family: "failed",
    draft: {
      nodes: [
        { ...fetch("Fetch customer", `${odd.url}/lookup/9`), onError: "continueErrorOutput" },
        noOp("Ship"),
        stop("Give up", { errorMessage: "planted: no customer" }),
      ],
      connections: wire("Webhook > Fetch customer", "Fetch customer > Ship", "Fetch customer.1 > Give up"),
    },
    expected: {
      roots: ["Give up", "Fetch customer"],
      says: [/on purpose|Stop And Error|was told to|stops|404/i],
      alsoSays: [/404/],
      causes: ["stopped_on_purpose", "http_status"],
      neverSays: [PRIVATE],
    },
  },
];
