/** Every page of ours in each of its forms, with the longest texts that it may hold. */
import type { Page as BrowserPage } from "playwright-core";
import { type ConsentPageProps, consentPage } from "../../../src/pages/consent.tsx";
import { failurePage } from "../../../src/pages/failure.tsx";
import { firstRunPage } from "../../../src/pages/first-run.tsx";
import { landingPage } from "../../../src/pages/landing.tsx";
import { leavePage } from "../../../src/pages/leave.tsx";
import { privacyPage } from "../../../src/pages/privacy.tsx";
import type { Page } from "../../../src/pages/respond.ts";
import { DEFAULT_RETENTION, storedData } from "../../../src/privacy/stored-data.ts";

const PROVIDER = "login.acme.example";

const deployed = {
  connectorUrl: "https://n8n-observer.acme.workers.dev/mcp",
  isLoopback: false,
  instances: [],
  histories: [],
  now: 0,
  hasPage: true,
};
/** The longest progress of an index. */
const history = {
  instance: "production-of-the-whole-group",
  percent: 41,
  executions: 5_000_000,
  knownSince: "2026-09-30T08:00:00.000Z",
  syncedAt: "2026-11-20T08:00:00.000Z",
};
const problem = {
  setting: "N8N_API_KEY",
  problem: "The setting N8N_API_KEY is missing.",
  solution: "Create a key in n8n under Settings > n8n API.",
};
const claude = {
  clientName: "Claude",
  redirectHost: "claude.ai",
  redirectIsLoopback: false,
  redirectIsN8n: false,
  instances: ["n8n.acme.example"],
  hasRules: false,
  handle: "handle",
  errorTextForAll: false,
};
const longest = {
  instances: [
    `production-of-the-whole-group (${"n8n-of-a-very-long-name".repeat(2)}.example)`,
    "staging (n8n.staging.example)",
    "development (localhost:5678)",
    "17 more",
  ],
  clientName: "W".repeat(200),
  redirectHost: `${"a-very-long-label-of-a-host".repeat(2)}.${"b".repeat(60)}.example`,
};

/** The consent page for Claude, with other facts. */
const consent = (facts: Pick<ConsentPageProps, "signInMethods"> & Partial<ConsentPageProps>) => () =>
  consentPage({ ...claude, ...facts });

export const PAGE_VARIANTS: Record<string, () => Page> = {
  privacy: () => privacyPage(storedData(DEFAULT_RETENTION)),
  "start page": () =>
    landingPage({ ...deployed, problems: [], signInMethods: { passphrase: false, provider: PROVIDER } }),
  "start page on this machine, not ready": () =>
    landingPage({
      ...deployed,
      connectorUrl: "http://localhost:8787/mcp",
      isLoopback: true,
      instances: ["production-of-the-whole-group", "staging", "development"],
      problems: [problem],
      signInMethods: { passphrase: true },
    }),
  "start page on this machine": () =>
    landingPage({
      ...deployed,
      connectorUrl: "http://localhost:8787/mcp",
      isLoopback: true,
      instances: ["production-of-the-whole-group", "staging"],
      histories: [history, { ...history, instance: "staging", executions: 1 }],
      now: Date.parse("2026-11-20T08:00:59.000Z"),
      problems: [],
      signInMethods: { passphrase: true },
    }),
  "start page, deployed, not ready": () =>
    landingPage({ ...deployed, problems: [problem], signInMethods: { passphrase: false } }),
  "first run": () => firstRunPage({ hasN8n: false, hasWayIn: false, hasOtherProblem: true }),
  "first run, half done": () => firstRunPage({ hasN8n: true, hasWayIn: false, hasOtherProblem: false }),
  "consent with the passphrase": consent({ signInMethods: { passphrase: true } }),
  "consent with the passphrase, of an app on this computer": consent({
    clientName: "Claude Code",
    redirectHost: "localhost",
    redirectIsLoopback: true,
    signInMethods: { passphrase: true },
  }),
  "consent with the passphrase, of an n8n": consent({
    clientName: "n8n",
    redirectHost: "n8n.example.com",
    redirectIsN8n: true,
    signInMethods: { passphrase: true },
  }),
  "consent with a provider": consent({
    chosen: "n8n:data",
    errorTextForAll: true,
    signInMethods: { passphrase: false, provider: PROVIDER },
  }),
  "consent with either": consent({ signInMethods: { passphrase: true, provider: PROVIDER } }),
  "consent after a wrong passphrase": consent({
    clientName: "Claude Code",
    redirectHost: "127.0.0.1",
    redirectIsLoopback: true,
    chosen: "n8n:read",
    again: { reason: "wrong_passphrase", triesLeft: 3 },
    signInMethods: { passphrase: true },
  }),
  "consent without a choice": consent({
    again: { reason: "no_choice" },
    signInMethods: { passphrase: true, provider: PROVIDER },
  }),
  "consent for the longest names": consent({
    ...longest,
    signInMethods: { passphrase: true, provider: longest.redirectHost },
  }),
  failure: () =>
    failurePage({
      title: "This sign-in cannot continue",
      message: "This sign-in was not started in this browser, or it has taken too long.",
      solution:
        "Go back to your app and connect again. If that does not help, remove the connector there and add it again.",
    }),
  leaving: () => leavePage({ redirectTo: `https://${longest.redirectHost}/callback`, decision: "approved" }),
};

/** A secure origin, which the page's script needs for the clipboard. No server is contacted. */
const ADDRESS = "https://pages.example/";

/** Opens the variant in a browser, its script included. */
export async function openVariant(page: BrowserPage, name: string): Promise<void> {
  const variant = PAGE_VARIANTS[name];
  if (variant === undefined) throw new Error(`There is no page "${name}".`);
  const body = `<!doctype html>${await variant()}`;
  await page.route(ADDRESS, (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body }));
  await page.goto(ADDRESS);
  await page.unroute(ADDRESS);
}
