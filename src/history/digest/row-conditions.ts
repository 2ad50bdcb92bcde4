/**
 * SQL conditions that digests and counts share, so that an execution that one counts as failed fails for the other.
 * Each takes rows of the table `executions`.
 */

const OF_EDITOR = "mode IN ('manual', 'evaluation')";
/** Runs from the editor, and what they called, say nothing about how a workflow does. @param e the table */
export const triedOut = (e: string): string => `(${e}.${OF_EDITOR}
  OR (${e}.parent_id IS NOT NULL AND EXISTS (SELECT 1 FROM executions tried WHERE tried.${OF_EDITOR}
    AND tried.id IN (${e}.parent_id, (SELECT up.parent_id FROM executions up WHERE up.id = ${e}.parent_id)))))`;

/** Canceling by hand is no failure; a time limit is one. @param e the table and a dot */
export const failedIn = (
  e: string,
): string => `(${e}status IN ('error', 'crashed') OR (${e}status = 'canceled'
  AND COALESCE(${e}error_class, '') NOT IN ('ManualExecutionCancelledError', 'ExecutionCancelledError')))`;
export const FAILED = failedIn("");

/** Executions without (all) data; not those with too much payload to read, whose other facts are counted. */
export const LACKS_DATA = "(is_read = 0 OR incomplete <> 'partial')";
