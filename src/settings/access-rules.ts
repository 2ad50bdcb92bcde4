/**
 * The format of `ACCESS_RULES`: who may see which workflows, with which scopes. One fault rejects the whole setting, as
 * does a rule that could match nobody, or more than it says. Messages name the place of each fault. No I/O.
 */
import * as z from "zod";
import { parseJson } from "../platform/parse-json.ts";
import { duplicateKeys } from "./duplicate-keys.ts";
import { parseDomain, parseWholeAddress } from "./email-address.ts";
import { parsed, SCOPES, UUID } from "./values.ts";

const MAX_RULES = 200;
const MAX_NAMES = 1_000;
const MAX_SHOWN_FAULTS = 5;

const names = (name: z.ZodType<string, string> = z.string().min(1, "is empty").max(300, "is too long")) =>
  z.array(name, "is not a list of texts").min(1, "is an empty list").max(MAX_NAMES, "has too many entries");

/** An object of which at least one member is set. */
const someOf = <Shape extends Record<string, z.ZodType>>(shape: Shape, problem: string) =>
  z
    .strictObject(shape, "is not an object")
    .partial()
    .refine((members) => Object.keys(members).length > 0, problem);

/** Entra's tenant and object, or this server's id for a subject of another provider. */
const PERSON_ID = new RegExp(`^(?:${UUID}/${UUID}|oidc-[A-Za-z0-9_-]{43})$`);

const who = someOf(
  {
    groups: names(),
    emails: names(parsed(parseWholeAddress)),
    domains: names(parsed(parseDomain)),
    ids: names(
      z
        .string()
        .transform((id) => (id.startsWith("oidc-") ? id : id.toLowerCase()))
        .pipe(z.string().regex(PERSON_ID, "has a malformed id")),
    ),
    tokens: names(),
    everybody: z.literal(true, "is not true"),
  },
  "names nobody",
).refine(
  (members) => members.everybody === undefined || Object.keys(members).length === 1,
  "names everybody together with others",
);

const workflows = someOf(
  { tags: names(), projects: names(), folders: names(), names: names(), ids: names() },
  "names no workflows",
);

const EVERYTHING = { instances: undefined, workflows: undefined };
const see = z.preprocess(
  (value) => (value === "all" ? EVERYTHING : value),
  someOf({ instances: names(), workflows }, "names nothing: write all, instances, or workflows"),
);

const rule = z.strictObject(
  {
    who,
    see,
    scopes: z
      .array(z.enum(SCOPES, `is not one of ${SCOPES.join(", ")}`), "is not a list of scopes")
      .refine((scopes) => scopes.includes("n8n:read"), "lacks n8n:read, which n8n:data only adds to"),
  },
  "is not an object",
);
export type AccessRule = z.infer<typeof rule>;
/** Selects the workflows that match any of the lists. */
export type WorkflowSelector = z.infer<typeof workflows>;

const rules = z.array(rule, "is not a list of rules").max(MAX_RULES, "has too many rules");

const RULE_MEMBERS = "A rule has who, see and scopes; docs/sign-in/rules.md shows each member.";

export const accessRules = z.string().transform((text, context): AccessRule[] => {
  const refuse = (message: string) => {
    context.addIssue({ code: "custom", message, params: { solution: RULE_MEMBERS } });
    return z.NEVER;
  };
  const json = parseJson(text);
  if (json === undefined) return refuse("is not valid JSON");
  const [repeated] = duplicateKeys(text);
  if (repeated !== undefined) return refuse(`has a member twice: ${pathOf(repeated)}`);
  const { data, error } = rules.safeParse(json, { reportInput: true });
  return data ?? refuse(faultsOf(error));
});

function faultsOf(error: z.ZodError): string {
  const faults = error.issues.map(({ path, message, ...issue }) => {
    const what =
      issue.code === "unrecognized_keys"
        ? "has an unknown member"
        : issue.input === undefined
          ? "is missing"
          : message;
    return `${path.length === 0 ? "it" : pathOf(path)} ${what}`;
  });
  const more = faults.length - MAX_SHOWN_FAULTS;
  return `is wrong: ${[...faults.slice(0, MAX_SHOWN_FAULTS), ...(more > 0 ? [`${more} more`] : [])].join("; ")}`;
}

/** A path as in JavaScript, but counted from 1, like the rules. */
function pathOf(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path;
  const inside = rest
    .map((part) => (typeof part === "number" ? `[${part + 1}]` : `.${String(part)}`))
    .join("");
  return typeof first === "number" ? `rule ${first + 1}${inside}` : `${String(first)}${inside}`;
}
