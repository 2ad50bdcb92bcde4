/** `npm run admin` and `npm run tools`: their sub-commands exist, and unknown ones are refused with the list. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ADMIN } from "../../scripts/command-line/admin-commands.ts";
import { TOOLS } from "../../scripts/command-line/tools-commands.ts";
import { inProject } from "../../scripts/project.ts";

test("package.json has at most sixteen commands", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(inProject("package.json"), "utf8")));
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(16);
});

describe.each([
  ["admin", ADMIN],
  ["tools", TOOLS],
])("npm run %s", (script, { names }) => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [inProject("scripts", `${script}.ts`), ...args], { encoding: "utf8" });

  test("names scripts that exist", () => {
    const files = Object.values(names).flatMap(({ file, args = [] }) => [
      file,
      ...args.filter((argument) => argument.endsWith(".ts")),
    ]);
    expect(files.filter((file) => !existsSync(inProject(file)))).toEqual([]);
  });

  test("lists its sub-commands as help", () => {
    const { status, stdout } = run("--help");
    expect(status).toBe(0);
    for (const name of Object.keys(names)) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  });

  test.each([[[]], [["nothing"]], [["constructor"]]])("refuses %j, and lists its sub-commands", (args) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(Object.keys(names)[0]);
  });
});
