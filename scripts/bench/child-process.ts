/** Child processes of a benchmark: measurements, and servers whose work must not count. */
import { type ChildProcess, fork } from "node:child_process";
import type { Server } from "node:http";
import { listenOnLoopback } from "../../test/support/loopback-server.ts";
import { inProject } from "../project.ts";

/** @param program a file of `scripts/bench` */
export function startChild(program: string, args: readonly string[] = []) {
  const child = fork(inProject("scripts", "bench", program), [...args], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const killOnExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killOnExit);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    send: (message: object) => void child.send(message),
    /** Its next message. @throws Error when it ends without one */
    answer: answerOf(child, program),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      process.off("exit", killOnExit);
    },
  };
}

/** Starts a program, sends it a message, and ends it when it has answered. */
export async function askChild(program: string, message: object): Promise<unknown> {
  const child = startChild(program);
  try {
    child.send(message);
    return await child.answer;
  } finally {
    await child.stop();
  }
}

function answerOf(child: ChildProcess, program: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code} and without an answer.`)));
  });
}

/** @throws Error when no benchmark has started this process */
export function sendToParent(message: object): void {
  if (process.send === undefined) throw new Error("This program is started by the benchmark.");
  process.send(message);
}

/** Ends this server when the benchmark ends. */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit());
}

/** Starts the server of this process, and sends its address to the benchmark. */
export async function serveForParent(server: Server): Promise<void> {
  const baseUrl = await listenOnLoopback(server);
  endWithParent();
  sendToParent({ n8n: { baseUrl, apiKey: "key-of-the-benchmark" } });
}
