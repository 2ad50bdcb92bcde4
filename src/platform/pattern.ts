/**
 * A regular expression written over several lines, for one with many alternatives: line breaks and indentation do not
 * count. A space that counts at the start or end of a line is written `[ ]`. Pure.
 *
 * @example const YES = pattern("i")`
 *   ^(?:
 *     yes|ja|oui
 *     |true|on
 *   )$
 * `;
 */
export const pattern =
  (flags = "") =>
  ({ raw: [source = ""] }: TemplateStringsArray): RegExp =>
    new RegExp(source.replaceAll(/[ ]*\n[ ]*/g, ""), flags);
