/** The bytes are not the JSON they should be, or they end too early. */
export class JsonReadError extends Error {
  override readonly name = "JsonReadError";
}
