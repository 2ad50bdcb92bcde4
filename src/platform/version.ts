/** This server's version, as package.json has it: `test/packaging/release.test.ts` compares them. */
export const VERSION = "0.1.0";
