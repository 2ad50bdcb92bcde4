/** Says which links of the documentation lead nowhere, a line each, and exits 1 when there are any. A step of `npm run check`. */
import { findDeadLinks } from "./check/links.ts";
import { projectDirectory } from "./project.ts";

const faults = findDeadLinks(projectDirectory);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
