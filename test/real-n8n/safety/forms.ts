/** Providers' tokens under ordinary keys and in ordinary places, recognizable only by their form. */
import type { Random } from "../../redaction/corpus/random.ts";
import { DIGITS, HEX, LOWER, UPPER, WORD } from "../../redaction/corpus/random.ts";
import {
  createSecrets,
  demandHidden,
  demandShown,
  type Planted,
  type SafetyLane,
  showPosted,
} from "./lane.ts";

const BASE64URL = `${WORD}_-`;
const uuid = ({ text }: Random): string => [8, 4, 4, 4, 12].map((length) => text(HEX, length)).join("-");
const jwtPart = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** From the providers' documentation, not from our rules. */
const FORMS: Readonly<Record<string, (random: Random) => string>> = {
  "AWS access key": ({ text }) => `AKIA${text(`${UPPER}234567`, 16)}`,
  "GitHub personal token": ({ text }) => `ghp_${text(WORD, 36)}`,
  "GitLab personal token": ({ text }) => `glpat-${text(WORD, 20)}`,
  "Slack bot token": ({ text }) => `xoxb-${text(DIGITS, 12)}-${text(DIGITS, 13)}-${text(WORD, 24)}`,
  "Slack webhook": ({ text }) =>
    `https://hooks.slack.com/services/T${text(UPPER, 10)}/B${text(UPPER, 10)}/${text(WORD, 24)}`,
  "Discord webhook": ({ text }) =>
    `https://discord.com/api/webhooks/${text("123456789", 18)}/${text(WORD, 68)}`,
  "Stripe secret key": ({ text }) => `sk_live_${text(WORD, 24)}`,
  "OpenAI project key": ({ text }) => `sk-proj-${text(WORD, 74)}T3BlbkFJ${text(WORD, 74)}`,
  "Anthropic key": ({ text }) => `sk-ant-api03-${text(BASE64URL, 92)}7AA`,
  "Google API key": ({ text }) => `AIza${text(WORD, 35)}`,
  "SendGrid key": ({ text }) => `SG.${text(WORD, 22)}.${text(WORD, 43)}`,
  "Telegram bot token": ({ text }) => `${text("123456789", 10)}:AA${text(WORD, 33)}`,
  "npm token": ({ text }) => `npm_${text(WORD, 36)}`,
  "Shopify token": ({ text }) => `shpat_${text(HEX, 32)}`,
  "Airtable token": ({ text }) => `pat${text(WORD, 14)}.${text(HEX, 64)}`,
  "HubSpot private app": (random) => `pat-na1-${uuid(random)}`,
  "Notion token": ({ text }) => `ntn_${text(DIGITS, 11)}${text(WORD, 35)}`,
  "Linear key": ({ text }) => `lin_api_${text(WORD, 40)}`,
  "Hugging Face token": ({ text }) => `hf_${text(LOWER + UPPER, 34)}`,
  "JSON web token": ({ text }) =>
    `${jwtPart({ alg: "HS256" })}.${jwtPart({ sub: text(DIGITS, 10) })}.${text(BASE64URL, 42)}x`,
  "private key": ({ text }) =>
    ["BEGIN", "END"]
      .map((edge) => `-----${edge} PRIVATE KEY-----`)
      .join(`\n${Array.from({ length: 5 }, () => text(`${WORD}+/`, 64)).join("\n")}\n`),
};

/** A token may follow the end of an escape that was cut off. */
const PLACES: readonly ((token: string, near: string) => unknown)[] = [
  (token, near) => ({ a: token, b: near }),
  (token, near) => ({ a: `It was (${token}), said ${near}.` }),
  (token, near) => ({ a: JSON.stringify({ inner: JSON.stringify({ a: token, b: near }) }) }),
  (token, near) => ({ a: `b'${near}\\n${token}\\nlast'` }),
  (token, near) => ({ a: [[near, token]] }),
];

export async function checkForms(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(103);
  const all: Planted[] = [];
  for (const place of PLACES) {
    const planted = Object.entries(FORMS).map(([name, make]) => ({
      name,
      secret: make(random),
      near: `near-${random.word(8)}`,
    }));
    const body = { notes: planted.map(({ secret, near }) => place(secret, near)) };
    const answers = await showPosted(lane, body, startedAfter);
    demandHidden(answers, [...all, ...planted]);
    demandShown(
      answers,
      "get_execution_details",
      planted.map(({ near }) => near),
    );
    all.push(...planted);
  }
  return `${Object.keys(FORMS).length} providers, in ${PLACES.length} places`;
}
