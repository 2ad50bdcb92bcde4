/** The guide's rules, in its order. */
import type { AuditRule } from "../rule.ts";
import { architectureCalledWorkflowExists } from "./architecture-called-workflow-exists.ts";
import { architectureCalledWorkflowPublished } from "./architecture-called-workflow-published.ts";
import { architectureCallerPolicy } from "./architecture-caller-policy.ts";
import { architectureNoCycle } from "./architecture-no-cycle.ts";
import { architectureToolIsSubWorkflow } from "./architecture-tool-is-sub-workflow.ts";
import { atdfInputsAgree } from "./atdf-inputs-agree.ts";
import { atdfValid } from "./atdf-valid.ts";
import { atdfVersion } from "./atdf-version.ts";
import { criticalNodesErrorConnected } from "./critical-nodes-error-connected.ts";
import { criticalNodesErrorHandling } from "./critical-nodes-error-handling.ts";
import { namingEnvironment } from "./naming-environment.ts";
import { namingNoDefaultNames } from "./naming-no-default-names.ts";
import { namingParameters } from "./naming-parameters.ts";
import { namingToolCollision } from "./naming-tool-collision.ts";
import { namingToolNode } from "./naming-tool-node.ts";
import { namingToolPrefix } from "./naming-tool-prefix.ts";
import { outputErrorCodes } from "./output-error-codes.ts";
import { outputNoDeadPath } from "./output-no-dead-path.ts";
import { outputStandardFormat } from "./output-standard-format.ts";
import { outputTextKey } from "./output-text-key.ts";
import { validationBeforeEffects } from "./validation-before-effects.ts";

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
  atdfValid,
  atdfInputsAgree,
  atdfVersion,
  outputStandardFormat,
  outputNoDeadPath,
  outputTextKey,
  outputErrorCodes,
  validationBeforeEffects,
  criticalNodesErrorHandling,
  criticalNodesErrorConnected,
];
