/** Why asking was not possible, in words for the person who asked. Anything else that is thrown is a bug. */
export class AskError extends Error {
  override readonly name = "AskError";
}
