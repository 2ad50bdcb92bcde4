/** Reads the list of n8n's types of credentials. */
import { N8N_CREDENTIALS } from "./n8n-credentials.ts";

const TOLD = ["form", "beside", "oauth", "password", "name", "none"] as const;

export interface Credential {
  readonly type: string;
  readonly told: (typeof TOLD)[number];
  /** The provider of the form, or the name beside it; else empty. */
  readonly what: string;
}

/** @throws SyntaxError for a type that is not classified */
export function credentials(): Credential[] {
  return N8N_CREDENTIALS.split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [type = "", word = "", what = ""] = line.split(" | ");
      const told = TOLD.find((each) => each === word);
      if (told === undefined)
        throw new SyntaxError(`Say how the secret of ${type} is told: ${TOLD.join(", ")}.`);
      return { type, told, what };
    });
}
