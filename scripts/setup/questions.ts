/** Questions and messages of a set-up. Without a terminal, an error names the option that answers the question. */
import { CommandError } from "../command-line/command-error.ts";

/** The person stopped the set-up: Ctrl-C or Escape. */
export class Cancelled extends CommandError {
  override readonly name = "Cancelled";

  constructor() {
    super("Stopped.");
  }
}

export interface Question {
  readonly message: string;
  /** The option that answers it without asking. */
  readonly option: string;
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** A sentence about what is wrong with an answer; undefined if the answer is valid. */
type Refuse = (answer: string) => string | undefined;

export interface Questions {
  /** @throws Cancelled */
  choose<Value extends string>(question: Question, choices: readonly Choice<Value>[]): Promise<Value>;
  /** @throws Cancelled */
  text(
    question: Question & { readonly placeholder?: string; readonly initial?: string },
    refuse: Refuse,
  ): Promise<string>;
  /** Not shown while it is typed. @throws Cancelled */
  secret(question: Question, refuse: Refuse): Promise<string>;
  /** @throws Cancelled */
  confirm(question: Question): Promise<boolean>;
  /** Shows the message while `run` is running. @throws Cancelled, and what `run` throws */
  busy<Value>(message: string, run: () => Promise<Value>): Promise<Value>;
  tell(kind: "step" | "success" | "warning" | "error" | "info", message: string): void;
  /** True when a person can be asked. */
  readonly isAttended: boolean;
}

/** Without a terminal, or with --yes: every missing answer is an error. */
export function unattendedQuestions(write: (line: string) => void): Questions {
  const missing = async ({ message, option }: Question): Promise<never> => {
    throw new CommandError(`There is no terminal to ask in: "${message}". Give the answer with ${option}.`);
  };
  return {
    isAttended: false,
    ...{ choose: missing, text: missing, secret: missing, confirm: missing },
    busy: async (message, run) => {
      write(message);
      return await run();
    },
    tell: (kind, message) => write(kind === "warning" || kind === "error" ? `${kind}: ${message}` : message),
  };
}
