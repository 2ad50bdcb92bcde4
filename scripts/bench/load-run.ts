/** Runs a load on a Worker of its own, in front of a recorded n8n of its own, which counts the requests. */
import { startRecordedN8n } from "../../test/recorded-n8n/server.ts";
import { startTestWorker } from "../../test/support/test-worker.ts";
import { askChild } from "./child-process.ts";
import { type LoadCall, type LoadTask, loadResult, performLoad } from "./load-users.ts";
import { tokensOf } from "./users.ts";

export interface LoadOptions {
  readonly users: number;
  readonly greedyUsers: number;
  readonly greedyLoops: number;
  readonly greedyCalls: LoadTask["greedyCalls"];
  readonly milliseconds: number;
  readonly pauseMs: number;
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

const perform = async (task: LoadTask, where: LoadOptions["where"]): Promise<LoadCall[]> =>
  where === "this process"
    ? await performLoad(task)
    : loadResult.parse(await askChild("load-process.ts", task));

export async function runLoad(options: LoadOptions): Promise<LoadOutcome> {
  await using resources = new AsyncDisposableStack();
  const n8n = resources.adopt(
    await startRecordedN8n({ multiplyTo: options.executions }),
    async (server) => await server.close(),
  );
  n8n.faults.always({ kind: "slow", milliseconds: options.n8nMs });
  const tokens = tokensOf("ordinary", options.users);
  const greedyTokens = tokensOf("greedy", options.greedyUsers);
  const worker = resources.adopt(
    await startTestWorker(n8n, { ...tokens, ...greedyTokens }, { settings: options.settings ?? {} }),
    async (started) => await started.stop(),
  );
  const requests = n8n.scenarios.map(({ requestId, expected }) => ({
    requestId,
    ids: expected.executionIds,
  }));
  const calls = await perform(
    {
      mcpUrl: worker.mcpUrl,
      tokens: Object.values(tokens),
      greedyTokens: Object.values(greedyTokens),
      greedyLoops: options.greedyLoops,
      greedyCalls: options.greedyCalls,
      milliseconds: options.milliseconds,
      pauseMs: options.pauseMs,
      requestIds: requests.map(({ requestId }) => requestId),
      executionIds: requests.flatMap(({ ids }) => ids),
    },
    options.where,
  );
  const { highestConcurrency, mostInAMinute } = n8n.load;
  const pagesTwice = countPagesTwice(n8n.requests.map(({ path }) => path));
  return { calls, requests: n8n.load.requests, highestConcurrency, mostInAMinute, pagesTwice };
}
