/** Opens a page in the person's browser, if there is one; else nothing happens, and the address stands in the output. */
import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

export function openInBrowser(url: string): void {
  const [command = "xdg-open", ...first] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...first, url], { stdio: "ignore", detached: true });
  // No browser here: the address is told all the same.
  opener.on("error", () => {});
  opener.unref();
}
