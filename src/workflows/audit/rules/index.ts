/** The guide's rules, in its order. */
import type { AuditRule } from "../rule.ts";
import { architectureCalledWorkflowExists } from "./architecture-called-workflow-exists.ts";
import { architectureCalledWorkflowPublished } from "./architecture-called-workflow-published.ts";
import { architectureCallerPolicy } from "./architecture-caller-policy.ts";
import { architectureNoCycle } from "./architecture-no-cycle.ts";
import { architectureToolIsSubWorkflow } from "./architecture-tool-is-sub-workflow.ts";
import { namingEnvironment } from "./naming-environment.ts";
import { namingNoDefaultNames } from "./naming-no-default-names.ts";
import { namingParameters } from "./naming-parameters.ts";
import { namingToolCollision } from "./naming-tool-collision.ts";
import { namingToolNode } from "./naming-tool-node.ts";
import { namingToolPrefix } from "./naming-tool-prefix.ts";

export const RULES: readonly AuditRule[] = [
  architectureToolIsSubWorkflow,
  architectureNoCycle,
  architectureCalledWorkflowExists,
  architectureCalledWorkflowPublished,
  architectureCallerPolicy,
  namingToolPrefix,
  namingToolNode,
  namingToolCollision,
  namingParameters,
  namingEnvironment,
  namingNoDefaultNames,
];
