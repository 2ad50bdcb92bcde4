/**
 * Asks in a terminal, with @clack/prompts. Promises: typed text is shown only for answers that are no secret, and never
 * between questions; Ctrl-C ends the set-up at any time.
 */

import { type CANCEL_SYMBOL, confirm, isCancel, log, password, select, text } from "@clack/prompts";
import { defined } from "../../src/platform/defined.ts";
import { Cancelled, type Choice, type Question, type Questions } from "./questions.ts";

const CTRL_C = "\u0003";

function answered<Answer>(answer: Answer | typeof CANCEL_SYMBOL): Answer {
  if (isCancel(answer)) throw new Cancelled();
  return answer;
}

const TELL = {
  step: log.step,
  success: log.success,
  warning: log.warn,
  error: log.error,
  info: log.info,
} as const;

export function terminalQuestions(): Questions {
  return {
    isAttended: true,
    async choose<Value extends string>({ message }: Question, choices: readonly Choice<Value>[]) {
      const options = choices.map(({ value, label, hint }) => ({
        value: value as string,
        label,
        ...defined({ hint }),
      }));
      const chosen = answered(await select<string>({ message, options }));
      const choice = choices.find(({ value }) => value === chosen);
      if (choice === undefined) throw new TypeError("What was chosen is none of the choices.");
      return choice.value;
    },
    async text({ message, placeholder, initial }, refuse) {
      const answer = await text({
        message,
        ...defined({ placeholder, initialValue: initial }),
        validate: (value) => refuse(value ?? ""),
      });
      return answered(answer) ?? "";
    },
    async secret({ message }, refuse) {
      // The mask hides a refused answer: without clearing, the next paste would be appended to it.
      const answer = await password({
        message,
        mask: "•",
        clearOnError: true,
        validate: (value) => refuse(value ?? ""),
      });
      return answered(answer) ?? "";
    },
    async confirm({ message }) {
      return answered(await confirm({ message }));
    },
    async busy(message, run) {
      log.step(message);
      return await silently(run);
    },
    tell: (kind, message) => TELL[kind](message),
  };
}

/** Discards input typed meanwhile: it could be a key, pasted too early. */
async function silently<Value>(run: () => Promise<Value>): Promise<Value> {
  const { stdin } = process;
  let onData: (typed: Buffer) => void = () => {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    onData = (typed) => {
      if (typed.toString("latin1").includes(CTRL_C)) reject(new Cancelled());
    };
  });
  stdin.setRawMode(true);
  stdin.on("data", onData);
  stdin.resume();
  try {
    return await Promise.race([run(), cancelled]);
  } finally {
    stdin.off("data", onData);
    stdin.pause();
    stdin.setRawMode(false);
  }
}
