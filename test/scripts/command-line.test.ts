/** The reading of arguments that all commands share, and the running of a command. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ADMIN } from "../../scripts/command-line/admin-commands.ts";
import {
  flag,
  readArguments,
  text,
  toWholeNumber,
  WrongArguments,
} from "../../scripts/command-line/arguments.ts";
import { runCommand } from "../../scripts/command-line/command.ts";
import { CommandError } from "../../scripts/command-line/command-error.ts";
import { TOOLS } from "../../scripts/command-line/tools-commands.ts";
import { inProject } from "../../scripts/project.ts";

const FORM = { options: { name: text, json: flag }, allowPositionals: true } as const;
const read = (args: readonly string[]) => readArguments(args, FORM, ({ values }) => values);

async function run(args: readonly string[], does: () => Promise<number | undefined>) {
  const [out, errors]: [string[], string[]] = [[], []];
  const code = await runCommand({ usage: "How it is used", read, run: does }, args, {
    print: (line) => out.push(line),
    printError: (line) => errors.push(line),
  });
  return { code, out: out.join("\n"), errors: errors.join("\n") };
}

describe("arguments", () => {
  test("help takes precedence over mistakes, except after two dashes", () => {
    for (const args of [["--help"], ["-h", "--nonsense"], ["--name", "x", "--help"]])
      expect(read(args)).toEqual({ kind: "help" });
    expect(read(["--", "--help"]).kind).toBe("run");
  });

  test("an unknown option is named, unless it could be a secret", () => {
    expect(read(["--nonsense"])).toEqual({ kind: "wrong", problem: expect.stringContaining("--nonsense") });
    const discreet = readArguments(["--sk-secret"], FORM, ({ values }) => values, "Not known here.");
    expect(discreet).toEqual({ kind: "wrong", problem: "Not known here." });
  });

  test("a number has to be whole and large enough", () => {
    expect(toWholeNumber("12", "--runs", 1)).toBe(12);
    for (const typed of ["0", "-1", "1.5", "1e3", "", "many"])
      expect(() => toWholeNumber(typed, "--runs", 1)).toThrow(WrongArguments);
  });
});

describe("a command", () => {
  test("exits with its result, or 0", async () => {
    expect(await run([], async () => 3)).toEqual({ code: 3, out: "", errors: "" });
    expect((await run([], async () => undefined)).code).toBe(0);
  });

  test("prints help to stdout, and after a mistake to stderr without control characters", async () => {
    const never = async () => expect.unreachable();
    expect(await run(["--help"], never)).toEqual({ code: 0, out: "How it is used", errors: "" });
    const { code, out, errors } = await run(["--\u001b[2J"], never);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(errors).toMatch(/^Unknown option .*\n\nHow it is used$/);
    expect(errors).not.toContain("\u001b");
  });

  test("prints the message of a failure, and throws a bug", async () => {
    const fails = async () => {
      throw new CommandError("No server answers.\nStart it\u0007.");
    };
    expect(await run([], fails)).toEqual({ code: 1, out: "", errors: "No server answers.\nStart it\uFFFD." });
    const refuses = async () => {
      throw new WrongArguments("--runs takes a number.");
    };
    expect((await run([], refuses)).code).toBe(2);
    const breaks = async () => {
      throw new TypeError("a bug");
    };
    await expect(run([], breaks)).rejects.toThrow("a bug");
  });
});

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(inProject("package.json"), "utf8")));
const files = [
  ...Object.values(scripts).flatMap((command) => /scripts\/[\w-]+\.ts/.exec(command)?.[0] ?? []),
  ...[ADMIN, TOOLS].flatMap(({ names }) => Object.values(names).map(({ file }) => file)),
].filter((file) => file.endsWith(".ts"));

test.each(files)("%s reads its arguments by the shared reader", (file) => {
  const source = readFileSync(inProject(file), "utf8");
  expect(source).toMatch(/await run(?:Command|Script|Benchmark|Subcommand|Setup|Token)\(/);
  expect(source).not.toContain("parseArgs");
});
