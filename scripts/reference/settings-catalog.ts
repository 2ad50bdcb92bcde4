/**
 * Every setting, as docs/settings.md tells it. Which settings there are, and their defaults and bounds, is the business
 * of src/settings: defaults are read from there, and `test/scripts/settings-reference.test.ts` holds the names against
 * what the code reads and against .dev.vars.example.
 */
import {
  DEFAULT_AUDIT_DAYS,
  DEFAULT_REQUEST_ID_PATHS,
  MAXIMUM_AUDIT_DAYS,
  readHistoryIndexSettings,
  readN8nLimits,
} from "../../src/settings/index.ts";

export interface Setting {
  readonly name: string;
  /** Whether it is set with `wrangler secret put`, so that nobody can read it again. */
  readonly isSecret?: true;
  /** When it cannot be left out. */
  readonly needed?: string;
  /** What holds without it, as a sentence or a value. */
  readonly without: string;
  /** What it does, in Markdown, with links relative to docs. */
  readonly text: string;
}

export interface SettingGroup {
  readonly title: string;
  /** What holds for all of them. */
  readonly note?: string;
  readonly settings: readonly Setting[];
}

/** The lists of people, alike for who may enter and who may see payloads. */
const LISTS = {
  EMAILS: "addresses",
  EMAIL_DOMAINS: "domains of addresses",
  GROUPS: "groups, as the provider names them",
  OBJECT_IDS: "Entra's `<tenant id>/<object id>`",
} as const;

const limits = readN8nLimits({});
const index = readHistoryIndexSettings({});
const whole = (count: number): string => `\`${count}\``;

export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    title: "The four that you need",
    settings: [
      {
        name: "N8N_BASE_URL",
        needed: "always",
        without: "Nothing can be answered",
        text: "Address of n8n, without `/api/v1`. https; http only for n8n on this machine",
      },
      {
        name: "N8N_API_KEY",
        isSecret: true,
        needed: "always",
        without: "Nothing can be answered",
        text: "Key for n8n's public API: in n8n, Settings > n8n API. [Scopes that only read](deploy.md#the-n8n-key) are enough",
      },
      {
        name: "ACCESS_PASSPHRASE",
        isSecret: true,
        needed: "unless people sign in at an organisation",
        without: "Sign-in with a passphrase is disabled",
        text: "What people type on the consent page: 12 characters or more. One for everybody; for several people use [sign-in at an organisation](sign-in/README.md)",
      },
      {
        name: "PUBLIC_URL",
        needed: "at a domain of your own",
        without:
          "On `workers.dev`, the address of the first sign-in; on this machine `http://localhost:<port>`",
        text: "The origin that clients use, without a path. It is part of every token: changing it ends every sign-in",
      },
    ],
  },
  {
    title: "n8n",
    settings: [
      {
        name: "N8N_HEADERS",
        isSecret: true,
        without: "None are sent",
        text: "Further request headers for n8n, one a line, when [a proxy or Cloudflare Access](private-network.md) stands in front of it",
      },
      {
        name: "N8N_API_PATH",
        without: "`/api/v1`",
        text: "Path of n8n's public API below `N8N_BASE_URL`",
      },
      {
        name: "N8N_EDITOR_URL",
        without: "`N8N_BASE_URL`",
        text: "Where people open n8n: links in answers lead there, and the consent page names its host",
      },
      {
        name: "N8N_INSTANCES",
        isSecret: true,
        without: "One n8n, that of `N8N_BASE_URL`",
        text: "[More than one n8n](instances.md), as JSON, in place of `N8N_BASE_URL`, `N8N_API_KEY` and the three above",
      },
      {
        name: "N8N_LOCATION_HINT",
        without: "Cloudflare chooses",
        text: "[Region near n8n](deploy.md#near-n8n) for what this server stores: `weur`, `enam`, …",
      },
      {
        name: "REQUEST_ID_PATHS",
        without: DEFAULT_REQUEST_ID_PATHS.map((path) => `\`${path}\``).join(", "),
        text: "Where in an execution request ids stand, separated by commas. A path also counts as the end of a longer one",
      },
    ],
  },
  {
    title: "Sign-in",
    settings: [
      {
        name: "SERVICE_TOKENS",
        isSecret: true,
        without: "Clients without a browser cannot connect",
        text: "Clients without a browser: `name sha256-hex scope scope…`, separated by `;` or new lines ([how](deploy.md#headless-clients))",
      },
      {
        name: "ALLOWED_REDIRECT_HOSTS",
        without: "[Well-known apps, and apps on the user's own computer](clients.md)",
        text: "Where apps may have access sent to: hosts or callbacks. `default` stands for the built-in list",
      },
      {
        name: "CLIENT_ID_DOCUMENTS",
        without: "`off`",
        text: "Hosts whose [documents](clients.md#apps-that-are-described-by-a-document) may describe an app",
      },
    ],
  },
  {
    title: "Sign-in at an organisation",
    note: "All of them, with a page for each provider: [sign-in for an organisation](sign-in/README.md).",
    settings: [
      {
        name: "OIDC_ISSUER",
        needed: "for this sign-in",
        without: "Sign-in at an organisation is disabled",
        text: "The OpenID provider's issuer: the address before `/.well-known/openid-configuration`",
      },
      {
        name: "OIDC_CLIENT_ID",
        needed: "with `OIDC_ISSUER`",
        without: "–",
        text: "Id of the client that you registered there",
      },
      {
        name: "OIDC_CLIENT_SECRET",
        isSecret: true,
        needed: "with `OIDC_ISSUER`",
        without: "–",
        text: "Its secret",
      },
      { name: "OIDC_SCOPES", without: "`openid profile email`", text: "What is asked of the provider" },
      { name: "OIDC_GROUPS_CLAIM", without: "`groups`", text: "The claim that lists a person's groups" },
      {
        name: "OIDC_TRUST_EMAIL",
        without: "`off`",
        text: "`on`: an address counts as verified unless the provider says that it is not",
      },
      {
        name: "OIDC_SESSION_HOURS",
        without: "`24`",
        text: "Hours after which everyone has to sign in again: 1 to 720",
      },
      ...Object.entries(LISTS).map(([list, what]) => ({
        name: `ALLOWED_${list}`,
        without: "Lets nobody in",
        text: `Who may sign in: ${what}`,
      })),
      ...Object.entries(LISTS).map(([list, what]) => ({
        name: `DATA_${list}`,
        without: "Gives `n8n:data` to nobody",
        text: `Who of those may see payloads: ${what}`,
      })),
    ],
  },
  {
    title: "What is shown",
    settings: [
      {
        name: "ERROR_TEXT",
        without: "`data`: callers with `n8n:data`",
        text: "`read`: every caller sees what errors say in their own words, which may hold people's data; the consent page says so",
      },
      {
        name: "REDACT_KEYS",
        without: "[What is always redacted](redaction.md)",
        text: "Names of further keys whose values are redacted, separated by commas",
      },
      {
        name: "REDACT_PATTERNS",
        without: "The same",
        text: "Further secrets by their form: regular expressions, one a line. A slow one is refused",
      },
      {
        name: "REDACT_ALLOW",
        without: "The same",
        text: "Keys that only look secret, such as `deviceToken`. Passwords, keys and cookies cannot be allowed",
      },
      {
        name: "REDACT_PII",
        without: "`off`",
        text: "`on` redacts e-mail addresses and telephone numbers, too. Cards, IBANs and US social security numbers are redacted anyway",
      },
    ],
  },
  {
    title: "How much n8n is asked",
    note: "For each n8n, by all users together: [limits](limits.md#how-much-may-be-asked).",
    settings: [
      {
        name: "N8N_MAX_CONCURRENT",
        without: whole(limits.maxConcurrent),
        text: "Requests at the same time: 1 to 100",
      },
      {
        name: "N8N_REQUESTS_PER_MINUTE",
        without: whole(limits.requestsPerMinute),
        text: "Requests in any minute: 20 to 100000",
      },
      {
        name: "INDEX_INTERVAL",
        without: whole((index.intervalMs ?? 0) / 1_000),
        text: "Seconds between two looks of the [history index](history-index.md) at what is new: 10 to 3600; `off`: it looks only when somebody asks",
      },
      {
        name: "INDEX_DAYS",
        without: whole(index.days),
        text: "How many days back the history index reads by itself: 1 to 3650",
      },
      {
        name: "INDEX_MAX_EXECUTIONS",
        without: whole(index.maxExecutions),
        text: "How many executions the history index keeps: 1000 to 5000000. The oldest make room",
      },
    ],
  },
  {
    title: "The operator",
    settings: [
      {
        name: "OPERATOR_TOKEN_SHA256",
        isSecret: true,
        without: "`npm run admin audit`, `npm run admin users` and `npm run admin index` are disabled",
        text: "SHA-256, in hex, of the token for these commands ([how](audit.md#who-the-operator-is))",
      },
      {
        name: "AUDIT_DAYS",
        without: whole(DEFAULT_AUDIT_DAYS),
        text: `Days for which [who called what and who signed in](audit.md) is kept: 1 to ${MAXIMUM_AUDIT_DAYS}`,
      },
    ],
  },
];
