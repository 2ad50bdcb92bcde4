import { CommandError } from "../command-line/command-error.ts";

/** The person stopped it: Ctrl-C or Escape. */
export class Cancelled extends CommandError {
  override readonly name = "Cancelled";

  constructor() {
    super("Stopped.");
  }
}
