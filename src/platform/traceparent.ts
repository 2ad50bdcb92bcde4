/** Reads the trace id of a W3C `traceparent`: https://www.w3.org/TR/trace-context/#traceparent-header. Pure. */

/** Version, trace id, parent id, flags; later versions may have more fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/** The 32 hex digits of the trace id; undefined for a text that is no `traceparent` in lower case. */
export const traceIdOf = (traceparent: string): string | undefined => TRACEPARENT.exec(traceparent)?.[1];
