/** All kinds of the second hold-out in the order of play, and those that are recorded. */
import type { RecordedVersion } from "../versions.ts";
import { agentUnseen } from "./agents.ts";
import { codeUnseen } from "./code.ts";
import { dataUnseen } from "./data.ts";
import { fileAndCallUnseen } from "./files-and-calls.ts";
import { ordinaryUnseen } from "./ordinary.ts";
import { serviceUnseen } from "./services.ts";
import { systemUnseen } from "./systems.ts";
import type { UnseenKind, UnseenParts } from "./unseen-kind.ts";

export const unseenKinds = (parts: UnseenParts): readonly UnseenKind[] => [
  ...dataUnseen,
  ...fileAndCallUnseen(parts),
  ...codeUnseen(parts),
  ...serviceUnseen(parts),
  ...systemUnseen(parts),
  ...agentUnseen(parts),
  ...ordinaryUnseen(parts),
];

/** Kinds first explained wrongly or vaguely, imitations, and similar successes; for 1.123.81 those that differ. */
export const keptKinds: Readonly<Record<RecordedVersion, readonly string[]>> = {
  "2.40.5": [
    "first-of-a-node-without-items",
    "disabled-node-leaves-field-out",
    "loop-ends-early",
    "sub-workflow-wants-a-number",
    "sub-workflow-fails-for-second-item",
    "sub-workflow-runs-out-of-time",
    "code-throws-an-object",
    "code-throws-a-sub-workflow",
    "stop-like-a-sub-workflow",
    "code-calls-http-404",
    "code-takes-apart-nothing",
    "code-makes-no-date",
    "code-for-each-returns-a-list",
    "pages-without-end",
    "token-is-none",
    "embeddings-refused",
    "agent-error-is-handled",
    "third-try-succeeds",
    "empty-result-is-handled",
    "loop-of-batches",
    "sub-workflow-for-each",
  ],
  "1.123.81": [
    "first-of-a-node-without-items",
    "sub-workflow-fails-for-second-item",
    "sub-workflow-runs-out-of-time",
    "code-throws-a-refusal",
    "code-throws-a-sub-workflow",
    "code-calls-http-404",
    "code-in-python",
    "agent-tool-answers-404",
    "extractor-gets-no-json",
  ],
  "1.100.1": [],
};
