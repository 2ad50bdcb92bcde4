/** The platform's traces, where available: a named import would fail in an older runtime without the export. */
import * as runtime from "cloudflare:workers";
import { createSpans } from "../platform/spans.ts";

export const spans = createSpans(runtime.tracing);
