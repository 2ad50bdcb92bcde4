/** The inputs of each part of a set-up. */
import { join } from "node:path";
import { defined } from "../../src/platform/defined.ts";
import type { SetupOptions } from "./arguments.ts";
import type { Draft } from "./draft.ts";
import type { Questions } from "./questions.ts";

/** Files of a project's folder. git ignores those with settings. */
export const placesIn = (directory: string) => ({
  devVars: join(directory, ".dev.vars"),
  draft: join(directory, ".dev.vars.setup"),
  deployed: join(directory, ".deployed.json"),
  wranglerToml: join(directory, "wrangler.toml"),
});
export type Places = ReturnType<typeof placesIn>;

/** Where the server will run. */
export type Place = "local" | "cloudflare";

export interface SetupRun {
  readonly options: SetupOptions;
  readonly questions: Questions;
  readonly draft: Draft;
  readonly places: Places;
  /** Where secrets may be given, by name. */
  readonly environment: NodeJS.ProcessEnv;
  /** What .dev.vars holds at the start. */
  readonly present: Readonly<Record<string, string>>;
}

/** The settings that affect requests to n8n. */
export const n8nRequestSettings = ({ N8N_HEADERS, N8N_API_PATH, REQUEST_ID_PATHS }: SetupRun["present"]) =>
  defined({ N8N_HEADERS, N8N_API_PATH, REQUEST_ID_PATHS });

export interface ChosenN8n {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Id of a request that can be traced, from one of the newest executions. */
  readonly requestId: string | undefined;
}
