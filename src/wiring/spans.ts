/** The platform's traces, where the runtime has them: an older one lacks the export, which a named import would need. */
import * as runtime from "cloudflare:workers";
import { createSpans } from "../platform/spans.ts";

export const spans = createSpans(runtime.tracing);
