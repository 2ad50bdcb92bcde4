/** `npm run screenshots`: takes the pictures of the pages anew, into docs/images. */
import { spawnSync } from "node:child_process";
import { inProject, projectDirectory } from "./project.ts";

const vitest = inProject("node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--project", "browser", "test/browser/screenshots.test.ts", "test/browser/picture.test.ts"],
  { cwd: projectDirectory, env: { ...process.env, WRITE_SCREENSHOTS: "1" }, stdio: "inherit" },
);
process.exitCode = status ?? 1;
