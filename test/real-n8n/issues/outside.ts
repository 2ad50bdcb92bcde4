/**
 * The outside that the threads' workflows call: each address answers as that service's documentation shows.
 * Promises: everything listens on loopback only. What n8n sends to Slack and Google reaches the same server, through
 * a proxy whose certificate n8n is told to trust.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer as createTcpServer, type Server } from "node:net";
import { listenOnLoopback, readText, stopServer } from "../../support/loopback-server.ts";

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

export interface OutsideServers {
  readonly url: string;
  readonly proxyUrl: string;
  readonly mailPort: number;
  readonly close: () => Promise<void>;
}

let tries = 0;

function answerOf(path: string, query: URLSearchParams, body: string): Answer {
  if (path === "/v1/devices") return [200, { page: 1, devices: [{ id: 1 }, { id: 2 }] }];
  if (path === "/v1/orders") {
    const page = Number(query.get("page"));
    return [200, page > 3 ? [] : [{ id: page * 2 - 1 }, { id: page * 2 }]];
  }
  if (path === "/oauth/token") return [200, { access_token: "t-1", token_type: "Bearer", expires_in: 3599 }];
  if (path === "/fabric/graphql") return [403, ""];
  if (path === "/rest/v1/leads.json")
    return [
      200,
      {
        requestId: "e42b#14272d07d78",
        success: false,
        errors: [{ code: "602", message: "Access token expired" }],
      },
    ];
  if (path === "/crm/v3/objects/contacts")
    return [
      200,
      {
        results: Array.from({ length: 10 }, (_, at) => ({
          id: String(at + 1),
          properties: { email: `p${at}@example.com` },
        })),
        paging: { next: { after: "10", link: "https://api.hubapi.com/crm/v3/objects/contacts?after=10" } },
      },
    ];
  if (path === "/v1/uploads") return [201, { id: 7, url: "/v1/uploads/7" }];
  if (path.endsWith("/sendMessage"))
    return [
      400,
      {
        ok: false,
        error_code: 400,
        description:
          "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 16",
      },
    ];
  if (path === "/api/quotes")
    return [400, { error: "invalid_request", error_description: "Token not found" }];
  if (path === "/api/stock") return [200, { item: query.get("item"), in_stock: 12 }];
  if (path === "/macros/exec") return [302, "Moved Temporarily", { location: "/macros/echo" }];
  if (path === "/macros/echo") return [200, { result: "success", row: 14 }];
  if (path === "/flaky") {
    tries += 1;
    return tries % 2 === 1 ? [503, { message: "Service Unavailable" }] : [200, { rate: 1.08 }];
  }
  if (path === "/v1/import")
    return [200, { errors: [], failed: 0, created: 3, message: "Import finished: 3 created, 0 errors" }];
  if (path === "/v1/echo") return [200, { received: JSON.parse(body) }];
  if (path === "/api/chat.postMessage")
    return [
      200,
      { ok: false, error: "missing_scope", needed: "chat:write", provided: "identify,channels:read" },
    ];
  if (path === "/token") return [200, { access_token: "g-1", token_type: "Bearer", expires_in: 3599 }];
  if (path.startsWith("/v4/spreadsheets/") && path.includes("/values/"))
    return [200, { range: "Leads!A1:C1", majorDimension: "ROWS", values: [["Name", "E-mail", "Phone"]] }];
  if (path.startsWith("/v4/spreadsheets/"))
    return [
      200,
      {
        sheets: [
          {
            properties: { sheetId: 0, title: "Leads", gridProperties: { rowCount: 1_000, columnCount: 26 } },
          },
        ],
      },
    ];
  return [404, { message: `No such path: ${path}` }];
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://outside");
  const [status, body, headers = {}] = answerOf(pathname, searchParams, await readText(request));
  const isText = typeof body === "string";
  response.writeHead(status, { ...(isText ? {} : { "content-type": "application/json" }), ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

const portOf = (server: Server): number => {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
};

export async function startOutside(certificate: { key: string; cert: string }): Promise<OutsideServers> {
  const take = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response);
  const plain = createServer(take);
  const secure = createTlsServer(certificate, take);
  const proxy = createServer();
  proxy.on("connect", (_request, socket, head) => {
    const upstream = connect(portOf(secure), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on("error", () => end.destroy());
  });
  const mail = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("220 mail.example.com ESMTP\r\n");
  });
  const url = await listenOnLoopback(plain);
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const proxyUrl = await listenOnLoopback(proxy);
  await new Promise<void>((resolve) => mail.listen(0, "127.0.0.1", resolve));
  return {
    url,
    proxyUrl,
    mailPort: portOf(mail),
    close: async () => {
      mail.close();
      secure.closeAllConnections();
      secure.close();
      await Promise.all([stopServer(plain), stopServer(proxy)]);
    },
  };
}
