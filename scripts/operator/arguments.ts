/** The arguments of `npm run admin audit`, `users`, `index` and `status`. Pure; the time is passed in. */
import { defined } from "../../src/platform/defined.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/platform/durations.ts";
import {
  flag,
  type OptionsOf,
  readArguments,
  requireOneAtMost,
  requireWebAddress,
  text,
  WrongArguments,
} from "../command-line/arguments.ts";

const SERVER_USAGE = `  --url <url>          address of the server (default: the one that npm start or npm run dev runs, else http://localhost:8787)
  --token <token>      operator's token; the environment variable N8N_OBSERVER_OPERATOR_TOKEN is more discreet
  --help               this text

The token is the one whose SHA-256 is in the server's OPERATOR_TOKEN_SHA256.`;

export const AUDIT_USAGE = `Prints who called which tool, and who signed in, as the server has kept it.

  npm run admin audit                          everything that is kept, as a table
  npm run admin audit -- --since 24h --csv     the last day, for a spreadsheet

  --since <when>       from this time on: ISO 8601, or so long ago: 30m, 24h, 7d
  --until <when>       before this time
  --user <userId>      only this user's lines
  --tool <name>        only calls of this tool
  --request <id>       only calls that asked for this request id
  --instance <name>    only calls that asked this n8n, where there are several
  --json               a line of JSON for each
  --csv                a line of CSV for each
${SERVER_USAGE} Exit code: 0 done, 1 an error, 2 wrong arguments.`;

export const USERS_USAGE = `Lists who is signed in with which client, and ends it.

  npm run admin users                               every grant
  npm run admin users -- revoke <userId|grantId>    ends all of a user's, or one

  --json               a line of JSON for each
${SERVER_USAGE} Exit code: 0 done, 1 nothing revoked or an error, 2 wrong arguments.`;

export const INDEX_USAGE = `Shows how far the history index is, and what it has asked of n8n.

  npm run admin index

  --json               a line of JSON for each n8n
${SERVER_USAGE} Exit code: 0 done, 1 an error, 2 wrong arguments.`;

export const ACCESS_USAGE = `Shows what somebody sees under the access rules (ACCESS_RULES), and by which of them.

  npm run admin access -- ada@example.com
  npm run admin access -- support            a group, as the provider writes it
  npm run admin access -- token:pager        a service token
  npm run admin access -- oidc-…             a user id, or Entra's <tenant id>/<object id>

  --json               the same as a line of JSON
${SERVER_USAGE} Exit code: 0 done, 1 an error, 2 wrong arguments.`;

export const WATCH_USAGE = `Shows how the history index fills: a line every five seconds, until it reads no farther back.

  npm run index

  --json               the index as a line of JSON, each time
${SERVER_USAGE} Exit code: 0 done, 1 an error, 2 wrong arguments.`;

export const STATUS_USAGE = `Shows how a server is, on one screen: version, settings, n8n, history index, the last day.

  npm run admin status

  --json               the same as a line of JSON
${SERVER_USAGE} Exit code: 0 all is well, 1 something is not or an error, 2 wrong arguments.`;

export interface ServerOptions {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

export type OutputForm = "table" | "json" | "csv";

/** The arguments of `npm run admin index`, `npm run admin status` and `npm run index`. */
export interface IndexOptions extends ServerOptions {
  readonly form: OutputForm;
}

const COMMON = { url: text, token: text, json: flag } as const;

const AUDIT = {
  options: {
    ...COMMON,
    ...{ since: text, until: text, user: text, tool: text, request: text, instance: text, csv: flag },
  },
} as const;

export const readAuditArguments = (args: readonly string[], now: number) =>
  readArguments(args, AUDIT, ({ values }) => {
    requireOneAtMost(["json", "csv"], values);
    const { user: userId, tool, request: requestId, instance } = values;
    const since = toTime(values.since, "--since", now);
    const until = toTime(values.until, "--until", now);
    const common = commonOf(values);
    /** As the server's endpoint takes it. */
    const query = defined({ since, until, userId, tool, requestId, instance });
    return { ...common, query, form: values.csv ? "csv" : common.form };
  });
export type AuditOptions = OptionsOf<typeof readAuditArguments>;

export const readUsersArguments = (args: readonly string[]) =>
  readArguments(args, { options: COMMON, allowPositionals: true }, ({ values, positionals }) => {
    const [command, id, ...more] = positionals;
    if (command !== undefined && command !== "revoke")
      throw new WrongArguments("The only command is revoke.");
    if (command === "revoke" && (id === undefined || more.length > 0))
      throw new WrongArguments("revoke takes one user id or grant id, as npm run admin users shows it.");
    /** `revoke`: a user's or a grant's id. */
    return { ...commonOf(values), revoke: id };
  });
export type UsersOptions = OptionsOf<typeof readUsersArguments>;

export const readIndexArguments = (args: readonly string[]) =>
  readArguments(args, { options: COMMON }, ({ values }) => commonOf(values));

export const readAccessArguments = (args: readonly string[]) =>
  readArguments(args, { options: COMMON, allowPositionals: true }, ({ values, positionals }) => {
    const [who, ...others] = positionals;
    if (who === undefined || others.length > 0 || /^(token:)?$/.test(who))
      throw new WrongArguments("Name one person, group or service token.");
    return { ...commonOf(values), who: toWho(who) };
  });
export type AccessOptions = OptionsOf<typeof readAccessArguments>;

/** A service token, or everything that the name can be: a group's name can also look like an address or an id. */
function toWho(who: string): Readonly<Record<string, string>> {
  if (who.startsWith("token:")) return { token: who.slice("token:".length) };
  const lower = who.toLowerCase();
  if (/^[0-9a-f-]{36}\/[0-9a-f-]{36}$/.test(lower)) return { group: who, id: lower };
  if (who.startsWith("oidc-")) return { group: who, id: who };
  return who.includes("@") ? { group: who, email: lower } : { group: who };
}

function commonOf({ url, token, json }: { url?: string; token?: string; json?: boolean }): IndexOptions {
  requireWebAddress(url);
  return { url, token, form: json ? "json" : "table" };
}

const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

function toTime(value: string | undefined, option: string, now: number): string | undefined {
  if (value === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(value) ?? [];
  const date = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  const time = unit === undefined ? date : now - Number(amount) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(time))
    throw new WrongArguments(`${option} takes an ISO 8601 time, or how long ago: 30m, 24h, 7d.`);
  return new Date(time).toISOString();
}
