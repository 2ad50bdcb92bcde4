/** Prints the dead links of the documentation, one a line, and exits 1 if there are any. A step of `npm run check`. */
import { findDeadLinks } from "./check/links.ts";
import { projectDirectory } from "./project.ts";

const faults = findDeadLinks(projectDirectory);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
