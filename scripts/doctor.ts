/**
 * `npm run doctor`: checks a server from outside and lists the problems, each with its fix.
 * Promises: changes nothing except registering one unused app; a token goes to no other address.
 */

import { findServer } from "./ask/find-server.ts";
import type { OptionsOf } from "./command-line/arguments.ts";
import { EXIT_FAILED, EXIT_USAGE, runCommand } from "./command-line/command.ts";
import { readSessions } from "./dev-server/session-file.ts";
import { DOCTOR_USAGE, readDoctorArguments } from "./doctor/arguments.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { isFailure, type Patient } from "./doctor/finding.ts";
import { renderFindings, renderJsonLines, summarize } from "./doctor/render.ts";
import { startedServersDirectory } from "./start/places.ts";

type DoctorOptions = OptionsOf<typeof readDoctorArguments>;

/** A server that runs on this machine comes with the token in its session file. @throws CommandError */
async function findPatient({ origin, usesToken }: DoctorOptions): Promise<Patient> {
  const { url, token } = findServer({
    url: origin === undefined ? undefined : `${origin}/mcp`,
    token: usesToken ? process.env.N8N_OBSERVER_TOKEN || undefined : undefined,
    environmentToken: undefined,
    sessions: await readSessions(startedServersDirectory),
  });
  return { origin: origin ?? new URL(url).origin, token };
}

async function run(options: DoctorOptions): Promise<number> {
  const patient = await findPatient(options);
  if (options.usesToken && patient.token === undefined) {
    console.error("The environment variable N8N_OBSERVER_TOKEN is empty.");
    return EXIT_USAGE;
  }
  if (!options.json) console.log(`Looking at ${patient.origin}\n`);
  const findings = await diagnose(patient);
  if (options.json) console.log(renderJsonLines(findings));
  else console.log(`${renderFindings(findings)}\n\n${summarize(findings)}`);
  return findings.some(isFailure) ? EXIT_FAILED : 0;
}

process.exitCode = await runCommand({ usage: DOCTOR_USAGE, read: readDoctorArguments, run });
