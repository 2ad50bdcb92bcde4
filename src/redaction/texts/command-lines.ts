/** Secrets as arguments of commands: `--token abc`, `-u user:password`, `mysql -pabc`, `-passin pass:abc`. */
import { isMark } from "../marks.ts";
import type { TextRule } from "../text-rule.ts";
import { matchAt } from "./characters.ts";
import { Edits } from "./edits.ts";
import { isPossible, isReference, isTokenLike } from "./plausible-values.ts";

/** `--token abc`, `-Password abc`; a quote before is of the command in a text, or of the value. */
const FLAG = /(?<![^\s"'`([])(--?([A-Za-z][\w.-]{1,40})[ ]{1,20}\\?["']?)([^\s"'`\\<-][^\s"'`\\]{2,500})/g;

const flags: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(FLAG, (match: string, before: string, name: string, value: string) =>
    kindOfKey(name) === "secret" && isPossible(value) && !isReference(value, true)
      ? before + mark("key", value)
      : match,
  );

/** curl's and others' `-u user:password`. */
const USER_FLAG =
  /(?<!\S)((?:-u|--user|--proxy-user|-U|--userpwd|--creds?|--login|--auth|-a)[ =]{0,4}["']?[^\s:"'/=[]{1,100}:["']?)([^\s"']{1,500})/g;

const userFlags: TextRule = (text, { mark }) =>
  text.replace(USER_FLAG, (match: string, before: string, password: string) =>
    isMark(password) || !isPossible(password) || isReference(password, true)
      ? match
      : before + mark("key", password),
  );

/** The same without a password, or without a user: `-u key:`, `-u :password`. */
const LONE_FLAG = /(?<!\S)((?:-u|--user|-U|-a)[ =]["']?)(:?)([^\s:"'/=[]{8,200})(:?)(?=["'\s]|$)/g;

const loneFlags: TextRule = (text, { mark }) =>
  text.replace(LONE_FLAG, (match: string, flag: string, before: string, value: string, after: string) =>
    (before === "") !== (after === "") && isTokenLike(value)
      ? flag + before + mark("key", value) + after
      : match,
  );

/** Programs whose `-p`, `-a` or `-w` is a password, joined to it or not. */
const PROGRAM =
  /\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|redis-cli|(?:docker|podman|az|oc) login|mongo\w{0,8}|ldap\w{1,8}|sqlcmd|smbclient|zip|7z|unzip|htpasswd|rabbitmqadmin|keytool|net use|xfreerdp|bcp|rasdial|plink|pscp|clickhouse-client)(?= )/g;
const PASSWORD_FLAG = / (?:-pw|-pass|\/p:|-p|-P|-a|-w) ?["']?(?=[^\s"'|;&-][^\s"'|;&]{2})/g;
/** The arguments of a command end here. */
const END_OF_COMMAND = /[\n|;&]/;
const MAX_COMMAND = 300;
const ARGUMENT = /[^\s"'|;&]{3,200}/y;

const isPassword = (value: string): boolean =>
  isPossible(value) &&
  !isReference(value, true) &&
  !/^\d{1,5}(?::\d+)?$/.test(value) &&
  !/^[a-z][\w.-]*:\d+$/.test(value);

const passwordFlags: TextRule = (text, { mark }) => {
  const edits = new Edits(text);
  PROGRAM.lastIndex = 0;
  for (let match = PROGRAM.exec(text); match !== null; match = PROGRAM.exec(text)) {
    const from = PROGRAM.lastIndex;
    const rest = text.slice(from, from + MAX_COMMAND);
    const end = rest.search(END_OF_COMMAND);
    for (const { index, 0: flag } of (end < 0 ? rest : rest.slice(0, end)).matchAll(PASSWORD_FLAG)) {
      const at = from + index + flag.length;
      const [value = ""] = matchAt(ARGUMENT, text, at) ?? [];
      // After a space mysql takes the name of a database.
      const isDatabase = /^(?:mysql|mariadb)/.test(match[0]) && /-p ["']?$/.test(flag);
      if (!isDatabase && isPassword(value)) edits.replace(at, at + value.length, mark("key", value));
    }
    // The next may begin in the same stretch only where this ends.
    PROGRAM.lastIndex = from + (end < 0 ? rest.length : end);
  }
  return edits.result();
};

/** OpenSSL's `pass:…`; PowerShell's `ConvertTo-SecureString`. */
const NAMED_ARGUMENT =
  /((?:-(?:pass(?:in|out)?|k)[ ]{1,4}["']?pass:|ConvertTo-SecureString[ ]{1,4}(?:-[Ss]tring[ ]{1,4})?(?:-(?:AsPlainText|Force)[ ]{1,4}){0,2}\\?["']?))([^\s"'\\$-][^\s"'\\]{2,200})/g;

const namedArguments: TextRule = (text, { mark }) =>
  text.replace(NAMED_ARGUMENT, (match: string, before: string, value: string) =>
    isPossible(value) && isTokenLike(value) ? before + mark("key", value) : match,
  );

export const commandLines: TextRule = (text, context) => {
  if (!/[-/]/.test(text)) return text;
  let result = loneFlags(userFlags(flags(text, context), context), context);
  result = passwordFlags(result, context);
  return /pass|ConvertTo/.test(result) ? namedArguments(result, context) : result;
};
