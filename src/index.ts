export { PassphraseLock } from "./auth/passphrase-lock.ts";
export { TraceSession } from "./trace/trace-session.ts";

export default {
  fetch() {
    return new Response("n8n-observer");
  },
} satisfies ExportedHandler<Env>;
