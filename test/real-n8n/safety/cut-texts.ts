/**
 * Texts that answers cut, with a secret at the place of the cut: JSON that does
 * not parse any more reveals nothing that whole JSON would not.
 */
import { WORD } from "../../redaction/corpus/random.ts";
import {
  createSecrets,
  demand,
  demandHidden,
  demandShown,
  type Planted,
  type SafetyLane,
  showPosted,
} from "./lane.ts";

/** The number of bytes that `get_execution_details` keeps of a text. */
const KEPT = 8_000;
/** The position of the secret relative to that: before the cut, across it, and after it. */
const OFFSETS = [-400, -60, -40, -30, -20, -12, -6, 0, 40] as const;
const TEXTS_A_REQUEST = 3;
/** Words that are not redacted; they are not shown where a text is cut. */
const END = "at its very end";
const AFTER = `${"plain words ".repeat(40)}${END}`;

type Write = (before: string, secret: string) => string;

/** The text up to the secret has as many bytes as `before` and the key. */
const TEXTS: readonly (readonly [name: string, write: Write])[] = [
  ["a key of JSON", (before, secret) => JSON.stringify({ rows: before, password: secret, more: AFTER })],
  [
    "a provider's token in JSON",
    (before, secret) => JSON.stringify({ rows: before, note: secret, more: AFTER }),
  ],
  [
    "a key of JSON in JSON",
    (before, secret) =>
      JSON.stringify({
        body: JSON.stringify({ rows: before, clientSecret: secret, more: AFTER }),
      }),
  ],
  ["a line of a log", (before, secret) => `${before}\nAuthorization: Bearer ${secret}\n${AFTER}`],
];

export async function checkCutTexts(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(105);
  const cases = TEXTS.flatMap(([name, write]) =>
    OFFSETS.map((offset) => {
      const secret = `ghp_${random.text(WORD, 36)}`;
      // A third of it would already be too much.
      const planted: Planted = { name: `${name}, ${offset} from the cut`, secret: secret.slice(0, 12) };
      return { planted, text: textAt(write, secret, KEPT + offset), near: `near-${random.word(8)}` };
    }),
  );
  for (let from = 0; from < cases.length; from += TEXTS_A_REQUEST) {
    const some = cases.slice(from, from + TEXTS_A_REQUEST);
    const items = some.map(({ text, near }) => ({ near, text }));
    const answers = await showPosted(lane, { items }, startedAfter);
    const details = answers.get("get_execution_details")?.text ?? "";
    demand(!details.includes(END), "details cut the texts", details);
    const said = details.match(/… \[\d+ more bytes\]/g)?.length ?? 0;
    demand(said >= some.length, "and say so of each", details.replaceAll("ordinary words, ", ""));
    demandHidden(
      answers,
      some.map(({ planted }) => planted),
    );
    demandShown(answers, "get_execution_by_node Webhook", [END]);
    demandShown(
      answers,
      "get_execution_details",
      some.map(({ near }) => near),
    );
  }
  return `${cases.length} texts of ${KEPT} bytes and more`;
}

/** The byte at which the secret begins. */
function textAt(write: Write, secret: string, byte: number): string {
  const before = (length: number): string => "ordinary words, ".repeat(length / 16 + 1).slice(0, length);
  const shift = write("", secret).indexOf(secret);
  return write(before(byte - shift), secret);
}
