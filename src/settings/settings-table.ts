/**
 * Every setting, described once. These rows are used to read `env` and by `npm run setup` and `npm run deploy`;
 * docs/settings.md, .dev.vars.example and the questions of the Deploy to Cloudflare button are generated from them.
 */
import * as z from "zod";
import { N8N_KEY_SCOPES } from "../platform/n8n-key-scopes.ts";
import { checkPattern, MAX_STEPS } from "../redaction/custom-patterns.ts";
import { isBaselineKey } from "../redaction/key-rules.ts";
import { accessRules } from "./access-rules.ts";
import { DEFAULT_DOCUMENTS, parseDocumentSources } from "./document-rules.ts";
import { parseN8nHeaders } from "./n8n-headers.ts";
import { ORGANISATION } from "./organisation-settings.ts";
import { defaultRedirectRules, parseRedirects } from "./redirect-rules.ts";
import {
  list,
  MINIMUM_SECRET_LENGTH,
  oneOf,
  onOrOff,
  onOrOffWord,
  onUnlessOff,
  parsed,
  refusal,
  SCOPES,
  type Settings,
  safeUrl,
  sha256,
  whole,
  wholeNumberOrOff,
} from "./values.ts";

const address = safeUrl("is not a usable address")
  .transform((url) => url.origin + url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, ""))
  .optional();
const ADDRESS_RULE =
  "It must be an https URL (http only for localhost), without user, query or fragment. Leave /api/v1 out.";

/** Shorter passphrases can be guessed despite the lock-out. */
const MINIMUM_PASSPHRASE_LENGTH = 12;

const FIRST = {
  N8N_BASE_URL: {
    value: address,
    about:
      "Address at which you open n8n, without `/api/v1`. A deployed server reaches only what is on the internet, by https; http is for n8n on the server's own machine",
    without: "Nothing can be answered",
    fix: `Set it to the address of n8n, for example https://n8n.example.com. ${ADDRESS_RULE}`,
    needed: "always",
    isAsked: true,
    example: "https://n8n.example.com",
  },
  N8N_API_KEY: {
    value: z
      .string()
      .regex(/^[\x21-\x7e]+$/, "has characters that do not occur in a key")
      .min(MINIMUM_SECRET_LENGTH, "is too short for a key")
      .optional(),
    about: `Key for n8n's public API: in n8n, **Settings > n8n API**. [Scopes that only read](deploy.md#the-n8n-key) are enough: ${N8N_KEY_SCOPES.map((scope) => `\`${scope}\``).join(", ")}`,
    without: "Nothing can be answered",
    fix: `In n8n, under Settings > n8n API, create an API key with the scopes ${N8N_KEY_SCOPES.join(", ")} and no others. Copy the whole of it, without spaces or line breaks.`,
    isSecret: true,
    needed: "always",
    isAsked: true,
  },
  ACCESS_PASSPHRASE: {
    value: z.string().min(MINIMUM_PASSPHRASE_LENGTH, "is too short").optional(),
    about: `What people type on the consent page: ${MINIMUM_PASSPHRASE_LENGTH} characters or more, for example from \`openssl rand -base64 24\`. One for everybody; for several people use [sign-in at an organisation](sign-in/README.md)`,
    without: "Sign-in with a passphrase is disabled",
    fix: `Use at least ${MINIMUM_PASSPHRASE_LENGTH} characters, for example from \`openssl rand -base64 24\`.`,
    isSecret: true,
    needed: "unless people sign in at an organisation",
    isAsked: true,
  },
  PUBLIC_URL: {
    value: safeUrl("is not an origin")
      .refine((url) => url.pathname === "/", "is not an origin")
      .transform((url) => url.origin)
      .optional(),
    about:
      "The origin that clients use, without a path. It is part of every token: changing it ends every sign-in",
    without: "On `workers.dev`, the address of the first sign-in; on this machine `http://localhost:<port>`",
    fix: "Set it to the origin that clients use, for example https://n8n-observer.example.workers.dev. https only (http for localhost), no path.",
    needed: "at a domain of your own",
    example: "https://observer.example.com",
  },
} as const satisfies Settings;

/** https://developers.cloudflare.com/durable-objects/reference/data-location/ */
const REGIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;

/** Paths inside an item, headers, custom data, a chat's session. */
const DEFAULT_REQUEST_ID_PATHS = [
  "body.context.requestId",
  "body.requestId",
  "context.requestId",
  "requestId",
  "headers.x-request-id",
  "customData.requestId",
  "headers.traceparent",
  "sessionId",
  "chatId",
];
/** Longer ids are not stored in full. */
const MAX_PATH = 200;
const API_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]{1,100}){1,8}$/;

/** A trace id that no template contains by chance. */
const ANY_TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

/** The host must not depend on the trace id, which a caller of a webhook can choose. */
function checkTraceUrl(template: string, { addIssue }: z.RefinementCtx): void {
  const refuse = (message: string) => addIssue({ code: "custom", message });
  const address = template.replaceAll("{traceId}", ANY_TRACE_ID);
  if (!/^https?:\/\/[^\s"'<>\\`]+$/i.test(address) || !URL.canParse(address)) {
    refuse("is not an http or https address");
    return;
  }
  const { username, password, host, pathname, search, hash } = new URL(address);
  if (`${username}${password}` !== "") refuse("contains a user or a password");
  else if (host.includes(ANY_TRACE_ID)) refuse("has {traceId} in its host");
  else if (!`${pathname}${search}${hash}`.includes(ANY_TRACE_ID)) refuse("has no {traceId}");
}

const N8N = {
  N8N_HEADERS: {
    value: z.string().transform(parseN8nHeaders).default({}),
    about:
      "Additional request headers for n8n, one per line, if [a proxy or Cloudflare Access](private-network.md) is in front of it",
    without: "None are sent",
    isSecret: true,
    example: '"CF-Access-Client-Id: <id>\\nCF-Access-Client-Secret: <secret>"',
  },
  N8N_API_PATH: {
    value: z
      .string()
      .transform((path) => path.replace(/\/+$/, ""))
      .pipe(z.string().regex(API_PATH, "is not a path"))
      .optional(),
    about: "Path of n8n's public API below `N8N_BASE_URL`",
    without: "`/api/v1`",
    fix: "Set it to the path of n8n's public API below N8N_BASE_URL, as in /automation-api/v1 (N8N_PUBLIC_API_ENDPOINT and /v1), or leave it out: /api/v1 is the default.",
    example: "/automation-api/v1",
  },
  N8N_EDITOR_URL: {
    value: address,
    about: "Where people open n8n: links in answers lead there, and the consent page names its host",
    without: "`N8N_BASE_URL`",
    fix: ADDRESS_RULE,
    example: "https://n8n.example.com",
  },
  TRACE_URL: {
    value: z.string().superRefine(checkTraceUrl).optional(),
    about:
      "Where a trace opens in your tracing tool, with `{traceId}` in it, for an n8n that [writes OpenTelemetry](observability.md#traces-of-n8n). Callers see it, so it must hold no secret",
    without: "Answers give the trace id without a link",
    fix: "Set it to the address of a trace with {traceId} in its path, query or fragment, for example https://jaeger.example.com/trace/{traceId}. http or https, without user, password, spaces or quotation marks.",
    example: "https://jaeger.example.com/trace/{traceId}",
  },
  N8N_INSTANCES: {
    // Each instance is checked as the settings of a single n8n are, by `readInstances`.
    value: z.string().optional(),
    about:
      "[More than one n8n](instances.md), as JSON, in place of `N8N_BASE_URL`, `N8N_API_KEY` and the three above",
    without: "One n8n, that of `N8N_BASE_URL`",
    isSecret: true,
    example:
      '\'{"prod":{"baseUrl":"https://n8n.example.com","apiKey":"<key>"},"staging":{"baseUrl":"https://staging.n8n.example.com","apiKey":"<key>"}}\'',
  },
  N8N_KEYS: {
    value: oneOf(["shared", "personal"], "is neither shared nor personal").default("shared"),
    about:
      "`personal`: each person gives [an n8n key of their own](sign-in/personal-keys.md) at sign-in, and sees what n8n shows to that key",
    without: "`shared`: `N8N_API_KEY` reads for everybody",
    fix: "Set it to shared (N8N_API_KEY reads for everybody, the default) or to personal (each person gives a key of their own at sign-in).",
    example: "personal",
  },
  N8N_LOCATION_HINT: {
    value: oneOf(REGIONS, "is not one of Cloudflare's regions").optional(),
    about: "[Region near n8n](deploy.md#near-n8n) for what this server stores: `weur`, `enam`, …",
    without: "Cloudflare chooses",
    fix: `Set it to the one nearest to n8n (${REGIONS.join(", ")}), or leave it out.`,
    example: "weur",
  },
  REQUEST_ID_PATHS: {
    value: list(
      z
        .string()
        .max(MAX_PATH, "has a malformed path")
        .regex(/^[^.\s]+(\.[^.\s]+)*$/, "has a malformed path"),
    )
      .refine((paths) => paths.length > 0, "names no path")
      .default(DEFAULT_REQUEST_ID_PATHS),
    about:
      "Paths to the request id in an execution, separated by commas. A path also counts as the end of a longer one",
    without: DEFAULT_REQUEST_ID_PATHS.map((path) => `\`${path}\``).join(", "),
    fix: `List dotted paths of at most ${MAX_PATH} characters separated by commas, for example: ${DEFAULT_REQUEST_ID_PATHS.join(", ")}.`,
    example: DEFAULT_REQUEST_ID_PATHS.join(","),
  },
} as const satisfies Settings;

const tokenEntry = z.tuple(
  [z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), sha256, z.enum(SCOPES)],
  z.enum(SCOPES),
);

const SIGN_IN = {
  SERVICE_TOKENS: {
    value: list(
      parsed((entry) => {
        const [name, hash, ...scopes] = tokenEntry.safeParse(entry.split(/\s+/)).data ?? [];
        return name === undefined || hash === undefined
          ? undefined
          : { name, sha256: hash, scopes: [...new Set(scopes)] };
      }),
      /[;\n]/,
    )
      .refine(
        (tokens) => new Set(tokens.map(({ name }) => name)).size === tokens.length,
        refusal("uses a name twice", "Give each entry a name of its own: it is the caller's identity."),
      )
      .default([]),
    about:
      "Clients without a browser: `name sha256-hex scope scope…`, separated by `;` or new lines; `npm run admin token` makes them ([how](deploy.md#headless-clients))",
    without: "Clients without a browser cannot connect",
    fix: `Each entry is: name, SHA-256 of the token in hex, then scopes (${SCOPES.join(", ")}), separated by spaces. Entries are separated by ";" or new lines.`,
    isSecret: true,
    example: '"nightly-report <sha256> n8n:read; support <sha256> n8n:read n8n:data"',
  },
  ACCESS_RULES: {
    value: accessRules.optional(),
    about:
      "[Who may see which workflows](sign-in/rules.md), as JSON: what no rule gives, nobody sees. The lists of who may sign in, and of who may see payloads, still apply",
    without: "Whoever may sign in sees every workflow",
    fix: "Write a JSON list of rules, each with who, see and scopes. docs/sign-in/rules.md shows each member.",
    example:
      '\'[{"who":{"groups":["support"]},"see":{"workflows":{"tags":["orders"]}},"scopes":["n8n:read"]},{"who":{"emails":["ada@example.com"]},"see":"all","scopes":["n8n:read","n8n:data"]}]\'',
  },
  ALLOWED_REDIRECT_HOSTS: {
    value: list(parsed(parseRedirects))
      .refine((entries) => entries.length > 0, "names no host")
      .transform((entries) => entries.flat())
      .default([...defaultRedirectRules]),
    about: "Where apps may have access sent to: hosts or callbacks. `default` stands for the built-in list",
    without: "[Well-known apps, and apps on the user's own computer](clients.md)",
    fix: 'List hosts (agents.example.com), whole callbacks (https://agents.example.com/callback; a last segment "*" is any one segment), "loopback", "n8n" for the callback of your own n8n, or "default" for the built-in list, separated by commas.',
    example: '"default, https://agents.example.com/callback"',
  },
  CLIENT_ID_DOCUMENTS: {
    value: z
      .string()
      .transform((text) => (text.toLowerCase() === "off" ? "" : text))
      .pipe(list(parsed(parseDocumentSources)))
      .transform((entries) => entries.flat())
      .default([...DEFAULT_DOCUMENTS]),
    about:
      "Hosts whose [documents](clients.md#apps-that-are-described-by-a-document) may describe an app, or single documents. `default` stands for the built-in list, `off` for none",
    without: "[Those of well-known apps](clients.md#apps-that-are-described-by-a-document)",
    fix: 'List hosts such as apps.example.com, without scheme, port or path, or whole addresses of documents (https://apps.example.com/client.json), or "default" for the built-in list, separated by commas; or set it to off.',
    example: '"default, apps.example.com"',
  },
  CLIENT_REGISTRATION: {
    ...onUnlessOff,
    about:
      "`off`: apps cannot register by themselves; only those that are described by a document, and those that registered before, can sign in",
  },
} as const satisfies Settings;

const keyName = z.string().regex(/^[\p{L}\p{N}_. -]{2,100}$/u, "has a malformed name");
const KEY_NAMES_RULE =
  "List names of keys separated by commas, for example: customerNumber, x-tenant-key. The way they are spelled (camelCase, snake_case, kebab-case) makes no difference.";

const MAX_PATTERNS = 50;
/** Line by line, since a pattern may hold any other separator. */
const patterns = list(
  z.string().transform((line, context) => {
    const checked = checkPattern(line);
    if (!("problem" in checked)) return checked;
    context.addIssue({ code: "custom", message: `has a pattern that is refused: it ${checked.problem}` });
    return z.NEVER;
  }),
  /\r?\n/,
)
  .refine(
    ({ length }) => length <= MAX_PATTERNS,
    refusal(`has more than ${MAX_PATTERNS} patterns`, "Join some of them with |."),
  )
  .refine(
    (checked) => checked.reduce((sum, { steps }) => sum + steps, 0) <= MAX_STEPS,
    refusal(
      `has patterns that together can examine more than ${MAX_STEPS} characters from one position, which is slow`,
      "Narrow their repetitions, or let them begin with what only such a secret begins with. docs/redaction.md says how it is counted.",
    ),
  )
  .transform((checked) => checked.map(({ pattern }) => pattern));

const SHOWN = {
  ERROR_TEXT: {
    value: oneOf(["data", "read"], "is neither data nor read").default("data"),
    about:
      "`read`: every caller sees what errors say in their own words, which may hold people's data; the consent page says so",
    without: "`data`: callers with `n8n:data`",
    fix: "Set it to data (errors' own texts need n8n:data, the default) or to read (every caller is shown them).",
    example: "read",
  },
  REDACT_KEYS: {
    value: list(keyName).default([]),
    about: "Names of additional keys whose values are redacted, separated by commas",
    without: "[What is always redacted](redaction.md)",
    fix: KEY_NAMES_RULE,
    example: "customerNumber,x-tenant-key",
  },
  REDACT_PATTERNS: {
    value: patterns.default([]),
    about: "Additional secrets by their form: regular expressions, one per line. Slow ones are refused",
    without: "The same",
    fix: "Write one regular expression per line, for example ACME-[A-Z0-9]{8,32} or /acme-\\d{6}/i. docs/redaction.md says which are accepted.",
    example: '"ACME-[A-Z0-9]{8,32}"',
  },
  REDACT_ALLOW: {
    value: list(
      keyName.refine(
        (name) => !isBaselineKey(name),
        refusal(
          "names a key that is always redacted",
          "Take it out: passwords, secrets, keys, cookies and authorization cannot be allowed.",
        ),
      ),
    ).default([]),
    about: "Keys that only look secret, such as `deviceToken`. Passwords, keys and cookies cannot be allowed",
    without: "The same",
    fix: KEY_NAMES_RULE,
    example: "deviceToken",
  },
  PAGES: {
    value: onOrOffWord.optional(),
    about: "[The page for people](app.md), at `/app`; answers then carry its address as `pageUrl`",
    without: "`on` where people can sign in, with a passphrase or at an organisation",
    fix: "Set it to on or off, or leave it out: it is on where people can sign in.",
    example: "off",
  },
  REDACT_PII: {
    ...onOrOff,
    about:
      "`on` redacts e-mail addresses and telephone numbers, too. Cards, IBANs and US social security numbers are redacted anyway",
  },
} as const satisfies Settings;

const LIMITS = {
  // A trace sends two requests at a time, and a third gains nothing, so this serves two traces in parallel.
  N8N_MAX_CONCURRENT: { ...whole(1, 100, 4), about: "Requests at the same time" },
  // Fifty users who call every eight seconds need 800; a single greedy user leaves more than that (docs/limits.md).
  N8N_REQUESTS_PER_MINUTE: { ...whole(20, 100_000, 2_400), about: "Requests in any minute" },
  INDEX_INTERVAL: {
    ...wholeNumberOrOff(10, 3_600, 60),
    about:
      "Seconds between checks of the [history index](history-index.md) for new executions (`off`: it checks only on request)",
  },
  INDEX_DAYS: { ...whole(1, 3_650, 30), about: "How many days back the history index reads by itself" },
  INDEX_MAX_EXECUTIONS: {
    ...whole(1_000, 5_000_000, 1_000_000),
    about: "How many executions the history index keeps (the oldest are removed first)",
  },
} as const satisfies Settings;

export const MAXIMUM_AUDIT_DAYS = 365;

const OPERATOR = {
  OPERATOR_TOKEN_SHA256: {
    value: sha256.optional(),
    about: "SHA-256, in hex, of the token for the operator's commands ([how](audit.md#who-the-operator-is))",
    without:
      "`npm run admin audit`, `npm run admin users`, `npm run admin index` and `npm run index` are disabled",
    fix: "It is the hash of the operator's token, 64 hex digits, never the token itself. A token: openssl rand -base64 32. Its hash: printf %s '<token>' | sha256sum.",
    isSecret: true,
    example: "<sha256>",
  },
  AUDIT_DAYS: {
    ...whole(1, MAXIMUM_AUDIT_DAYS, 30),
    about: "Days for which [who called what and who signed in](audit.md) is kept",
  },
} as const satisfies Settings;

export interface SettingGroup {
  readonly title: string;
  /** A sentence about all of them, in Markdown. */
  readonly note?: string;
  readonly settings: Settings;
}

export const SETTING_GROUPS: readonly SettingGroup[] = [
  { title: "The four that you need", settings: FIRST },
  { title: "n8n", settings: N8N },
  { title: "Sign-in", settings: SIGN_IN },
  {
    title: "Sign-in at an organisation",
    note: "All of them, with a page for each provider: [sign-in for an organisation](sign-in/README.md).",
    settings: ORGANISATION,
  },
  { title: "What is shown", settings: SHOWN },
  {
    title: "How much n8n is asked",
    note: "For each n8n, by all users together: [limits](limits.md#how-much-may-be-asked).",
    settings: LIMITS,
  },
  { title: "The operator", settings: OPERATOR },
];

export const SETTINGS = { ...FIRST, ...N8N, ...SIGN_IN, ...ORGANISATION, ...SHOWN, ...LIMITS, ...OPERATOR };
export type SettingName = keyof typeof SETTINGS;
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName);
