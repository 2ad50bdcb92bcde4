/**
 * Unpacks the Chromium of `@sparticuz/chromium` into the folder that TMPDIR names. The
 * package takes the folder only from TMPDIR, so `chromium.ts` runs this as a process of its own.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium, { inflate } from "@sparticuz/chromium";

await chromium.executablePath();
// Libraries that a bare machine lacks (NSS and Expat). The package itself unpacks them on Amazon Linux only.
const entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
await inflate(join(dirname(entry), "..", "bin", "al2023.tar.br"));
