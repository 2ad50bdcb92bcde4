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
import { documentationDescribed } from "./documentation-described.ts";
import { errorWorkflowExists } from "./error-workflow-exists.ts";
import { errorWorkflowSet } from "./error-workflow-set.ts";
import { errorWorkflowSound } from "./error-workflow-sound.ts";
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
import { routerFailureCaught } from "./router-failure-caught.ts";
import { routerFallbackConnected } from "./router-fallback-connected.ts";
import { routerResponseChecked } from "./router-response-checked.ts";
import { securityMcpClientCredentials } from "./security-mcp-client-credentials.ts";
import { securityMcpClientTools } from "./security-mcp-client-tools.ts";
import { securityNoPlainSecret } from "./security-no-plain-secret.ts";
import { securityNoSensitiveLog } from "./security-no-sensitive-log.ts";
import { securityTriggerAuthentication } from "./security-trigger-authentication.ts";
import { tagsConsistent } from "./tags-consistent.ts";
import { tagsPresent } from "./tags-present.ts";
import { tagsVersion } from "./tags-version.ts";
import { traceabilityExecutionsSaved } from "./traceability-executions-saved.ts";
import { traceabilityRequestId } from "./traceability-request-id.ts";
import { traceabilityStepsLogged } from "./traceability-steps-logged.ts";
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
  errorWorkflowSet,
  errorWorkflowExists,
  errorWorkflowSound,
  routerFallbackConnected,
  routerResponseChecked,
  routerFailureCaught,
  securityTriggerAuthentication,
  securityNoPlainSecret,
  securityMcpClientCredentials,
  securityMcpClientTools,
  securityNoSensitiveLog,
  traceabilityRequestId,
  traceabilityExecutionsSaved,
  traceabilityStepsLogged,
  tagsPresent,
  tagsConsistent,
  tagsVersion,
  documentationDescribed,
];
