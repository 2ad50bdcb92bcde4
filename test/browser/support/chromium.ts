/**
 * A headless Chromium for tests, with nothing to install: on Linux (x64) the one from the npm package, unpacked
 * once into a cache folder outside the repository, with its own libraries and fonts. Elsewhere the Chrome
 * of the machine. A folder that exists is complete.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LaunchOptions } from "playwright-core";
import * as z from "zod";
import { inProject } from "../../../scripts/project.ts";

const manifest = z.object({ version: z.string() });

/** @throws Error when Chromium cannot be unpacked */
export async function chromiumLaunchOptions(): Promise<LaunchOptions> {
  if (process.platform !== "linux" || process.arch !== "x64") return { channel: "chrome" };
  const directory = await unpackedChromium();
  return {
    executablePath: join(directory, "chromium"),
    env: {
      ...process.env,
      HOME: directory,
      FONTCONFIG_FILE: join(directory, "fonts.conf"),
      LD_LIBRARY_PATH: join(directory, "al2023", "lib"),
    },
  };
}

async function unpackedChromium(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "n8n-observer");
  const packageFile = inProject("node_modules", "@sparticuz", "chromium", "package.json");
  const { version } = manifest.parse(JSON.parse(await readFile(packageFile, "utf8")));
  const directory = join(cache, `chromium-${version}`);
  if (existsSync(directory)) return directory;

  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(`${directory}-`);
  try {
    const script = inProject("test", "browser", "support", "unpack-chromium.ts");
    const env = { ...process.env, TMPDIR: staging };
    await promisify(execFile)(process.execPath, [script], { env });
    await writeFile(join(staging, "fonts.conf"), fontConfiguration(directory));
    await rename(staging, directory);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process may have unpacked it meanwhile.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

/** Prefers the package's fonts, so that pages look the same everywhere, and falls back to the machine's. */
function fontConfiguration(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${directory}/fonts-cache</cachedir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
}
