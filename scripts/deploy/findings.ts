/**
 * What a deployment of the current wrangler.toml would lack, one sentence each. Pure: it sees neither Cloudflare nor the
 * secrets that are set there.
 */
import type { Unstable_Config as WranglerConfig } from "wrangler";
import { isLoopbackHost, readPublicUrl, settingProblems } from "../../src/settings/index.ts";
import { SETTING_GROUPS, SETTINGS } from "../../src/settings/settings-table.ts";
import { text } from "../../src/settings/source.ts";
import { type Finding, fail, note, pass } from "../doctor/finding.ts";
import { describeUnknownSettings } from "../serve/settings.ts";

type Deployment = Pick<
  WranglerConfig,
  | ("name" | "workers_dev" | "vars" | "kv_namespaces" | "durable_objects" | "migrations")
  | ("ratelimits" | "triggers" | "placement")
>;

const KEY_VALUES = ["OAUTH_KV"];
const RATE_LIMITS = ["OPERATOR_CALLS", "CALL_LIMIT"];

/** @param classes of Durable Objects that the Worker has */
export function findings(deployment: Deployment, classes: readonly string[]): Finding[] {
  return [
    aboutAddress(deployment),
    ...aboutSettings(deployment),
    aboutSecrets(deployment),
    aboutBindings(deployment, classes),
    aboutCron(deployment),
    aboutPlacement(deployment),
  ];
}

function aboutAddress({ name, workers_dev: hasWorkersDev = true, vars }: Deployment): Finding {
  const about = "address";
  const own = `https://${name}.<your subdomain>.workers.dev`;
  const set = text(vars, "PUBLIC_URL");
  if (set === undefined) {
    return hasWorkersDev
      ? pass(
          about,
          `${own}; PUBLIC_URL is not set, so the server keeps the workers.dev address of its first sign-in.`,
        )
      : fail(about, "workers_dev is off and PUBLIC_URL is not set: nobody could reach this server.");
  }
  if (settingProblems(vars, set).some(({ setting }) => setting === "PUBLIC_URL"))
    return fail(
      about,
      `PUBLIC_URL is not an origin. Set it to https://… without a path, or leave it out for ${own}.`,
    );
  const { hostname } = new URL(readPublicUrl(vars, set));
  if (isLoopbackHost(hostname))
    return fail(about, `PUBLIC_URL is an address of your own machine. Leave it out for ${own}.`);
  const [first] = hostname.split(".");
  if (hostname.endsWith(".workers.dev") && first !== name)
    return fail(
      about,
      `PUBLIC_URL is not this Worker's address, which is ${own}. Leave it out, or set that.`,
    );
  return pass(about, `PUBLIC_URL is https://${hostname}; any other address gets a 421.`);
}

/** Settings that may be secrets instead of lines in wrangler.toml, filled in so that the rest can be read. */
const N8N_ELSEWHERE = { N8N_BASE_URL: "https://n8n.example.com", N8N_API_KEY: "set-as-a-secret" };
const OIDC_ELSEWHERE = {
  OIDC_ISSUER: "https://id.example.com",
  OIDC_CLIENT_ID: "set-elsewhere",
  OIDC_CLIENT_SECRET: "set-as-a-secret",
};

/** The rules name tokens and n8n instances, which are in secrets, so only their form can be checked here. */
const areRulesWellFormed = (vars: Deployment["vars"]): boolean =>
  SETTINGS.ACCESS_RULES.value.safeParse(text(vars, "ACCESS_RULES")).success;

function aboutSettings({ vars }: Deployment): Finding[] {
  const about = "settings";
  const given = Object.fromEntries(Object.entries(vars).filter(([name]) => text(vars, name) !== undefined));
  const unknown = describeUnknownSettings(Object.keys(given), "under [vars]");
  const baseUrl = text(given, "N8N_BASE_URL");
  const isLocalN8n = baseUrl !== undefined && isLoopbackHost(URL.parse(baseUrl)?.hostname ?? "");
  const elsewhere = { ...OIDC_ELSEWHERE, ...(given.N8N_INSTANCES === undefined ? N8N_ELSEWHERE : {}) };
  const malformed = settingProblems({ ...elsewhere, ...given }, "https://n8n-observer.example.com").filter(
    ({ setting }) => setting !== "PUBLIC_URL" && !(setting === "ACCESS_RULES" && areRulesWellFormed(given)),
  );
  const found = [
    ...malformed.map(({ problem, solution }) => fail(about, `${problem} ${solution}`)),
    ...unknown.map((sentence) => note(about, sentence)),
    ...(isLocalN8n
      ? [fail(about, "N8N_BASE_URL is on your own machine, where a deployed Worker cannot reach it.")]
      : []),
  ];
  if (found.length > 0) return found;
  const names = Object.keys(given);
  return [
    pass(about, names.length === 0 ? "None under [vars]." : `${names.join(", ")} under [vars]: well-formed.`),
  ];
}

const SECRET_SETTINGS = SETTING_GROUPS.flatMap(({ settings }) =>
  Object.entries(settings).flatMap(([name, { isSecret }]) => (isSecret ? [name] : [])),
);

function aboutSecrets({ vars }: Deployment): Finding {
  const about = "secrets";
  const inTheOpen = SECRET_SETTINGS.filter((name) => text(vars, name) !== undefined);
  if (inTheOpen.length > 0)
    return fail(
      about,
      `${inTheOpen.join(", ")} under [vars] can be read by everybody who sees the file. Take it out, make a new one, and use npx wrangler secret put.`,
    );
  const provider = Object.keys(OIDC_ELSEWHERE);
  const usesProvider = Object.keys(vars).some((name) => name.startsWith("OIDC_"));
  const needed = [
    ...(text(vars, "N8N_BASE_URL") === undefined ? ["N8N_BASE_URL"] : []),
    "N8N_API_KEY",
    ...(usesProvider ? provider.filter((name) => text(vars, name) === undefined) : ["ACCESS_PASSPHRASE"]),
  ];
  return note(
    about,
    `Not checked: this cannot see which secrets are set. It needs ${needed.join(", ")}; npx wrangler secret put sets one. The deployed start page says what is missing.`,
  );
}

function aboutBindings(deployment: Deployment, classes: readonly string[]): Finding {
  const about = "bindings";
  const keyValues = deployment.kv_namespaces.map(({ binding }) => binding);
  const rateLimits = deployment.ratelimits.map(({ name }) => name);
  const objects = deployment.durable_objects.bindings.map(({ class_name: name }) => name);
  const migrated = deployment.migrations.flatMap(({ new_sqlite_classes: names = [] }) => names);
  const missing = [
    ...KEY_VALUES.filter((name) => !keyValues.includes(name)),
    ...RATE_LIMITS.filter((name) => !rateLimits.includes(name)),
    ...classes.filter((name) => !objects.includes(name)),
    ...classes.filter((name) => !migrated.includes(name)).map((name) => `a migration for ${name}`),
  ];
  if (missing.length > 0) return fail(about, `wrangler.toml lacks ${missing.join(", ")}.`);
  return pass(
    about,
    `KV namespace (made by the first deployment), ${classes.length} classes of Durable Objects, ${rateLimits.length} rate limits.`,
  );
}

function aboutCron({ triggers: { crons = [] } }: Deployment): Finding {
  return crons.length === 0
    ? fail("cron", "wrangler.toml has no cron trigger, so unused registrations would never be deleted.")
    : pass("cron", `Deletes unused registrations on the schedule ${crons.join(", ")}.`);
}

function aboutPlacement({ placement, vars }: Deployment): Finding {
  const about = "placement";
  const hint = text(vars, "N8N_LOCATION_HINT");
  if (placement !== undefined && hint !== undefined)
    return pass(
      about,
      `Near n8n: [placement] ${Object.values(placement).join(" ")}, N8N_LOCATION_HINT ${hint}.`,
    );
  return note(
    about,
    "Not set. If your users are far from n8n, [placement] and N8N_LOCATION_HINT make traces faster (docs/deploy.md). Set N8N_LOCATION_HINT before the first call; later it has no effect.",
  );
}

const KIB = 1_024;
/** After compression. https://developers.cloudflare.com/workers/platform/limits/#worker-size */
const LARGEST_FREE_KIB = 3 * KIB;
const LARGEST_PAID_KIB = 10 * KIB;

/** @param gzipKib of the bundle */
export function aboutBundle(gzipKib: number): Finding {
  const about = "bundle";
  const size = `${Math.ceil(gzipKib)} KiB after compression`;
  if (gzipKib > LARGEST_PAID_KIB) return fail(about, `${size}: more than the 10 MB that a Worker may have.`);
  if (gzipKib > LARGEST_FREE_KIB) return note(about, `${size}: more than the 3 MB of the free plan.`);
  return pass(about, `${size}, of the 3 MB (free plan) or 10 MB (paid) that a Worker may have.`);
}

/** Holds for every deployment. */
export const ABOUT_PLAN = note(
  "plan",
  "You need Workers Paid, 5 dollars a month, for more than a first look: 10 ms of CPU a request on the free plan are too few for a trace. Costs: docs/scale.md.",
);
