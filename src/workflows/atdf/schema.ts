/** The schema of an ATDF block, and a fix for each violation. Pure. */
import * as z from "zod";

const INPUT_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
/** `string`, `string (ISO 8601)`, `string[]`, `array<string>`, `string | null`. */
const KNOWN_TYPE = new RegExp(`^(?:${INPUT_TYPES.join("|")})(?![\\p{L}\\p{N}_])`, "iu");

const textOr = (complaint: string) => z.string(complaint).min(1, { error: "is empty.", abort: true });
const text = textOr("is not a text.");

const input = z.object(
  {
    name: text,
    type: text.refine((type) => KNOWN_TYPE.test(type), "is not a JSON type."),
    required: z.boolean("is not true or false."),
    description: text,
  },
  "is not a mapping.",
);

const outputs = z.object({ status: z.string(), data: z.string(), meta: z.string() }, "has no keys.");

const block = z.object({
  description: text,
  version: text.regex(/\d/, "has no number."),
  when_to_use: textOr("is neither a text nor a list of texts."),
  how_to_use: z.object(
    { inputs: z.array(input, "is neither a list nor a mapping."), outputs },
    "has no keys.",
  ),
});

/** Fixes by path without item numbers. */
const FIXES: Readonly<Record<string, string>> = {
  description: "Say in one sentence what the tool does.",
  version: 'Give the version of the tool, for example version: "1.0.0".',
  when_to_use: "Say when an agent should use the tool, and when not.",
  how_to_use: "Put inputs and outputs under how_to_use.",
  "how_to_use.inputs":
    "List the inputs, each with name, type, required and description; [] when there are none.",
  "how_to_use.inputs.name": "Give the name that clients use.",
  "how_to_use.inputs.type": `Use one of ${INPUT_TYPES.join(", ")}.`,
  "how_to_use.inputs.required": "Write true or false.",
  "how_to_use.inputs.description": "Describe the input for the agent that has to fill it in.",
  "how_to_use.outputs": "Describe status, data and meta.",
  "how_to_use.outputs.status": "Describe what status holds.",
  "how_to_use.outputs.data": "Describe what data holds.",
  "how_to_use.outputs.meta": "Describe what meta holds.",
};
const ITEM_FIX = "Give it type, required and description; in a list, its name too.";

export function violationsOf(value: unknown) {
  const { error } = block.safeParse(value, { reportInput: true });
  return (error?.issues ?? []).map((issue) => {
    const { path } = issue;
    const fix = FIXES[path.filter((key) => typeof key === "string").join(".")] ?? "";
    return {
      code: codeOf(issue),
      path,
      /** The end of a sentence that begins with the path. */
      complaint: issue.input === undefined ? "is missing." : issue.message,
      fix: typeof path.at(-1) === "number" ? ITEM_FIX : fix,
    };
  });
}

function codeOf({ code, input: given }: z.core.$ZodIssue): string {
  if (given === undefined) return "missing";
  if (code === "too_small") return "empty";
  return code === "custom" ? "unknown_type" : "wrong_kind";
}
