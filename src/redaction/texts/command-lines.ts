/** Secrets as arguments of commands: `--token abc`, `-u user:password`, `mysql -pabc`, `-passin pass:abc`. */
import { isMark } from "../marks.ts";
import type { TextRule } from "../text-rule.ts";
import { isPossible, isReference, isTokenLike } from "./plausible-values.ts";

/** `--token abc`, `-Password abc`; a quote before is of the command in a text, or of the value. */
const FLAG = /(?<![^\s"'`([])(--?([A-Za-z][\w.-]{1,40})[ ]{1,20}\\?["']?)([^\s"'\\-][^\s"'\\]{2,500})/g;

const flags: TextRule = (text, { mark, kindOfKey }) =>
  text.replace(FLAG, (match: string, before: string, name: string, value: string) =>
    kindOfKey(name) === "secret" && isPossible(value) && !isReference(value, true)
      ? before + mark("key", value)
      : match,
  );

/** curl's and others' `-u user:password`. */
const USER_FLAG =
  /(?<!\S)((?:-u|--user|--proxy-user|-U|--userpwd|--creds?|--login|--auth|-a)[ =]{0,4}["']?[^\s:"'/=[]{1,100}:)([^\s"']{1,500})/g;

const userFlags: TextRule = (text, { mark }) =>
  text.replace(USER_FLAG, (match: string, before: string, password: string) =>
    isMark(password) || !isPossible(password) || isReference(password, true)
      ? match
      : before + mark("key", password),
  );

/** Programs whose `-p`, `-a` or `-w` is a password, joined to it or not; the stretch between is bounded. */
const PASSWORD_FLAG =
  /(\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|redis-cli|docker[ ]login|podman[ ]login|mongo\w{0,8}|ldap\w{1,8}|az[ ]login|sqlcmd|smbclient|zip|7z|unzip|htpasswd|rabbitmqadmin|sqlplus|keytool|oc[ ]login|net[ ]use|xfreerdp|bcp|rasdial|plink|pscp|expect|impala-shell|clickhouse-client)[ ](?:[^\n|;&"'`\-/]|-(?!(?:[pawP]|pw|pass)[^a-z-])[^\n|;&"'`\-/]|\/(?!p:)|["'`]){0,200}?[ ](?:-pw|-pass|\/p:|-p|-P|-a|-w)[ ]?["']?)([^\s"'|;&-][^\s"'|;&]{2,200})/g;

const passwordFlags: TextRule = (text, { mark }) =>
  text.replace(PASSWORD_FLAG, (match: string, before: string, password: string) =>
    isPossible(password) &&
    !isReference(password, true) &&
    !/^\d{1,5}(?::\d+)?$/.test(password) &&
    !/^[a-z][\w.-]*:\d+$/.test(password)
      ? before + mark("key", password)
      : match,
  );

/** OpenSSL's `pass:…`; PowerShell's `ConvertTo-SecureString`. */
const NAMED_ARGUMENT =
  /((?:-(?:pass(?:in|out)?|k)[ ]{1,4}["']?pass:|ConvertTo-SecureString[ ]{1,4}(?:-[Ss]tring[ ]{1,4})?(?:-(?:AsPlainText|Force)[ ]{1,4}){0,2}\\?["']?))([^\s"'\\$-][^\s"'\\]{2,200})/g;

const namedArguments: TextRule = (text, { mark }) =>
  text.replace(NAMED_ARGUMENT, (match: string, before: string, value: string) =>
    isPossible(value) && isTokenLike(value) ? before + mark("key", value) : match,
  );

const PROGRAM =
  /mysql|mariadb|sshpass|redis-cli|login|mongo|ldap|sqlcmd|smbclient|zip|7z|htpasswd|rabbitmqadmin|sqlplus|keytool|net use|xfreerdp|bcp|plink|pscp|clickhouse/;

export const commandLines: TextRule = (text, context) => {
  if (!/[-/]/.test(text)) return text;
  let result = userFlags(flags(text, context), context);
  if (PROGRAM.test(result)) result = passwordFlags(result, context);
  return /pass|ConvertTo/.test(result) ? namedArguments(result, context) : result;
};
