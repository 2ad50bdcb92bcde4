/** The last part of a set-up on this machine: writes .dev.vars in one step, says what to do next, can start the server. */
import { choosePort } from "../dev-server/ports.ts";
import { writeEntries } from "../token/service-tokens.ts";
import type { ChosenPassphrase, ChosenTokens } from "./choose-access.ts";
import { renderClientLines } from "./client-lines.ts";
import { readText, writeWhole } from "./env-file.ts";
import { withSettings } from "./env-text.ts";
import { runServer } from "./first-answer.ts";
import { Cancelled } from "./questions.ts";
import type { ChosenN8n, SetupRun } from "./setup-run.ts";

const HEADING = "# Written by npm run setup. Further settings: .dev.vars.example.\n";

/** @throws CommandError, Cancelled */
export async function setUpLocally(
  run: SetupRun,
  n8n: ChosenN8n,
  { passphrase, isNew }: ChosenPassphrase,
  tokens: ChosenTokens,
): Promise<number> {
  const { questions, draft, options, places } = run;
  const port = await choosePort(options.port, "npm run setup");
  const text = (await readText(places.devVars)) || HEADING;
  const tokenSetting = tokens.entries.length === 0 ? {} : { SERVICE_TOKENS: writeEntries(tokens.entries) };
  await writeWhole(
    places.devVars,
    withSettings(text, {
      N8N_BASE_URL: n8n.baseUrl,
      N8N_API_KEY: n8n.apiKey,
      ACCESS_PASSPHRASE: passphrase,
      ...tokenSetting,
    }),
  );
  await draft.remove();
  questions.tell("success", "Wrote .dev.vars, which only you can read.");
  if (isNew) questions.tell("info", `The passphrase for signing in, kept in .dev.vars: ${passphrase}`);
  tellToken(run, tokens);
  const connectorUrl = `http://localhost:${port}/mcp`;
  questions.tell("step", `Connect an app, once the server runs:\n\n${renderClientLines(connectorUrl)}`);
  const starts = options.start ?? (questions.isAttended ? await confirmStart(run) : false);
  if (starts) return await runServer(run, port, n8n.requestId);
  questions.tell("step", "Next: npm run dev starts the server. npm run doctor tests it.");
  return 0;
}

/** Everything is written by now: stopping here only means not to start the server. */
async function confirmStart({ questions }: SetupRun): Promise<boolean> {
  try {
    return await questions.confirm({ message: "Start the server now?", option: "--start or --no-start" });
  } catch (error) {
    if (error instanceof Cancelled) return false;
    throw error;
  }
}

export function tellToken({ questions }: SetupRun, { made }: ChosenTokens): void {
  if (made === undefined) return;
  questions.tell(
    "info",
    `The token ${made.name}, shown only now (Authorization: Bearer …):\n${made.token}\nIt reads all but payloads. More, fewer, others: npm run admin token`,
  );
}
