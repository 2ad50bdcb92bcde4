/** What each part of a set-up is given. */
import { inProject } from "../project.ts";
import type { SetupOptions } from "./arguments.ts";
import type { Draft } from "./draft.ts";
import type { Questions } from "./questions.ts";

export const DEV_VARS = inProject(".dev.vars");
/** git ignores it. */
export const DRAFT = inProject(".dev.vars.setup");

export interface SetupRun {
  readonly options: SetupOptions;
  readonly questions: Questions;
  readonly draft: Draft;
  /** What .dev.vars holds at the start. */
  readonly present: Readonly<Record<string, string>>;
}

export interface ChosenN8n {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A request that can be asked about, of one of the newest executions. */
  readonly requestId: string | undefined;
}
