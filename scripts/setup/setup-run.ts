/** The inputs of each part of a set-up. */
import { join } from "node:path";
import type { SetupOptions } from "./arguments.ts";
import type { Draft } from "./draft.ts";
import type { Questions } from "./questions.ts";

/** Files of a project's folder. git ignores those with settings. */
export interface Places {
  readonly devVars: string;
  readonly draft: string;
  readonly deployed: string;
  readonly wranglerToml: string;
}

export function placesIn(directory: string): Places {
  return {
    devVars: join(directory, ".dev.vars"),
    draft: join(directory, ".dev.vars.setup"),
    deployed: join(directory, ".deployed.json"),
    wranglerToml: join(directory, "wrangler.toml"),
  };
}

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

export interface ChosenN8n {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Id of a request that can be traced, from one of the newest executions. */
  readonly requestId: string | undefined;
}
