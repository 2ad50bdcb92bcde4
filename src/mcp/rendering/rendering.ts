/** Hints of a tool on how to render its answers. Every answer can be rendered without. */

export interface Rendering {
  /** A list of data's own that is a tree, by its name. */
  readonly trees?: Readonly<Record<string, TreeRendering>>;
}

/** Rows are told below the row that caused them, indented. */
export interface TreeRendering {
  readonly id: string;
  /** The member that names the row above. */
  readonly parent: string;
  /** When each began and how long it took, in milliseconds: drawn as a bar. */
  readonly bar?: { readonly start: string; readonly duration: string };
}
