/** Why a command could not do its work, in words for the person who typed it. Anything else that is thrown is a bug. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
}
