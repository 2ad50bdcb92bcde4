/**
 * Settings that stand in wrangler.toml itself, under [vars]. Cloudflare takes no secret of the name of one, so that it is
 * the line there which counts. Pure.
 */

/** @returns the line's text without its quotes; undefined if no line counts */
function valueIn(wranglerToml: string, setting: string): string | undefined {
  const [, line] = new RegExp(`^[ \\t]*${setting}[ \\t]*=(.*)$`, "m").exec(wranglerToml) ?? [];
  return line?.trim().replace(/^(["'])(.*)\1$/, "$2");
}

export const isPlainSetting = (wranglerToml: string, setting: string): boolean =>
  valueIn(wranglerToml, setting) !== undefined;

/** @returns the first setting to which wrangler.toml gives another value than it is to have */
export function findOverridden(
  wranglerToml: string,
  settings: Readonly<Record<string, string>>,
): string | undefined {
  const [setting] =
    Object.entries(settings).find(([name, wanted]) => {
      const plain = valueIn(wranglerToml, name);
      return plain !== undefined && plain.replace(/\/+$/, "") !== wanted;
    }) ?? [];
  return setting;
}
