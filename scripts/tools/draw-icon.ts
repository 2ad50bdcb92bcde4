/** Redraws the icon's pictures from its SVG, in a real Chromium. Run it when `src/pages/icon/icon.ts` has changed. */
import { writeFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { ICON_SVG } from "../../src/pages/icon/icon.ts";
import { chromiumLaunchOptions } from "../../test/browser/support/chromium.ts";
import { runScript } from "../command-line/command.ts";
import { inProject } from "../project.ts";

const FAVICON_SIZE = 32;
const LARGE_SIZE = 96;
/** Claude's plugin directory requires at least 512 pixels. */
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
    const pictures = {
      FAVICON: toIco(await draw(FAVICON_SIZE), FAVICON_SIZE),
      PNG_LARGE: await draw(LARGE_SIZE),
    };
    const constants = Object.entries(pictures).map(
      ([name, picture]) => `export const ${name} =\n  "${picture.toString("base64")}";\n`,
    );
    await writeFile(PLUGIN_ICON.file, await draw(PLUGIN_ICON.size));
    await writeFile(
      FILE,
      `/** The icon as ICO and as PNG, base64, as \`npm run tools icon\` draws it. Do not edit. */\n${constants.join("")}`,
    );
    for (const [name, { length }] of Object.entries(pictures)) console.log(`${name}: ${length} bytes`);
  } finally {
    await browser.close();
  }
});

/** An ICO file with one picture, which may be a PNG since Windows Vista. All numbers are little-endian. */
function toIco(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // with one picture
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10); // planes
  header.writeUInt16LE(32, 12); // bits per pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}
