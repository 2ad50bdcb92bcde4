/**
 * Guessing a secret reveals nothing: a right and a wrong guess cause the same requests to n8n, the same progress
 * and the same answer, by search and deep trace with `n8n:data` and by trace without, at once and in steps.
 */
import type { AgentClient } from "../../support/agent-client.ts";
import { copyExecution } from "../copy-executions.ts";
import { same } from "../trace-checks.ts";
import { cardNumber } from "./account-numbers.ts";
import { ask, createSecrets, demand, post, type SafetyLane } from "./lane.ts";
import { safetyPaths } from "./seed.ts";

/** A planted secret, and the end of its path. */
interface Kind {
  readonly name: string;
  readonly secret: string;
  readonly path: string;
}

type Args = Record<string, unknown>;
type Question = readonly [name: string, tool: string, argsOf: (guess: string) => Args];

/** The number of executions that hold each secret, which multiplies the cost of a hit. */
const COPIES = 20;
/** The smallest number of executions that one step of a search reads. */
const STEP = 5;

const random = createSecrets(101);
/** A value that is there and no secret, to prove that hits are noticed. */
const ORDINARY = `order-${random.word(12)}`;
const KINDS: readonly Kind[] = [
  { name: "a bearer header", secret: random.text("abcdef0123456789", 32), path: "headers.authorization" },
  { name: "the value of a JSON key", secret: `Aa1-${random.word(16)}`, path: "client_secret" },
  {
    name: "a provider's token",
    secret: `glpat-${random.text("ABCDEFGHJKabcdefghjk23456789", 20)}`,
    path: "note",
  },
  { name: "a word that only its key tells", secret: random.word(12), path: "login.password" },
  { name: "a card number under a telling key", secret: cardNumber(random), path: "payment.cardNumber" },
  // They end like request ids, but are none.
  { name: "a session of a sign-in", secret: random.text("abcdef0123456789", 32), path: "auth.sessionId" },
  { name: "a one-time code", secret: random.text("123456789", 9), path: "otp.requestId" },
];

const secretOf = (path: string): string => KINDS.find((kind) => kind.path === path)?.secret ?? "";

const BODY = {
  reference: ORDINARY,
  integration: JSON.stringify({ client_secret: secretOf("client_secret") }),
  note: secretOf("note"),
  login: { user: "jo", password: secretOf("login.password") },
  payment: { cardNumber: secretOf("payment.cardNumber") },
  auth: { sessionId: secretOf("auth.sessionId") },
  otp: { requestId: secretOf("otp.requestId") },
};

export async function checkGuesses(lane: SafetyLane, startedAfter: string): Promise<string> {
  const headers = { authorization: `Bearer ${secretOf("headers.authorization")}` };
  const [id] = await post(lane, safetyPaths.keep, BODY, { headers });
  copyExecution(lane.n8n, id, COPIES);
  const window = { startedAfter };
  const search: Question = ["a search", "search_executions", (text) => ({ ...window, text, maxHits: 1 })];
  const inSteps: Question = [
    "a search in steps",
    "search_executions",
    (text) => ({ ...window, text, limit: STEP }),
  ];
  const trace: Question = [
    "a deep trace",
    "trace_request",
    (requestId) => ({ ...window, requestId, deep: true }),
  ];
  const whole: Question = ["a trace", "trace_request", (requestId) => ({ ...window, requestId })];
  await learnHistory(lane, [search, trace, whole]);
  const pairs: Guess[] = [];
  for (const [index, { name, secret, path }] of KINDS.entries()) {
    const half = secret.slice(0, secret.length / 2);
    const atPath: Question = [
      `a search at ${path}`,
      "search_executions",
      (value) => ({ ...window, path, value }),
    ];
    pairs.push({ name, client: lane.data, question: search, right: half });
    pairs.push({ name, client: lane.data, question: atPath, right: secret });
    pairs.push({ name, client: lane.data, question: trace, right: secret });
    pairs.push({ name, client: lane.data, question: whole, right: secret });
    for (const question of [whole, trace])
      for (const right of [half, secret]) pairs.push({ name, client: lane.read, question, right });
    if (index % 3 === 0) pairs.push({ name, client: lane.data, question: inSteps, right: half });
  }
  for (const guess of pairs) await demandNoDifference(lane, guess);
  await demandOrdinaryFound(lane, startedAfter);
  return `${pairs.length} pairs of guesses, among ${COPIES + 1} executions`;
}

interface Guess {
  readonly name: string;
  readonly client: AgentClient;
  readonly question: Question;
  readonly right: string;
}

/** @throws Error with both results when a right and a wrong guess differ */
async function demandNoDifference(lane: SafetyLane, { name, client, question, right }: Guess): Promise<void> {
  const ofRight = await observe(lane, client, question, right);
  const ofWrong = await observe(lane, client, question, wrongFor(right));
  const [asked] = question;
  demand(client === lane.read || ofRight.requests.length > 0, `${asked} asks nothing of n8n`);
  same(`${asked} for ${right.length} characters of ${name}, right and wrong`, ofRight, ofWrong);
}

/** The number of probes for a queue (`src/history/scan/queue-probe.ts`) after traces that found nothing. */
const QUEUE_PROBES = 20;

/** A user's first calls fill the index, which later calls use. */
async function learnHistory({ data, read }: SafetyLane, questions: readonly Question[]): Promise<void> {
  for (let probe = 0; probe < QUEUE_PROBES; probe += 1)
    await ask(data, "trace_request", { requestId: `nothing-of-this-kind-${probe}` });
  for (const [, tool, argsOf] of questions) {
    await ask(data, tool, argsOf("nothing-of-this-kind"));
    if (tool === "trace_request") await read.call(tool, argsOf("req-of-nobody"));
  }
}

interface Observed {
  readonly requests: readonly string[];
  readonly answers: readonly string[];
}

/** Continues as long as the answer is incomplete. */
async function observe(
  { watch }: SafetyLane,
  client: AgentClient,
  [, tool, argsOf]: Question,
  guess: string,
): Promise<Observed> {
  const from = watch.requests.length;
  const answers: string[] = [];
  let args = argsOf(guess);
  for (let calls = 0; calls < 20; calls += 1) {
    const { envelope, progress } = await client.call(tool, args);
    const text = JSON.stringify([envelope, progress]);
    answers.push(comparable(text, guess));
    const [id] = /(?:search|trace)_[0-9a-z]{16}/.exec(text) ?? [];
    if (id === undefined || !text.includes('"complete":false')) break;
    args = { ...argsOf(guess), [tool === "trace_request" ? "traceId" : "searchId"]: id };
  }
  // Two requests run at once, in any order. Digits may be an execution's id, which is then requested. The list of
  // workflows and n8n's status filters are read once a minute, independent of calls.
  const requests = watch.requests
    .slice(from)
    .map(({ path }) => path.replaceAll(guess, "<guess>"))
    .filter(
      (path) => !path.startsWith("/api/v1/workflows?") && path !== "/api/v1/executions?status=new&limit=1",
    );
  return { requests: requests.sort(), answers };
}

/** Removes ids, times and the guess itself. */
const comparable = (text: string, guess: string): string =>
  text
    .replaceAll(/(search|trace)_[0-9a-z]{16}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(guess, "<guess>");

/** A wrong guess of the same length: it differs in the last character, which keeps its kind. */
function wrongFor(guess: string): string {
  const payload = JSON.stringify([BODY, secretOf("headers.authorization")]);
  const characters = /\d$/.test(guess) ? "0123456789" : "qzjxkwabcdefghilmnoprstuvyQZJXKW";
  const wrong = [...characters]
    .map((character) => guess.slice(0, -1) + character)
    .find((candidate) => !payload.includes(candidate));
  if (wrong === undefined) throw new Error("every guess exists somewhere");
  return wrong;
}

async function demandOrdinaryFound({ data }: SafetyLane, startedAfter: string): Promise<void> {
  const found = await ask(data, "search_executions", { startedAfter, text: ORDINARY.slice(0, -2) });
  demand(found.text.includes(ORDINARY), "a search finds what is no secret", found.text);
  const { envelope } = await ask(data, "trace_request", { startedAfter, requestId: ORDINARY, deep: true });
  demand(JSON.stringify(envelope).includes('"mentioned"'), "a trace finds what is no secret", envelope);
}
