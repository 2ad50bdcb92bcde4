/** Where request ids are looked for. */
import * as z from "zod";
import { fail, keepingLast, listOf, text } from "./source.ts";

/** Where request ids are looked for: JSON paths inside an item, headers, custom data, a chat's session. */
export const DEFAULT_REQUEST_ID_PATHS = [
  "body.context.requestId",
  "body.requestId",
  "context.requestId",
  "requestId",
  "headers.x-request-id",
  "customData.requestId",
  "headers.traceparent",
  "sessionId",
  "chatId",
] as const;

/** Longer ones are not kept whole where they are found. */
const MAX_PATH = 200;

const requestIdPath = z
  .string()
  .max(MAX_PATH)
  .regex(/^[^.\s]+(\.[^.\s]+)*$/);

/**
 * The paths at which a request id is *the* request id, as dotted paths. `headers.<name>` is matched
 * without regard to case, `customData.<key>` means n8n's custom execution data.
 * The setting is a list separated by commas, semicolons or new lines.
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export const readRequestIdPaths = keepingLast((source): readonly string[] => {
  if (text(source, "REQUEST_ID_PATHS") === undefined) return DEFAULT_REQUEST_ID_PATHS;
  const paths = listOf(source, "REQUEST_ID_PATHS");
  if (paths.length === 0 || paths.some((path) => !requestIdPath.safeParse(path).success)) {
    fail(
      "REQUEST_ID_PATHS",
      "has a malformed path",
      `List dotted paths of at most ${MAX_PATH} characters separated by commas, for example: ${DEFAULT_REQUEST_ID_PATHS.join(", ")}.`,
    );
  }
  return paths;
});
