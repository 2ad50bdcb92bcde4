/** Sign-in by passphrase needs one to be set: without it nobody gets in, and whoever asks is told how. */
import { readSignInSettings, type SettingProblem, type SettingsSource } from "../settings.ts";
import { RequestRefused, toSettingFailure } from "./failure.ts";

const PASSPHRASE_MISSING: SettingProblem = {
  setting: "ACCESS_PASSPHRASE",
  problem: "No passphrase is set, so nobody can sign in.",
  solution:
    "Whoever runs this server sets ACCESS_PASSPHRASE: locally in .dev.vars, deployed with `wrangler secret put ACCESS_PASSPHRASE`. A good one comes from `openssl rand -base64 24`.",
};

/** The problem, unless a passphrase is set. */
export function findPassphraseProblem(source: SettingsSource): SettingProblem | undefined {
  return readSignInSettings(source).passphrase === undefined ? PASSPHRASE_MISSING : undefined;
}

/** @throws RequestRefused when no passphrase is set. */
export function requirePassphraseSet(source: SettingsSource): void {
  const problem = findPassphraseProblem(source);
  if (problem !== undefined) throw new RequestRefused(toSettingFailure(problem));
}
