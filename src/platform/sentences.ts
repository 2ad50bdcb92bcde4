/** Joins the sentences of a message; those that do not apply are false or empty. Pure. */
export const joinSentences = (...sentences: readonly (string | false | undefined)[]): string =>
  sentences.filter(Boolean).join(" ");
