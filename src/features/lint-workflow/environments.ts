/** Tags that say in which environment a workflow runs. Pure. */
const ENVIRONMENTS = new Set(
  "production prod live staging stage stg test testing qa uat development dev local sandbox demo".split(" "),
);

/** The environment tags among these, also in the form `env:production`. */
export function environmentsIn(tags: readonly string[]): string[] {
  return tags
    .map((tag) => tag.toLowerCase().replace(/^env(ironment)?[:/=-]/, ""))
    .filter((tag) => ENVIRONMENTS.has(tag));
}
