/** Joins the sentences of a message; those that do not apply are false or empty. Pure. */
export function joinSentences(...sentences: readonly (string | false | undefined)[]): string {
  return sentences.filter(Boolean).join(" ");
}
