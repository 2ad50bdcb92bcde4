/** How a trace is best read as a text: the executions as a tree, with their times as bars. */
import type { Rendering } from "../../mcp/rendering/rendering.ts";

export const TRACE_RENDERING: Rendering = {
  trees: {
    executions: { id: "id", parent: "parentId", bar: { start: "startOffsetMs", duration: "durationMs" } },
  },
};
