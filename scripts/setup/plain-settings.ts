/**
 * Plain settings under [vars] in wrangler.toml. They win: Cloudflare rejects a secret with the name of one. Pure.
 */

/** @returns the line's value without its quotes; undefined without such a line */
function valueIn(wranglerToml: string, setting: string): string | undefined {
  const [, line] = new RegExp(`^[ \\t]*${setting}[ \\t]*=(.*)$`, "m").exec(wranglerToml) ?? [];
  return line?.trim().replace(/^(["'])(.*)\1$/, "$2");
}

export const isPlainSetting = (wranglerToml: string, setting: string): boolean =>
  valueIn(wranglerToml, setting) !== undefined;

/** @returns the first of the settings that has another value in wrangler.toml */
export const findOverridden = (
  wranglerToml: string,
  settings: Readonly<Record<string, string>>,
): string | undefined =>
  Object.keys(settings).find((name) => {
    const plain = valueIn(wranglerToml, name);
    return plain !== undefined && plain.replace(/\/+$/, "") !== settings[name];
  });
