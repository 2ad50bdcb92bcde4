/**
 * Simulates wrangler for a set-up. Its state and its faults are in a file (FAKE_WRANGLER), into which it writes
 * its calls. Runs as a program of its own.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

export interface FakeWranglerState {
  loggedIn: boolean;
  accounts?: { id: string; name: string }[];
  /** The names of the account's Workers. */
  workers: string[];
  /** The address that a deployed Worker gets. */
  origin: string;
  failing?: "whoami" | "login" | "deploy" | "secrets";
  secrets: Record<string, string>;
  /** The arguments and input of each call. */
  calls: { args: string[]; input?: string; account?: string }[];
}

const path = process.env.FAKE_WRANGLER ?? "";
const state: FakeWranglerState = JSON.parse(readFileSync(path, "utf8"));
const args = process.argv.slice(2);
const nameIn = (): string => args[args.indexOf("--name") + 1] ?? "";
const { CLOUDFLARE_ACCOUNT_ID: account, WRANGLER_OUTPUT_FILE_PATH: outputFile } = process.env;

function end(code: number, said = ""): never {
  writeFileSync(path, JSON.stringify(state));
  // Output that nobody reads would mix with that of the tests.
  const isRead = command !== "deploy" || process.stdout.isTTY;
  if (said !== "" && isRead) process[code === 0 ? "stdout" : "stderr"].write(`${said}\n`);
  process.exit(code);
}

const [command, detail] = args;
const called = { args, ...(account === undefined ? {} : { account }) };
if (command === "secret") {
  const input = await text(process.stdin);
  state.calls.push({ ...called, input });
  if (state.failing === "secrets") end(1, `✘ [ERROR] The request with ${input} failed.`);
  if (detail === "bulk") Object.assign(state.secrets, JSON.parse(input));
  if (detail === "put") state.secrets[args[2] ?? ""] = input;
  if (detail === "delete") delete state.secrets[args[2] ?? ""];
  end(0, "✨ Success!");
}
state.calls.push(called);
if (command === "whoami") {
  if (state.failing === "whoami") end(1, "✘ [ERROR] fetch failed: getaddrinfo ENOTFOUND api.cloudflare.com");
  const { loggedIn, accounts = [{ id: "account-1", name: "Mine" }] } = state;
  if (!loggedIn) end(1, '{ "loggedIn": false }');
  end(0, JSON.stringify({ loggedIn, email: "me@example.com", accounts }));
}
if (command === "login") {
  if (state.failing !== "login") state.loggedIn = true;
  end(0, "Successfully logged in.");
}
if (command === "deployments") {
  if (state.workers.includes(nameIn())) end(0, "[]");
  end(1, "✘ [ERROR] This Worker does not exist on your account. [code: 10007]");
}
if (command === "deploy") {
  if (state.failing === "deploy") end(1, "✘ [ERROR] A request to the Cloudflare API failed.");
  state.workers.push(nameIn());
  const line = { type: "deploy", version: 1, targets: [state.origin, "schedule: 17 * * * *"] };
  appendFileSync(
    outputFile ?? "",
    `${JSON.stringify({ type: "wrangler-session" })}\n${JSON.stringify(line)}\n`,
  );
  end(0, `Deployed ${nameIn()}\n  ${state.origin}`);
}
end(1, `Unknown: ${args.join(" ")}`);
