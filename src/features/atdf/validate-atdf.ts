import * as z from "zod";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { MAX_ATDF_LENGTH } from "../../workflows/atdf/block.ts";
import { correctAtdf } from "../../workflows/atdf/correct.ts";
import { readAtdf } from "../../workflows/atdf/read-atdf.ts";

/** Many faults have one cause; nobody reads more at once. */
const MAX_FINDINGS = 50;

function sentence(valid: boolean, errors: number, warnings: number, isCorrected: boolean): string {
  const aside = warnings === 0 ? "" : ` ${warnings} remarks.`;
  if (valid) return `The ATDF block is valid.${aside}`;
  const faults = errors === 1 ? "one fault" : `${errors} faults`;
  const correction = isCorrected
    ? " A corrected block is in corrected."
    : " It cannot be corrected mechanically.";
  return `The ATDF block is not valid: ${faults}.${aside}${correction}`;
}

export const validateAtdf = defineTool({
  name: "validate_atdf",
  title: "Check an ATDF block",
  description:
    "Checks an ATDF block (YAML in a toolWorkflow node's description): what is wrong, by line, and a corrected block.",
  scope: "n8n:read",
  audited: {},
  maxTokens: 20_000,
  input: z.strictObject({
    atdf: z
      .string()
      .min(1, "must not be empty")
      .max(MAX_ATDF_LENGTH, `must be at most ${MAX_ATDF_LENGTH} characters`)
      .describe("The block's text"),
  }),
  output: z.looseObject({ valid: z.boolean(), corrected: z.string().nullable() }),
  async run({ atdf }) {
    const { valid, findings, block } = readAtdf(atdf);
    const correction = valid ? undefined : correctAtdf(atdf);
    const errors = findings.filter(({ severity }) => severity === "error").length;
    return {
      message: sentence(valid, errors, findings.length - errors, correction !== undefined),
      data: {
        valid,
        findings: findings.slice(0, MAX_FINDINGS),
        ...(findings.length > MAX_FINDINGS ? { findingsInAll: findings.length } : {}),
        corrected: correction?.text ?? null,
        ...(correction === undefined ? {} : { toFillIn: correction.toFillIn }),
        block,
      },
    };
  },
  rest: (): Guidance => ({
    message: "Correct what is told, then call again: the rest is told then.",
    example: 'validate_atdf({"atdf":"description: …"})',
  }),
});
