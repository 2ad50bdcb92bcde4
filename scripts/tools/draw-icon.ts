/** Redraws the icon's pictures from its SVG, in a real Chromium. Run it when `src/pages/icon/icon.ts` has changed. */
import { writeFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { ICON_SVG } from "../../src/pages/icon/icon.ts";
import { chromiumLaunchOptions } from "../../test/browser/support/chromium.ts";
import { runScript } from "../command-line/command.ts";
import { inProject } from "../project.ts";

const SIZES = { PNG_SMALL: 32, PNG_LARGE: 96 } as const;
/** The directory of Claude's plugins wants one of 512 pixels at least. */
const PLUGIN_ICON = { file: inProject("plugin", ".claude-plugin", "icon.png"), size: 512 };
const FILE = inProject("src", "pages", "icon", "icon-pictures.ts");

const USAGE = `Redraws the icon's pictures from its SVG, in a real Chromium.

  npm run tools icon`;

await runScript(USAGE, {}, async () => {
  const browser = await chromium.launch(await chromiumLaunchOptions());
  try {
    const draw = async (size: number): Promise<Buffer> => {
      const page = await browser.newPage({ viewport: { width: size, height: size } });
      await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${ICON_SVG}`);
      const png = await page.screenshot({ omitBackground: true });
      await page.close();
      return png;
    };
    const constants: string[] = [];
    for (const [name, size] of Object.entries(SIZES)) {
      const png = await draw(size);
      constants.push(`export const ${name} =\n  "${png.toString("base64")}";\n`);
      console.log(`${name}: ${size} × ${size}, ${png.length} bytes`);
    }
    await writeFile(PLUGIN_ICON.file, await draw(PLUGIN_ICON.size));
    await writeFile(
      FILE,
      `/** The icon as PNG, base64, as \`npm run tools icon\` draws it. Do not edit. */\n${constants.join("")}`,
    );
  } finally {
    await browser.close();
  }
});
