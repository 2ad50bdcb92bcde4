/** The installed packages are the locked ones, by checksum, and no unexpected one runs code when it is installed. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";
import { n8nVersions } from "../real-n8n/versions.ts";

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});
const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(inProject(name), "utf8"));

async function lockedPackages() {
  const { packages } = lockFile.parse(await read("package-lock.json"));
  return Object.entries(packages).filter(([path]) => path !== "");
}

test("each package has a checksum, and comes from the registry", async () => {
  const packages = await lockedPackages();
  expect(packages.length).toBeGreaterThan(100);
  for (const [path, { integrity = "", resolved = "" }] of packages) {
    expect(integrity, path).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(resolved, path).not.toMatch(/^(?:git|file|http:)/);
  }
});

test("only these packages run a script when they are installed", async () => {
  const packages = (await lockedPackages()).filter(([, { hasInstallScript = false }]) => hasInstallScript);
  // Each fetches a binary for this platform, except core-js, which prints a request for support.
  expect(packages.map(([path]) => path.replace("node_modules/", ""))).toEqual([
    "core-js-pure",
    "esbuild",
    "node",
    "workerd",
  ]);
});

test("the Worker's dependencies are pinned to exact versions", async () => {
  const { dependencies } = manifest.parse(await read("package.json"));
  for (const [name, version] of Object.entries(dependencies))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each(n8nVersions)("n8n %s is locked by checksums, independent of the registry", async (version) => {
  const text = await readFile(inProject("test", "real-n8n", "n8n", version, "package-lock.json"), "utf8");
  const { packages } = lockFile.parse(JSON.parse(text));
  expect(packages["node_modules/n8n"]?.version).toBe(version);
  for (const [path, { integrity = "", resolved }] of Object.entries(packages)) {
    if (path !== "") expect(integrity, path).toMatch(/^sha512-/);
    expect(resolved, path).toBeUndefined();
  }
});
