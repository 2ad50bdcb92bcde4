/** Checks the public start page, and whether this is the right server. */
import * as z from "zod";
import { parseJson } from "../../src/platform/parse-json.ts";
import { toPlainText } from "../ask/plain-text.ts";
import { type Finding, fail, type Patient, pass, warn } from "./finding.ts";
import { type Answer, ask, refusalIn } from "./request.ts";

const START_PAGE = "start page";
const SETTINGS = "settings";
const CLOCK = "clock";
/** Certificates and tokens depend on the clock to the minute. */
const TOLERATED_SKEW_MS = 60_000;

const localPage = z.looseObject({
  settingProblems: z.array(z.looseObject({ setting: z.string(), problem: z.string(), solution: z.string() })),
});

export interface FrontDoor {
  readonly findings: readonly Finding[];
  /** Whether further checks make sense. */
  readonly isOurs: boolean;
}

export async function checkFrontDoor(patient: Patient): Promise<FrontDoor> {
  const begun = Date.now();
  // Programs get errors as JSON, on this machine including invalid settings.
  const answer = await ask(patient, "/", { headers: { accept: "application/json" } });
  if (answer === undefined) {
    return stop(
      fail(
        START_PAGE,
        "The server accepts the connection but sends no answer.",
        "Look at its log: npx wrangler tail for a deployed one. Start it again.",
      ),
    );
  }
  const clock = checkClock(answer, (begun + Date.now()) / 2);
  const problem = findProblem(answer, patient);
  if (problem !== undefined) return { findings: [problem, ...clock], isOurs: false };
  const local = localPage.safeParse(parseJson(answer.text));
  if (!local.success && !/· n8n-observer<\/title>/.test(answer.text))
    return stop(notOurs(answer.status), clock);
  return {
    findings: [
      pass(START_PAGE, "n8n-observer answers."),
      ...(local.success ? toSettingFindings(local.data.settingProblems) : [toDeployedFinding(answer.text)]),
      ...clock,
    ],
    isOurs: true,
  };
}

const stop = (finding: Finding, others: readonly Finding[] = []): FrontDoor => ({
  findings: [finding, ...others],
  isOurs: false,
});

const notOurs = (status: number): Finding =>
  fail(
    START_PAGE,
    `A server other than n8n-observer answers here (HTTP ${status}).`,
    "Give the address of n8n-observer, not that of n8n; see where the domain, the proxy or the route leads.",
  );

/** Why the start page is not available. */
function findProblem(answer: Answer, { origin }: Patient): Finding | undefined {
  const { status, header } = answer;
  const said = refusalIn(answer);
  if (status === 421) {
    return fail(
      "PUBLIC_URL",
      said === undefined ? "The server says that it has another address." : toPlainText(said, 400),
      `Set PUBLIC_URL to ${origin} if that is the address which apps use (npx wrangler secret put PUBLIC_URL); else connect to the address that it names.`,
    );
  }
  if (status >= 300 && status < 400) {
    const location = URL.parse(header("location") ?? "", origin);
    const where = location === null || location.origin === origin ? "another path" : location.host;
    return fail(
      START_PAGE,
      `The address answers with a redirect to ${toPlainText(where, 100)}: something stands in front of the server.`,
      "If it is a log-in page (Cloudflare Access, a proxy), let this host pass: apps cannot log in there, and the server has a sign-in of its own. If it leads to https or to another host, use that address.",
    );
  }
  if (status === 401 || status === 403)
    return fail(
      START_PAGE,
      `Something in front of the server refuses with HTTP ${status}.`,
      "Let this host pass there (Cloudflare Access, a firewall, basic authentication): the server has a sign-in of its own.",
    );
  if (status === 503 && said !== undefined)
    return fail(SETTINGS, toPlainText(said, 400), "Set it, and look again: npm run setup does.");
  if (status >= 500)
    return fail(
      START_PAGE,
      `The server, or what stands in front of it, fails with HTTP ${status}.`,
      "Look at its log (npx wrangler tail), and at that of the proxy. A Worker that was just deployed needs a moment.",
    );
  return status === 200 ? undefined : notOurs(status);
}

function toSettingFindings(problems: z.infer<typeof localPage>["settingProblems"]): Finding[] {
  if (problems.length === 0) return [pass(SETTINGS, "All settings are usable.")];
  return problems.map(({ setting, problem, solution }) => fail(`setting ${setting}`, problem, solution));
}

/** A deployed server shows strangers only that something is missing. */
function toDeployedFinding(page: string): Finding {
  if (!/not fully configured|needs its settings/.test(page))
    return pass(SETTINGS, "All settings are there, as far as the start page tells.");
  return fail(
    SETTINGS,
    "A setting is missing or malformed.",
    "Open the start page: it leads through what is missing. npm run setup -- --deploy sets all of them.",
  );
}

function checkClock({ header }: Answer, now: number): Finding[] {
  const serverTime = Date.parse(header("date") ?? "");
  if (Number.isNaN(serverTime)) return [];
  const skew = Math.round((serverTime - now) / 1_000);
  if (Math.abs(skew) * 1_000 <= TOLERATED_SKEW_MS)
    return [pass(CLOCK, "The server's clock and this machine's agree.")];
  const direction = skew > 0 ? "ahead of" : "behind";
  return [
    warn(
      CLOCK,
      `The server's clock is ${Math.abs(skew)} s ${direction} this machine's.`,
      "Set the one that is wrong (NTP): else windows by time miss executions, and tokens end too early or too late.",
    ),
  ];
}
