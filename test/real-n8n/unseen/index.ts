/** All kinds of the second hold-out, in the order in which they are played. */
import { agentUnseen } from "./agents.ts";
import { codeAndHttpUnseen } from "./code-and-http.ts";
import { dataUnseen } from "./data.ts";
import { ordinaryUnseen } from "./ordinary.ts";
import type { UnseenKind, UnseenParts } from "./unseen-kind.ts";

export const unseenKinds = (parts: UnseenParts): readonly UnseenKind[] => [
  ...dataUnseen(parts),
  ...codeAndHttpUnseen(parts),
  ...agentUnseen(parts),
  ...ordinaryUnseen(parts),
];
