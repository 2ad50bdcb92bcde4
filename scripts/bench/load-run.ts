/** Runs a load on a Worker of its own, in front of a recorded n8n of its own, which counts the requests. */
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { startTestWorker } from "../../test/support/test-worker.ts";
import { askChild } from "./child-process.ts";
import { type LoadCall, type LoadTask, loadResult, performLoad } from "./load-users.ts";
import { tokensOf } from "./users.ts";

/** How users call. */
type Pace = Pick<LoadTask, "greedyLoops" | "greedyCalls" | "milliseconds" | "pauseMs">;

export interface LoadOptions extends Pace {
  readonly users: number;
  readonly greedyUsers: number;
  readonly executions: number;
  /** Minimum time of each answer of n8n. */
  readonly n8nMs: number;
  /** Further settings of the Worker. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the users run: in a process of their own they take no time from the caller's. */
  readonly where: "own process" | "this process";
}

export interface LoadOutcome {
  readonly calls: readonly LoadCall[];
  readonly requests: number;
  readonly highestConcurrency: number;
  readonly mostInAMinute: number;
  /** Pages of ended executions with data that were requested more than once. */
  readonly pagesTwice: number;
}

/** Ended executions are read in pages by cursor. Running ones are listed anew by each trace, and do not count. */
const isPage = (path: string): boolean => path.includes("includeData=true") && path.includes("cursor=");

function countPagesTwice(paths: readonly string[]): number {
  const pages = Map.groupBy(paths.filter(isPage), (path) => path);
  return [...pages.values()].filter(({ length }) => length > 1).length;
}

export async function runLoad({
  users,
  greedyUsers,
  executions,
  n8nMs,
  settings = {},
  where,
  ...pace
}: LoadOptions): Promise<LoadOutcome> {
  await using resources = new AsyncDisposableStack();
  const n8n = resources.adopt(
    await startRecordedN8n({ multiplyTo: executions }),
    async (server) => await server.close(),
  );
  n8n.faults.always({ kind: "slow", milliseconds: n8nMs });
  const tokens = tokensOf("ordinary", users);
  const greedyTokens = tokensOf("greedy", greedyUsers);
  const worker = resources.adopt(
    await startTestWorker(n8n, { ...tokens, ...greedyTokens }, { settings }),
    async (started) => await started.stop(),
  );
  const task: LoadTask = {
    ...pace,
    mcpUrl: worker.mcpUrl,
    tokens: Object.values(tokens),
    greedyTokens: Object.values(greedyTokens),
    requestIds: n8n.scenarios.map(({ requestId }) => requestId),
    executionIds: n8n.scenarios.flatMap(({ expected }) => expected.executionIds),
  };
  const calls =
    where === "this process"
      ? await performLoad(task)
      : loadResult.parse(await askChild("load-process.ts", task));
  const { requests, highestConcurrency, mostInAMinute } = n8n.load;
  const pagesTwice = countPagesTwice(n8n.requests.map(({ path }) => path));
  return { calls, requests, highestConcurrency, mostInAMinute, pagesTwice };
}
