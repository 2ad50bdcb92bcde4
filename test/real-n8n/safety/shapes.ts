/** The shapes in which a name and its secret occur: texts of all kinds, pairs, tables, lists, and encodings. */
import { WORD } from "../../redaction/corpus/random.ts";
import { SHAPES } from "../../redaction/corpus/shapes.ts";
import {
  createSecrets,
  demandHidden,
  demandShown,
  type Planted,
  type SafetyLane,
  showPosted,
} from "./lane.ts";

interface Shaped extends Planted {
  readonly value: unknown;
  /** A value beside the secret, which must be shown. */
  readonly near: string;
}

type Write = (secret: string, near: string) => unknown;

const latin1 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const inLines = (text: string): string => text.replace(/.{20}/g, "$&\r\n");

/** Shapes in which the neighbour stays, as it is a value of its own. */
const STRUCTURES: Readonly<Record<string, Write>> = {
  "name and value": (secret, near) => [
    { name: "password", value: secret },
    { name: "city", value: near },
  ],
  "Name and Value": (secret, near) => [
    { Name: "ApiKey", Value: secret },
    { Name: "City", Value: near },
  ],
  "key and value": (secret, near) => [
    { key: "client_secret", value: secret },
    { key: "city", value: near },
  ],
  "k and v": (secret, near) => [
    { k: "access_token", v: secret },
    { k: "city", v: near },
  ],
  "question and answer": (secret, near) => [
    { question: "Password", answer: secret },
    { question: "City", answer: near },
  ],
  "label and value": (secret, near) => [
    { label: "API key", value: secret },
    { label: "City", value: near },
  ],
  "field of a form": (secret, near) => [
    { type: "password", id: "field_3", value: secret },
    { type: "text", id: "field_4", value: near },
  ],
  "reference of a field": (secret, near) => [
    { field: { ref: "password" }, text: secret },
    { field: { ref: "city" }, text: near },
  ],
  "JSON Patch": (secret, near) => [
    { op: "replace", path: "/user/password", value: secret },
    { op: "replace", path: "/user/city", value: near },
  ],
  "marked as sensitive": (secret, near) => [
    { name: "one", sensitive: true, value: secret },
    { name: "two", sensitive: false, value: near },
  ],
  "list of pairs": (secret, near) => ({
    entries: [
      ["password", secret],
      ["city", near],
    ],
  }),
  rawHeaders: (secret, near) => ({ rawHeaders: ["Authorization", secret, "City", near] }),
  "columns and rows": (secret, near) => ({ columns: ["city", "password"], rows: [[near, secret]] }),
  "sheet with a header": (secret, near) => [
    ["city", "Password"],
    [near, secret],
  ],
  "names and values": (secret, near) => ({ names: ["city", "password"], values: [near, secret] }),
  "columns of their own objects": (secret, near) => ({
    fields: [{ name: "city" }, { name: "api_key" }],
    rows: [[near, secret]],
  }),
  "arguments of a command": (secret, near) => ({ args: ["--city", near, "--token", secret] }),
  "Kubernetes Secret": (secret, near) => ({
    kind: "Secret",
    metadata: { name: near },
    data: { any: base64(secret) },
  }),
  "JSON in JSON in a string": (secret, near) => ({
    body: JSON.stringify({ inner: JSON.stringify({ password: secret, city: near }) }),
  }),
  "JSON that was cut off": (secret, near) => ({
    city: near,
    body: `{"a":1,"list":[{"password":${JSON.stringify(secret)},"b":[1,2`,
  }),
  "escaped JSON": (secret, near) => ({
    city: near,
    log: JSON.stringify(JSON.stringify({ password: secret })),
  }),
  "base64 of JSON": (secret, near) => ({
    city: near,
    raw: base64(JSON.stringify({ password: secret, a: 1 })),
  }),
  "base64 in a text": (secret, near) => ({
    note: `${near} got ${base64(`api_key=${secret}&a=1`)} from them`,
  }),
  "base64 in lines": (secret, near) => ({
    city: near,
    raw: inLines(base64(JSON.stringify({ password: secret, note: "plain words" }))),
  }),
  "base64 of ISO 8859-1": (secret, near) => ({
    city: near,
    raw: latin1(`Straße=1\nContraseña: ${secret}\n`),
  }),
  "base64 with a wrong end": (secret, near) => ({
    city: near,
    raw: `${base64(`password=${secret}; a=1`)}==`,
  }),
  "bytes of a text": (secret, near) => ({ city: near, raw: Buffer.from(`password=${secret}`).toJSON() }),
  "percent-encoded": (secret, near) => ({
    url: `https://x.test/?city=${near}&body=${encodeURIComponent(JSON.stringify({ password: secret }))}`,
  }),
  "prose with its value": (secret, near) => ({ note: `For ${near}: your temporary password is ${secret}.` }),
  "provider's refusal": (secret, near) => ({
    error: `Incorrect API key provided: ${secret}. See ${near}.`,
  }),
};

/** Several requests, so that answers are short enough to show everything. */
const SHAPES_A_REQUEST = 60;
const NAMES = ["password", "api_key", "client_secret"];

export async function checkShapes(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(104);
  const secret = (): string => `${random.text(WORD, 8)}7${random.text(WORD, 7)}`;
  const near = (): string => `near-${random.word(8)}`;
  const texts = SHAPES.map(({ shape, write }, index): Shaped => {
    const [name = ""] = NAMES.slice(index % NAMES.length);
    const made = { name: `${shape} of ${name}`, secret: secret(), near: near() };
    return { ...made, value: { text: write(name, made.secret), city: made.near } };
  });
  const structures = Object.entries(STRUCTURES).map(([name, write]): Shaped => {
    const made = { name, secret: secret(), near: near() };
    return { ...made, value: write(made.secret, made.near) };
  });
  const all = [...structures, ...texts];
  for (let from = 0; from < all.length; from += SHAPES_A_REQUEST) {
    const shaped = all.slice(from, from + SHAPES_A_REQUEST);
    // One at a time, so that they do not influence each other.
    const body = Object.fromEntries(shaped.map(({ value }, index) => [`case_${index}`, { it: value }]));
    const answers = await showPosted(lane, body, startedAfter);
    demandHidden(answers, all.slice(0, from + SHAPES_A_REQUEST));
    demandShown(
      answers,
      "get_execution_by_node Webhook",
      shaped.map((each) => each.near),
    );
  }
  return `${structures.length} structures, ${texts.length} texts`;
}
