/** Defines prompts for frequent questions. They contain only our own text and the person's arguments, in quotes. */
import * as z from "zod";

interface PromptArgument {
  readonly description: string;
  readonly isOptional?: true;
}

interface PromptDefinition<Name extends string = string> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: Readonly<Record<Name, PromptArgument>>;
  /** @param given the arguments as JSON strings; empty for omitted ones @param has whether this server has a tool */
  readonly text: (given: Readonly<Record<Name, string>>, has: (tool: string) => boolean) => string;
}

export interface Prompt extends Omit<PromptDefinition, "text"> {
  readonly schema: z.ZodObject;
  readonly render: (args: Readonly<Record<string, unknown>>, has: (tool: string) => boolean) => string;
}

/** Maximum length of an argument, in characters: people paste short ids. */
const MAX_ARGUMENT = 512;

export function definePrompt<Name extends string>(definition: PromptDefinition<Name>): Prompt {
  const { text, ...facts } = definition;
  const names = Object.keys(definition.arguments).filter((name): name is Name =>
    Object.hasOwn(definition.arguments, name),
  );
  const schema = z.object(Object.fromEntries(names.map((name) => [name, schemaOf(facts.arguments[name])])));
  return {
    ...facts,
    schema,
    render(args, has) {
      const given = names.map((name) => {
        const value = args[name];
        return [name, typeof value === "string" && value.trim() !== "" ? JSON.stringify(value.trim()) : ""];
      });
      return text(z.record(z.enum(names), z.string()).parse(Object.fromEntries(given)), has);
    },
  };
}

function schemaOf({ description, isOptional }: PromptArgument): z.ZodType {
  const value = z
    .string()
    .max(MAX_ARGUMENT, `must be at most ${MAX_ARGUMENT} characters`)
    .describe(description);
  return isOptional === true ? value.optional() : value;
}
