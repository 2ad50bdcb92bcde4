/** Why setting up stopped, in words for the person who did it. Anything else that is thrown is a bug. */
export class SetupError extends Error {
  override readonly name: string = "SetupError";
}

/** The person stopped it: Ctrl-C or Escape. */
export class Cancelled extends SetupError {
  override readonly name = "Cancelled";

  constructor() {
    super("Stopped.");
  }
}
