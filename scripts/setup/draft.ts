/**
 * The tested answers of an unfinished set-up, so that the next run resumes there. The file holds secrets: only its owner
 * can read it, and it is removed when the set-up is finished.
 */
import * as z from "zod";
import { defined } from "../../src/platform/defined.ts";
import { readSettings, removeFile, writeWhole } from "./env-file.ts";
import { withSettings } from "./env-text.ts";

const draft = z.object({
  SETUP_PLACE: z.enum(["local", "cloudflare"]).optional().catch(undefined),
  N8N_BASE_URL: z.string().optional(),
  N8N_API_KEY: z.string().optional(),
  ACCESS_PASSPHRASE: z.string().optional(),
  /** Made by the set-up, so that the person must be shown it at the end. */
  SETUP_MADE_PASSPHRASE: z.literal("yes").optional().catch(undefined),
  /** The Worker's name, once it is chosen. */
  SETUP_WORKER: z.string().optional(),
  /** The Worker's address, once it is deployed. */
  SETUP_ORIGIN: z.string().optional(),
});
export type DraftFacts = z.infer<typeof draft>;

export class Draft {
  readonly #path: string;
  #facts: DraftFacts;

  private constructor(path: string, facts: DraftFacts) {
    this.#path = path;
    this.#facts = facts;
  }

  /** @param isAnew discards an unfinished set-up */
  static async open(path: string, isAnew: boolean): Promise<Draft> {
    if (isAnew) await removeFile(path);
    return new Draft(path, draft.parse(isAnew ? {} : await readSettings(path)));
  }

  get facts(): DraftFacts {
    return this.#facts;
  }

  get isEmpty(): boolean {
    return Object.values(this.#facts).every((value) => value === undefined);
  }

  async keep(facts: Partial<DraftFacts>): Promise<void> {
    this.#facts = { ...this.#facts, ...facts };
    const heading = "# An unfinished set-up: npm run setup resumes it and removes this file.\n";
    await writeWhole(this.#path, withSettings(heading, defined(this.#facts)));
  }

  async remove(): Promise<void> {
    await removeFile(this.#path);
    this.#facts = {};
  }
}
