import * as z from "zod";
import { defineTool } from "../../mcp/define-tool.ts";
import { counted } from "../../platform/counted.ts";
import { readAtdf } from "../../workflows/atdf/read-atdf.ts";
import { MAX_ATDF_LENGTH } from "../../workflows/atdf/source.ts";
import { nextCall, text } from "../params.ts";

/** Many findings share one cause, and nobody reads more at once. */
const MAX_FINDINGS = 50;

function sentence(valid: boolean, errors: number, warnings: number): string {
  const aside = warnings === 0 ? "" : ` ${counted(warnings, "remark")}.`;
  if (valid) return `The ATDF block is valid.${aside}`;
  return `The ATDF block is not valid: ${counted(errors, "fault")}.${aside} Each has its line and its fix.`;
}

export const validateAtdf = defineTool({
  name: "validate_atdf",
  title: "Check an ATDF block",
  description:
    "Checks an ATDF block (YAML in a toolWorkflow node's description): what is wrong, by line, and the fix of each.",
  scope: "n8n:read",
  audited: {},
  maxTokens: 20_000,
  input: z.strictObject({
    atdf: text(1, MAX_ATDF_LENGTH).describe("The block's text"),
  }),
  output: z.looseObject({ valid: z.boolean() }),
  async run({ atdf }) {
    const { valid, findings, block } = readAtdf(atdf);
    const errors = findings.filter(({ severity }) => severity === "error").length;
    return {
      message: sentence(valid, errors, findings.length - errors),
      data: {
        valid,
        findings: findings.slice(0, MAX_FINDINGS),
        findingsInAll: findings.length > MAX_FINDINGS ? findings.length : undefined,
        block,
      },
    };
  },
  rest: () =>
    nextCall("Correct these findings, then call again to see the rest.", "validate_atdf", {
      atdf: "description: …",
    }),
});
