/** Builds and starts the floor: workerd with `floor-worker.ts`, bundled as the Worker itself is. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../command-line/command-error.ts";
import { runProcess } from "../command-line/run-process.ts";
import { findFreePort } from "../dev-server/ports.ts";
import { waitUntilAnswers } from "../dev-server/wait-until-answers.ts";
import { WRANGLER, wranglerEnvironment } from "../dev-server/wrangler.ts";
import { inProject, projectDirectory } from "../project.ts";
import { DATA_DIRECTORY, SOCKET } from "../serve/configuration.ts";
import { readWranglerConfig } from "../serve/read-configuration.ts";
import { startWorkerd } from "../serve/workerd-process.ts";

const ENTRY = inProject("scripts", "bench-calls", "floor-worker.ts");
const FIRST_PORT = 28_500;
const READY_TIMEOUT_MS = 30_000;
export const FLOOR_TOKEN = "token-of-the-floor";

/** @throws CommandError when it cannot be bundled or does not start */
export async function startFloor() {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-floor-"));
  const port = await findFreePort(FIRST_PORT);
  const workerd = await startWorkerd({
    configuration: await build(directory),
    host: "127.0.0.1",
    port,
    data: join(directory, "data"),
    settings: { TOKEN: FLOOR_TOKEN },
    prints: "nothing",
  });
  const stop = async (): Promise<void> => {
    await workerd.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const origin = `http://localhost:${port}`;
  if (!(await waitUntilAnswers(origin, { timeoutMs: READY_TIMEOUT_MS, isOver: workerd.hasEnded }))) {
    await stop();
    throw new CommandError(`The floor did not start. workerd says:\n\n${workerd.output()}`);
  }
  return { mcpUrl: `${origin}/mcp`, processId: workerd.processId, [Symbol.asyncDispose]: stop };
}

async function build(directory: string): Promise<string> {
  const { compatibility_date: date = "", compatibility_flags: flags } = readWranglerConfig();
  const settings = { name: "floor", main: ENTRY, compatibility_date: date, compatibility_flags: flags };
  const configuration = join(directory, "wrangler.json");
  await writeFile(configuration, JSON.stringify(settings));
  const args = [WRANGLER, "deploy", "--config", configuration, "--dry-run", "--outdir", directory];
  const options = { cwd: projectDirectory, env: wranglerEnvironment() };
  const { succeeded, output } = await runProcess(process.execPath, args, options);
  if (!succeeded)
    throw new CommandError(`The floor could not be bundled. wrangler says:\n\n${output.trim()}`);
  const path = join(directory, "floor.capnp");
  await writeFile(path, toCapnp(date));
  return path;
}

const toCapnp = (compatibilityDate: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "floor", worker = .worker),
    (name = "${DATA_DIRECTORY}", disk = (writable = true)),
  ],
  sockets = [(name = "${SOCKET}", service = "floor", http = ())],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "floor-worker.js")],
  compatibilityDate = "${compatibilityDate}",
  bindings = [(name = "TOKEN", fromEnvironment = "TOKEN")],
);
`;
