/**
 * What a resource is: the answer of one of our tools under an address, `n8n://execution/{id}`; with several n8n instances,
 * `n8n://{instance}/execution/{id}`. Reading one is a call of the tool, with everything that a call passes.
 */
export interface ResourceDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The kind of thing, which stands in the address. */
  readonly kind: string;
  /** The tool that answers. */
  readonly tool: string;
  /** Its argument, which stands in the address. */
  readonly argument: string;
  /** Values of the argument are names of workflows. */
  readonly completes?: "workflowName";
}
