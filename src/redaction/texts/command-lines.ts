/** Secrets as arguments of commands: `--token abc`, `-u user:password`, `mysql -pabc`, `-passin pass:abc`. */
import { pattern } from "../../platform/pattern.ts";
import { Edits } from "../edits.ts";
import { isMark } from "../marks.ts";
import { marking, type TextRule } from "../text-rule.ts";
import { matchAt } from "./characters.ts";
import { isAnnounced, isLiteral, isReference, isTokenLike } from "./plausible-values.ts";

/** `--token abc`, `-Password abc`; a quote before it belongs to the command in a text, or to the value. */
const FLAG = /(?<![^\s"'`([])(--?([A-Za-z][\w.-]{1,40})[ ]{1,20}\\?["']?)([^\s"'`\\<-][^\s"'`\\]{2,500})/g;

const isWord = (value: string): boolean => isLiteral(value, true);
const flags = marking(FLAG, isWord);

/** curl's and others' `-u user:password`. */
const USER_FLAG =
  /(?<!\S)((?:-u|--user|--proxy-user|-U|--userpwd|--creds?|--login|--auth|-a)[ =]{0,4}["']?[^\s:"'/=[]{1,100}:["']?)([^\s"']{1,500})/g;

const userFlags = marking(USER_FLAG, isWord);

/** The same without a password, or without a user: `-u key:`, `-u :password`. */
const LONE_FLAG = /(?<!\S)((?:-u|--user|-U|-a)[ =]["']?)(:?)([^\s:"'/=[]{8,200})(:?)(?=["'\s]|$)/g;

const loneFlags: TextRule = (text, { mark }) =>
  text.replace(LONE_FLAG, (match: string, flag: string, before: string, value: string, after: string) =>
    (before === "") !== (after === "") && isTokenLike(value)
      ? flag + before + mark("key", value) + after
      : match,
  );

/** Programs with a password after `-p`, `-a` or `-w`, with or without a space. */
const PROGRAM = pattern("g")`
  \b(?:
    mysql\w{0,10}|mariadb\w{0,10}|sshpass|redis-cli
    |(?:docker|podman|az|oc|registry|oras|buildah|skopeo) login|mongo\w{0,8}|ldap\w{1,8}|sqlcmd
    |smbclient|zip|7z|unzip|htpasswd|rabbitmqadmin|keytool|net use|xfreerdp|bcp|rasdial|plink|pscp
    |clickhouse-client|snmp\w{2,10}
  )(?= )
`;
const PASSWORD_FLAG = / (?:-pw|-pass|\/p:|-p|-P|-a|-w) ?["']?(?=[^\s"'|;&-][^\s"'|;&]{2})/g;
/** Net-SNMP's pass phrases, where `-a` and `-x` name algorithms. */
const PASS_PHRASE_FLAG = / -[AX] ?["']?(?=[^\s"'|;&-][^\s"'|;&]{2})/g;
const END_OF_COMMAND = /[\n|;&]/;
const MAX_COMMAND = 300;
const ARGUMENT = /[^\s"'|;&]{3,200}/y;

const isPassword = (value: string): boolean =>
  isLiteral(value, true) && !/^\d{1,5}(?::\d+)?$/.test(value) && !/^[a-z][\w.-]*:\d+$/.test(value);

const passwordFlags: TextRule = (text, { mark }) => {
  const edits = new Edits(text);
  PROGRAM.lastIndex = 0;
  for (let match = PROGRAM.exec(text); match !== null; match = PROGRAM.exec(text)) {
    const from = PROGRAM.lastIndex;
    const rest = text.slice(from, from + MAX_COMMAND);
    const end = rest.search(END_OF_COMMAND);
    const flags = match[0].startsWith("snmp") ? PASS_PHRASE_FLAG : PASSWORD_FLAG;
    for (const { index, 0: flag } of (end < 0 ? rest : rest.slice(0, end)).matchAll(flags)) {
      const at = from + index + flag.length;
      const [value = ""] = matchAt(ARGUMENT, text, at) ?? [];
      // After a space mysql takes the name of a database.
      const isDatabase = /^(?:mysql|mariadb)/.test(match[0]) && /-p ["']?$/.test(flag);
      if (!isDatabase && isPassword(value)) edits.replace(at, at + value.length, mark("key", value));
    }
    // The next command begins after the end of this one.
    PROGRAM.lastIndex = from + (end < 0 ? rest.length : end);
  }
  return edits.result();
};

/** The text before a secret without a named flag; a quote may be between them. */
const BEFORE_ARGUMENT = new RegExp(
  [
    // OpenSSL, ssh-keygen, curl's cookies.
    `-(?:pass(?:in|out)?|k)[ ]{1,4}(?=["']?pass:)`,
    String.raw`openssl enc [^\n|;&]{0,120}-k[ ]{1,4}|ssh-keygen [^\n|;&]{0,120}-N[ ]{1,4}|--cert[ ]{1,4}[^\s:]{1,100}:|curl [^\n|;&]{0,200}-b[ ]{1,4}`,
    // PowerShell and Windows.
    `ConvertTo-SecureString[ ]{1,4}(?:-(?:AsPlainText|Force)[ ]{1,4}){0,2}(?:-String[ ]{1,4})?`,
    String.raw`net use [^\n]{1,60}/user:\S{1,40}[ ]{1,4}|/rp[ ]{1,4}|/pass(?:word)?:`,
    // A comma or a colon separates the user from the password.
    String.raw`(?:lftp|ncftp) [^\n]{0,60}-u[ ]{1,4}[^\s,]{1,80},|useradd [^\n|;&]{0,120}-p[ ]{1,4}`,
    // The last argument, after the user and perhaps a file.
    String.raw`htpasswd [^\n|;&]{0,60}-[A-Za-z]{0,6}b[A-Za-z]{0,6}[ ]{1,4}(?:[^\s|;&]{1,100}[ ]{1,4}){1,2}(?=[^\s|;&]{3,200}[ ]{0,4}(?:$|[\n|;&>]))`,
  ].join("|"),
  "gi",
);
const ECHOED = pattern("g")`
  (?:echo(?: -n)?|printf)[ ]{1,4}(["']?)([^\s"'|]{4,100}|(?<=["'])[^"'|\n]{4,100})\1[ ]{0,4}\|[ ]{0,4}
  (?:sudo )?(?:
    [^\n|]{0,80}(?:sudo -S|--password-stdin|--passphrase-fd|--stdin|cryptsetup)|chpasswd|kinit|openssl
  )
`;
const QUOTED_OR_WORD = /(["'])((?:pass:)?)([^"'\n]{3,200})\1|((?:pass:)?)([^\s"'\\$-][^\s"'\\]{2,200})/y;

const MAY_BE_BARE =
  /pass:|ssh-keygen|openssl|curl |ConvertTo|net use|\/rp |\/pass|lftp|ncftp|useradd|htpasswd|--cert|echo |printf /i;

const bareArguments: TextRule = (text, { mark }) => {
  if (!MAY_BE_BARE.test(text)) return text;
  const edits = new Edits(text);
  for (const { index, 0: before } of text.matchAll(BEFORE_ARGUMENT)) {
    const at = index + before.length;
    const [whole = "", , prefix = "", quoted = "", scheme = "", word = ""] =
      matchAt(QUOTED_OR_WORD, text, at) ?? [];
    const value = quoted || word;
    if (!isLiteral(value, quoted === "")) continue;
    const end = at + whole.length - (quoted === "" ? 0 : 1);
    if (prefix + scheme !== "" || quoted !== "" || isAnnounced(value))
      edits.replace(end - value.length, end, mark("key", value));
  }
  return edits.result().replace(ECHOED, (match: string, _quote: string, value: string) =>
    isReference(value, true) || isMark(value)
      ? match
      : match.replace(value, () => {
          const password = value.slice(/chpasswd/.test(match) ? value.indexOf(":") + 1 : 0);
          return value.slice(0, value.length - password.length) + mark("key", password);
        }),
  );
};

export const commandLines: TextRule = (text, context) => {
  if (!/[-/]/.test(text)) return text;
  let result = loneFlags(userFlags(flags(text, context), context), context);
  result = passwordFlags(result, context);
  return bareArguments(result, context);
};
