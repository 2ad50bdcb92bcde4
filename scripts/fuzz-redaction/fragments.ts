/** The fragments that make up slow texts: what the rules look for, and what a payload may hold. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Each line is split at `¦`. */
const COMMON = [
  ..."aA0 \n\t/=%#@:.,;&?+-_~|$<>()[]{}\"'`\\",
  ...`A1¦Aa1+/¦==¦://¦a@¦a.b@c.¦\r\n¦\\n¦\\u0022¦\\"¦\\\\\\"¦\u00a0¦é¦Ａ`.split("¦"),
  ...`\u200b¦密码¦password¦token¦api_key¦x-api-key: ¦token=¦token: ¦"token":¦'token' => `.split("¦"),
  ...`"token":"¦"a":¦{"a":¦{"a":1}¦[{"a":1},¦["a"]¦["¦[["¦{{ ¦\${¦$(¦$json.`.split("¦"),
  ..."Bearer ¦Basic ¦Basic dTpw¦Authorization: Digest ¦Cookie: a=b; ¦eyJ¦eyJhbGciOiJI.".split("¦"),
  ..."-----BEGIN ¦-----BEGIN PRIVATE KEY-----¦-----END ¦ghp_¦sk-¦AKIA¦xoxb-¦SG.¦https://".split("¦"),
  ..."https://a:b@¦?token=¦&key=¦?a=%41¦%3Ftoken%3D¦%41¦%2541¦%C3%A9¦+1 ¦555-123-4567".split("¦"),
  ..."4111 1111 ¦4111111111111111¦ES91 2100 ¦123-45-6789¦YWJj¦YWJj/¦eyJhIjoxfQ¦dG9rZW49YQ==".split("¦"),
  ...`[REDACTED:¦[REDACTED:key#1]¦<a>¦<token>¦</¦<a b='¦<!--¦&quot;¦name=\\"¦| a | ¦--token `.split("¦"),
  ...`-u a:¦at f (/¦at /¦File "/¦data:a;base64,¦key\n¦- name: ¦  value: ¦is the password `.split("¦"),
];

const COMMENTS = /\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const STRINGS = /"([^"\\\n]{2,40})"|'([^'\\\n]{2,40})'/g;
/** The literal parts of a regular expression. */
const WORDS = /[A-Za-z0-9_:/@=<>"-]{2,24}/g;
const REGULAR_EXPRESSION = /\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[a-z]*|String\.raw`([^`]+)`/g;

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(folder, name), "utf8").replace(COMMENTS, ""));
}

export interface Fragments {
  /** What payloads hold, and what several rules look for. */
  readonly common: readonly string[];
  /** Literals of the rules' sources: prefixes, names, separators. */
  readonly ofRules: readonly string[];
}

export function fragmentsOf(folder: string): Fragments {
  const found = sourcesIn(folder).flatMap((source) => {
    const strings = [...source.matchAll(STRINGS)].map(([, double, single]) => double ?? single ?? "");
    const patterns = [...source.matchAll(REGULAR_EXPRESSION)].flatMap(([, literal = "", raw = ""]) => [
      ...(literal + raw).replaceAll("\\", "").matchAll(WORDS),
    ]);
    return [...strings, ...patterns.map(([word]) => word)];
  });
  const ofRules = [...new Set(found)].filter((text) => text !== "" && !text.startsWith("./"));
  return { common: COMMON, ofRules };
}
