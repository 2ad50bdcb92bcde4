/** docs/clients.md lists the default redirects of the code, and the lane of real clients can rewrite its table. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { inProject } from "../../scripts/project.ts";
import { DEFAULT_REDIRECTS } from "../../src/settings/redirect-rules.ts";
import { CLIENTS } from "../real-clients/clients/index.ts";
import { toTable, writeClients } from "../real-clients/clients-table.ts";

const document = await readFile(inProject("docs", "clients.md"), "utf8");
const ROW = { name: "A client", version: "1.0", signIn: "OAuth", seen: "this | that\nand more" };

test.each(DEFAULT_REDIRECTS.filter((entry) => entry.startsWith("https:")))("%s is documented", (entry) => {
  expect(document).toContain(`\`${entry.replace(/\*$/, "<one segment>")}\``);
});

describe("the table of clients", () => {
  const table = /<!-- clients: [^>]*-->\n([\s\S]*?)\n<!-- \/clients -->/.exec(document)?.[1] ?? "";

  test("has a row for each client of the lane, in its order", () => {
    const names = table
      .split("\n")
      .slice(2)
      .map((line) => line.split(" | ")[0]?.replace(/^\| /, ""));
    expect(names).toEqual(CLIENTS.map(({ name }) => name));
  });

  test("replaces the old one and nothing else", () => {
    const written = writeClients(writeClients(document, [ROW, ROW]), [ROW]);
    expect(written.replace(toTable([ROW]), "")).toBe(document.replace(table, ""));
    expect(written).toContain("| A client | 1.0 | OAuth | this \\| that and more |");
  });

  test("needs its marker in the document", () => {
    expect(() => writeClients("# Clients", [ROW])).toThrow(/no <!-- clients/);
  });
});
