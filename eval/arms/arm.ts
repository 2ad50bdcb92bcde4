/** What an agent is given to answer with. */

export interface ArmTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface Arm extends AsyncDisposable {
  readonly name: string;
  readonly tools: readonly ArmTool[];
  /** The instructions of the server. */
  readonly instructions?: string | undefined;
  /** The answer as a model reads it. An error is an answer too. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
}
