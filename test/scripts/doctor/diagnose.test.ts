/** The doctor, run against servers with one fault each, names the fault and its fix. */
import { afterEach, describe, expect, test } from "vitest";
import { diagnose } from "../../../scripts/doctor/diagnose.ts";
import type { Finding } from "../../../scripts/doctor/finding.ts";
import { renderFindings, renderJsonLines, summarize } from "../../../scripts/doctor/render.ts";
import { firstRunPage } from "../../../src/pages/first-run.tsx";
import { landingPage } from "../../../src/pages/landing.tsx";
import { createCertificate } from "../../support/certificates.ts";
import { CHECKS, type Faults, type PlayedServer, playServer, TOKEN } from "./played-server.ts";

const authority = createCertificate({ hosts: [], isAuthority: true });
const ca = authority.cert;
const DAY_MS = 86_400_000;

let server: PlayedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function diagnoseWith(faults: Faults, token: string | undefined = TOKEN): Promise<readonly Finding[]> {
  server = await playServer(faults);
  return await diagnose({ origin: server.origin, token, ca });
}

const problemsIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ status }) => status !== "pass");

describe("a healthy server", () => {
  test("passes every check", async () => {
    const findings = await diagnoseWith({});
    expect(problemsIn(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      "DNS",
      "port",
      "TLS",
      "start page",
      "settings",
      "clock",
      "resource metadata",
      "sign-in metadata",
      "registration",
      "refusal without a token",
      "tool call",
      "n8n reachable",
      "history index",
    ]);
    expect(summarize(findings)).toBe("All is well.");
  });

  test("passes with a trusted certificate", async () => {
    const certificate = createCertificate({ hosts: ["127.0.0.1"], issuer: authority });
    const findings = await diagnoseWith({ certificate });
    expect(problemsIn(findings)).toEqual([]);
    expect(findings.find(({ check }) => check === "TLS")?.detail).toMatch(/valid for (?:89|90) more days/);
  });

  test("passes without a token, except the skipped checks of n8n", async () => {
    server = await playServer();
    const findings = await diagnose({ origin: server.origin, ca });
    expect(problemsIn(findings)).toMatchObject([{ check: "tool call", status: "skipped" }]);
    expect(summarize(findings)).toContain("No fault in what could be tested.");
    expect(server.asked.filter((line) => line === "POST /mcp")).toHaveLength(1);
  });
});

const certified = (facts: Partial<Parameters<typeof createCertificate>[0]>): Faults => ({
  certificate: createCertificate({ hosts: ["127.0.0.1"], issuer: authority, ...facts }),
});

type Answer = NonNullable<ReturnType<NonNullable<Faults["answer"]>>>;
const answering = (path: string, played: Answer): Faults => ({
  answer: (_method, asked) => (asked === path ? played : undefined),
});
/** Answers calls with a token, or those without one. */
const answeringMcp = (withToken: boolean, played: Answer): Faults => ({
  answer: (_method, path, _origin, hasToken) =>
    path === "/mcp" && hasToken === withToken ? played : undefined,
});

/** Name of the set-up; its faults; the failing check; its detail; its solution. */
const BROKEN: readonly [string, Faults, string, RegExp, RegExp][] = [
  [
    "an expired certificate",
    certified({ notBefore: new Date(Date.now() - 9 * DAY_MS), notAfter: new Date(Date.now() - DAY_MS) }),
    "TLS",
    /has expired/,
    /Renew it/,
  ],
  [
    "a certificate for another host",
    certified({ hosts: ["n8n.example.com"] }),
    "TLS",
    /another host/,
    /names/,
  ],
  [
    "a self-signed certificate",
    { certificate: createCertificate({ hosts: ["127.0.0.1"] }) },
    "TLS",
    /self-signed/,
    /certificate authority/,
  ],
  [
    "a certificate of an unknown authority",
    certified({ issuer: createCertificate({ hosts: [], isAuthority: true }) }),
    "TLS",
    /does not trust the certificate's issuer/,
    /whole chain/,
  ],
  [
    "another server at the address",
    answering("/", { status: 200, body: "<title>n8n.io - Workflow Automation</title>" }),
    "start page",
    /A server other than n8n-observer/,
    /not that of n8n/,
  ],
  [
    "a login page in front",
    answering("/", { status: 302, headers: { location: "https://login.example.com/" } }),
    "start page",
    /redirect to login\.example\.com/,
    /let this host pass/,
  ],
  [
    "a firewall in front",
    answering("/", { status: 403, body: "blocked" }),
    "start page",
    /refuses with HTTP 403/,
    /firewall/,
  ],
  [
    "a server that fails",
    answering("/", { status: 500, body: "error code: 1101" }),
    "start page",
    /HTTP 500/,
    /wrangler tail/,
  ],
  ["a server that hangs up", answering("/", "silence"), "start page", /sends no answer/, /log/],
  [
    "PUBLIC_URL of another address",
    answering("/", {
      status: 421,
      body: {
        error: "invalid_request",
        error_description: "This server answers at https://a.example.com only.",
      },
    }),
    "PUBLIC_URL",
    /answers at https:\/\/a\.example\.com only/,
    /Set PUBLIC_URL to http:\/\/127\.0\.0\.1:\d+/,
  ],
  [
    "a missing setting",
    {
      settingProblems: [
        {
          setting: "N8N_API_KEY",
          problem: "The setting N8N_API_KEY is missing.",
          solution: "Create a read-only key.",
        },
      ],
    },
    "setting N8N_API_KEY",
    /is missing/,
    /Create a read-only key/,
  ],
  [
    "a deployed server that lacks settings",
    answering("/", {
      status: 200,
      body: "<title>Almost there · n8n-observer</title> this server needs its settings",
    }),
    "settings",
    /missing or malformed/,
    /npm run setup/,
  ],
  [
    "a proxy that swallows /.well-known",
    answering("/.well-known/oauth-protected-resource/mcp", { status: 404, body: "not here" }),
    "resource metadata",
    /HTTP 404/,
    /\.well-known/,
  ],
  [
    "a proxy that does not hand on https",
    { publicUrl: "http://observer.example.com" },
    "resource metadata",
    /names http:\/\/observer\.example\.com\/mcp/,
    /scheme/,
  ],
  [
    "no sign-in metadata",
    answering("/.well-known/oauth-authorization-server", { status: 502, body: "bad gateway" }),
    "sign-in metadata",
    /HTTP 502/,
    /\/register/,
  ],
  [
    "a malformed sign-in setting",
    answering("/.well-known/oauth-authorization-server", {
      status: 503,
      body: { error: "server_error", error_description: "The setting SERVICE_TOKENS has a malformed entry." },
    }),
    "sign-in metadata",
    /SERVICE_TOKENS has a malformed entry/,
    /Set what it names/,
  ],
  [
    "registration refused",
    answering("/register", {
      status: 400,
      body: { error: "invalid_redirect_uri", error_description: "This redirect URI is not allowed." },
    }),
    "registration",
    /not allowed/,
    /ALLOWED_REDIRECT_HOSTS/,
  ],
  [
    "a refusal without WWW-Authenticate",
    answeringMcp(false, { status: 401 }),
    "refusal without a token",
    /no WWW-Authenticate/,
    /hand on the header/,
  ],
  [
    "a server that needs no token",
    answeringMcp(false, { status: 200, body: {} }),
    "refusal without a token",
    /without a token/,
    /Stop the server/,
  ],
  [
    "an unknown token",
    answeringMcp(true, { status: 401, body: {} }),
    "tool call",
    /does not accept this token/,
    /SERVICE_TOKENS/,
  ],
  [
    "settings that make every call fail",
    answeringMcp(true, { status: 503, body: {} }),
    "tool call",
    /while a setting is wrong/,
    /npm run admin status/,
  ],
  [
    "an unreachable n8n",
    {
      checks: [
        {
          check: "n8n reachable",
          status: "fail",
          detail: "n8n cannot be reached.",
          solution: "See that n8n runs.",
        },
      ],
    },
    "n8n reachable",
    /cannot be reached/,
    /See that n8n runs/,
  ],
];

describe("a broken set-up is diagnosed:", () => {
  test.each(BROKEN)("%s", async (_name, faults, check, detail, solution) => {
    const failed = (await diagnoseWith(faults)).filter(({ status }) => status === "fail");
    const finding = failed.find((each) => each.check === check);
    expect(finding?.detail).toMatch(detail);
    expect(finding?.solution).toMatch(solution);
    // The fault is named, without many consequences of it.
    expect(failed.length).toBeLessThanOrEqual(3);
    expect(renderFindings(failed)).not.toContain(TOKEN);
  });

  test("an unknown host", async () => {
    const findings = await diagnose({ origin: "https://observer.invalid" });
    expect(findings).toMatchObject([{ check: "DNS", status: "fail" }]);
    expect(findings[0]?.solution).toContain("spelled");
  });

  test("a port where nothing listens", async () => {
    const gone = await playServer();
    await gone.close();
    const findings = await diagnose({ origin: gone.origin });
    expect(findings.at(-1)).toMatchObject({ check: "port", status: "fail" });
    expect(findings.at(-1)?.detail).toContain("Nothing listens");
  });

  test("https at an http server", async () => {
    server = await playServer();
    const findings = await diagnose({ origin: server.origin.replace("http:", "https:") });
    expect(findings.at(-1)).toMatchObject({ check: "TLS", status: "fail" });
    expect(findings.at(-1)?.detail).toContain("does not speak https");
  });

  test("plain http to another machine, to which nothing is sent", async () => {
    const findings = await diagnose({ origin: "http://observer.example.com", token: TOKEN });
    expect(findings).toMatchObject([{ check: "address", status: "fail" }]);
  });

  test("a wrong clock, as a warning", async () => {
    const findings = await diagnoseWith({ clockSkewMs: 10 * 60_000 });
    expect(problemsIn(findings)).toMatchObject([{ check: "clock", status: "warning" }]);
    expect(problemsIn(findings)[0]?.detail).toMatch(/(?:599|600) s ahead/);
  });

  test("a certificate that expires soon, as a warning", async () => {
    const findings = await diagnoseWith(certified({ notAfter: new Date(Date.now() + 5 * DAY_MS) }));
    expect(problemsIn(findings)).toMatchObject([{ check: "TLS", status: "warning" }]);
  });

  test("an index that cannot read n8n, in the words of check_connection", async () => {
    const index = {
      check: "history index",
      status: "warning",
      detail: "It could not read n8n by itself.",
      solution: "It tries again.",
    };
    const findings = await diagnoseWith({ checks: [CHECKS[0], index] });
    expect(problemsIn(findings)).toMatchObject([index]);
  });
});

describe("the pages of a deployed server", () => {
  const props = {
    connectorUrl: "https://observer.example.com/mcp",
    isLoopback: false,
    instances: [],
    histories: [],
    now: 0,
    problems: [],
    signInMethods: { passphrase: true },
    hasPage: false,
  };
  const problem = { setting: "AUDIT_DAYS", problem: "It is no number.", solution: "Set a number." };

  test.each([
    ["the start page", String(landingPage(props)), "pass"],
    [
      "the start page of a server that lacks a setting",
      String(landingPage({ ...props, problems: [problem] })),
      "fail",
    ],
    [
      "the first-run page",
      String(firstRunPage({ hasN8n: false, hasWayIn: true, hasOtherProblem: false })),
      "fail",
    ],
  ])("%s is recognized", async (_name, page, status) => {
    const findings = await diagnoseWith(answering("/", { status: 200, body: page }));
    expect(findings.find(({ check }) => check === "start page")?.status).toBe("pass");
    expect(findings.find(({ check }) => check === "settings")?.status).toBe(status);
  });
});

test("control characters of a server are not printed", () => {
  const text = renderFindings([{ check: "a", status: "fail", detail: "x\u001B[2Jy", solution: "z\u0007" }]);
  expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

// JSON escapes only the control characters of ASCII, but U+009B begins a terminal sequence as ESC [ does.
test("a server's texts contain nothing that a terminal obeys, in lines and in JSON", () => {
  const detail = "It names https://a.example/\u009B2J\u001B]52;c;eA==\u0007\u202E, a\nline.";
  const findings: Finding[] = [{ check: "resource\u009Bmetadata", status: "fail", detail, solution: detail }];
  for (const text of [renderFindings(findings), renderJsonLines(findings)])
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(
    renderJsonLines(findings)
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(findings);
});
