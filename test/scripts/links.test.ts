/** Dead links in the documentation are found, each with its location. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findDeadLinks } from "../../scripts/check/links.ts";
import { readAnchors, readLinks, readParts } from "../../scripts/check/markdown.ts";

async function faultsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "n8n-observer-links-"));
  const all = { "package.json": '{"scripts":{"start":"x","ask":"x"}}', ...files };
  try {
    for (const [file, text] of Object.entries(all)) {
      await mkdir(dirname(join(directory, file)), { recursive: true });
      await writeFile(join(directory, file), text);
    }
    return findDeadLinks(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const INDEX = "[one](one.md) [other](sign-in/other.md) ![](images/a.png)";
const WHOLE = {
  "README.md": "[one](docs/one.md#two-words) [site](https://example.com/nowhere)",
  "docs/README.md": INDEX,
  "docs/one.md":
    "# One\n## Two words\n`npm run ask` [up](../README.md) [here](#one) `[no](link.md)`\n```\n[no](link.md)\n```\n",
  "docs/sign-in/other.md": '<img src="../images/a.png">',
  "docs/images/a.png": "",
  "src/page.ts": 'docsUrl("one.md#two-words") // docs/one.md',
};

test("documentation without dead links has no findings", async () => {
  expect(await faultsOf(WHOLE)).toEqual([]);
});

test.each([
  [
    "a missing page",
    { "docs/one.md": "# One\n## Two words\n[gone](gone.md)" },
    "docs/one.md:3: gone.md: there is no such file",
  ],
  [
    "a missing heading",
    { "docs/one.md": "# Two words\n[x](#three)" },
    "docs/one.md:2: #three: there is no such heading",
  ],
  [
    "a missing picture",
    { "docs/sign-in/other.md": '<img src="../images/b.png"> ![](../images/a.png)' },
    "docs/sign-in/other.md:1: ../images/b.png: there is no such file",
  ],
  [
    "a page outside the project",
    { "docs/one.md": "## Two words\n[x](../../x.md)" },
    "docs/one.md:2: ../../x.md: it lies outside of the project",
  ],
  [
    "a page that the index does not link to",
    { "docs/new.md": "# New" },
    "docs/new.md: docs/README.md does not link to it",
  ],
  ["a picture that no page shows", { "docs/images/c.png": "" }, "docs/images/c.png: no page shows it"],
  [
    "an unknown command",
    { "docs/one.md": "## Two words\n`npm run nothing`" },
    "docs/one.md: npm run nothing: there is no such command",
  ],
  [
    "an unknown sub-command",
    { "docs/one.md": "## Two words\n`npm run tools bench` `npm run tools nothing`" },
    "docs/one.md: npm run tools nothing: there is no such command",
  ],
  [
    "a missing page that the code names",
    { "src/page.ts": 'docsUrl("gone.md")' },
    "src/page.ts: docs/gone.md: there is no such file",
  ],
])("%s is found", async (_, changed, fault) => {
  expect(await faultsOf({ ...WHOLE, ...changed })).toEqual([fault]);
});

test("anchors are made as GitHub makes them", () => {
  const anchors = readAnchors("# `N8N_HEADERS`\n## What [it](x.md) is, and why?\n## Same\n## Same\n");
  expect([...anchors]).toEqual(["n8n_headers", "what-it-is-and-why", "same", "same-1"]);
});

test("fenced blocks keep their language, line and text, also in lists", () => {
  const { fences } = readParts("a\n```sh\none\n\ntwo\n```\n1. x\n   ```json\n   {}\n   ```\n");
  expect(fences).toEqual([
    { language: "sh", line: 2, text: "one\n\ntwo" },
    { language: "json", line: 8, text: "{}" },
  ]);
});

test("links with a title and with brackets are read whole", () => {
  expect(readLinks('[a](b.md "title") [c](d_(e).md)').map(({ target }) => target)).toEqual([
    "b.md",
    "d_(e).md",
  ]);
});
