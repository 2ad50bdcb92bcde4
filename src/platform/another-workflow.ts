/** Replaces the id of an execution whose workflow the caller may not see. */
export const ANOTHER_WORKFLOW = "another workflow";

/** An execution within a sentence. */
export const executionNamed = (id: string): string =>
  id === ANOTHER_WORKFLOW ? "an execution of another workflow, which is not shown" : `execution ${id}`;
