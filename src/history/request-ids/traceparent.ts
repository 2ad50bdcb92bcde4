/** The W3C header that carries a trace id through services. Pure. */

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace id, id of the parent, flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/** The trace id in a `traceparent`; undefined when it is none. */
export const traceIdIn = (text: string): string | undefined => TRACEPARENT.exec(text.toLowerCase())?.[1];
