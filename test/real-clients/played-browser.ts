/**
 * Simulates a person and their browser: a client opens an authorization URL with the system's command, and
 * this signs in with the passphrase, consents, and follows the redirect to the client's callback.
 * No real browser is opened, and a client that only prints its URL is served as well.
 */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { allow } from "../support/oauth-client.ts";

/** The commands that programs call to open a browser. */
const COMMANDS = [
  "xdg-open",
  "open",
  "sensible-browser",
  "x-www-browser",
  "www-browser",
  "gnome-open",
  "wslview",
];
const PATIENCE_MS = 30_000;
const AUTHORIZATION_URL = /http:\/\/localhost:\d+\/authorize\?[^\s"'<>]+/;

export interface PlayedBrowser {
  /** The first directory of a client's `PATH`. */
  readonly commands: string;
  /**
   * Waits for the URL that a client opens or prints, signs in there, and calls the client's callback.
   * @param printed what the client has printed so far
   * @returns the callback without its query, as shown in the table
   */
  readonly signIn: (printed: () => string, passphrase: string) => Promise<string>;
}

export async function playBrowser(directory: string): Promise<PlayedBrowser> {
  const commands = join(directory, "browser");
  const opened = join(directory, "opened");
  await mkdir(commands, { recursive: true });
  for (const name of COMMANDS) {
    const path = join(commands, name);
    await writeFile(path, `#!/bin/sh\nfor each in "$@"; do printf '%s\\n' "$each" >> '${opened}'; done\n`);
    await chmod(path, 0o755);
  }
  const findUrl = async (printed: () => string): Promise<URL> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      const text = `${await readFile(opened, "utf8").catch(() => "")}\n${printed()}`;
      const [found] = AUTHORIZATION_URL.exec(text) ?? [];
      if (found !== undefined) return new URL(found);
      await sleep(50);
    }
    throw new Error(`No authorization URL was opened or printed. Printed was:\n${printed().slice(-2_000)}`);
  };
  return {
    commands,
    signIn: async (printed, passphrase) => {
      const url = await findUrl(printed);
      // After a moment, as a person would: a client may open the URL before it listens.
      const callback = await allow(url, passphrase, true);
      const answer = await fetch(callback);
      await answer.body?.cancel();
      if (answer.status >= 400) throw new Error(`The client's callback answered ${answer.status}.`);
      return `\`${callback.origin.replace(/:\d+$/, ":<port>")}${callback.pathname}\``;
    },
  };
}
