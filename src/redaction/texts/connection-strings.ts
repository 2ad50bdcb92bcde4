/** Passwords in connection strings that are not URLs: Go's MySQL, Oracle's thin driver, PostgreSQL's pgpass. */
import { pattern } from "../../platform/pattern.ts";
import { Edits } from "../edits.ts";
import { marking, type TextRule } from "../text-rule.ts";
import { isLiteral, isTokenLike } from "./plausible-values.ts";

/** `user:password@tcp(host:3306)/database` (go-sql-driver). The search starts at `@tcp(` and the like, which are rare. */
const GO_NETWORK = /@(?:tcp|tcp6|udp|unix|cloudsql|cloudsqlpostgres|cloudsql-\w{1,20})\(/g;
/** `jdbc:oracle:thin:user/password@host`, `sqlplus user/password@//host`. */
const ORACLE = pattern("g")`
  (
    (?:thin|oci8?|sqlplus|exp|imp|expdp|impdp|sqlldr|rman target)[: ](?:-[a-zA-Z]+ ){0,3}["']?
    [\w.$-]{1,64}\/
  )((?:"[^"\n]{1,200}")|[^\s@"'/]{1,200})(?=@)
`;
/** `host:port:database:user:password` */
const PGPASS =
  /^((?:[\w.*-]{1,253}|\[[\w:]{1,60}\]):(?:\d{1,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:)([^\s:]{3,200})$/gm;

/** A host with a login before it, in the error of a resolver: `getaddrinfo ENOTFOUND ada:…@db.example.com`. */
const RESOLVED = /(\b(?:ENOTFOUND|EAI_AGAIN) (?:[a-z+]{2,20}:\/\/)?[^\s:/@]{1,100}:)([^\s]{1,200})(?=@)/g;

/** The content of a Wi-Fi QR code (ZXing): `WIFI:T:WPA;S:name;P:password;;`. */
const WIFI = /(\bWIFI:(?:[A-OQ-Z]\d?:[^;\n]{0,100};){0,6}P:)((?:[^;\\\n]|\\.){1,100})(?=;)/g;

const MAX_CREDENTIALS = 500;

function wordBefore(text: string, least: number, at: number): string {
  let from = at;
  while (from > least && !/[\s"'`=]/.test(text[from - 1] ?? " ")) from -= 1;
  return text.slice(from, at);
}

const goNetworks: TextRule = (text, { mark }) => {
  const edits = new Edits(text);
  let before = 0;
  for (const { index } of text.matchAll(GO_NETWORK)) {
    const least = Math.max(edits.done, before, index - MAX_CREDENTIALS);
    before = index + 1;
    const run = wordBefore(text, least, index);
    const colon = run.indexOf(":");
    const password = run.slice(colon + 1);
    if (colon >= 1 && isPassword(password))
      edits.replace(index - password.length, index, mark("url-password", password));
  }
  return edits.result();
};

const isPassword = (value: string): boolean => isLiteral(value, true);
const resolved = marking(RESOLVED, isPassword, "url-password");
const wifi = marking(WIFI, isPassword, "url-password");
const oracle = marking(ORACLE, isPassword, "url-password");
const pgpass = marking(PGPASS, (value) => isTokenLike(value) && isPassword(value), "url-password");

export const connectionStrings: TextRule = (text, context) => {
  let result = text.includes("(") && text.includes("@") ? goNetworks(text, context) : text;
  result = wifi(result, context);
  if (result.includes("@")) result = resolved(oracle(result, context), context);
  return result.includes(":") ? pgpass(result, context) : result;
};
