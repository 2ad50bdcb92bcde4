/** Users who share one living n8n and its index, each with rules of their own. */
import fc from "fast-check";
import type { TraceAnswer } from "../../src/features/trace-request/trace.ts";
import type { TraceQuery } from "../../src/history/trace/history-trace.ts";
import { View } from "../../src/n8n/view.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import type { FakeExecution } from "./fake-n8n.ts";
import { type LivingN8n, WORKFLOWS } from "./living-n8n.ts";

/** Views: everything, one workflow with or without payload, both with the payload of one, nothing. */
export const VIEWS: readonly View[] = [
  View.everything,
  View.from({ seen: ["w1"], data: ["w1"] }),
  View.from({ seen: ["w2"], data: [] }),
  View.from({ seen: ["w1", "w2"], data: ["w1"] }),
  View.from({ seen: null, data: ["w2"] }),
  View.from({ seen: [], data: [] }),
];

export const anyView: fc.Arbitrary<View> = fc.constantFrom(...VIEWS);

/** A user whose rules may change between two calls. */
export interface User {
  readonly userId: string;
  view: View;
}

export const maySee = ({ view }: User, { workflowId }: FakeExecution): boolean =>
  view.has(String(workflowId));

/** @throws ObserverError */
export async function askAs(living: LivingN8n, user: User, args: Partial<TraceQuery>): Promise<TraceAnswer> {
  living.traces.view = user.view;
  const atFirst = { ...user };
  const onMessage = (message: string): void => expectNothingHidden(living, atFirst, message);
  const answer = await living.traces.ask(living.n8n, args, user.userId, onMessage);
  expectNothingHidden(living, atFirst, answer);
  return answer;
}

/** @returns null when n8n failed */
export async function tryAs(
  living: LivingN8n,
  user: User,
  args: Partial<TraceQuery>,
): Promise<TraceAnswer | null> {
  try {
    return await askAs(living, user, args);
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    const { code, message, details } = error;
    expectNothingHidden(living, user, { code, message, details });
    return null;
  }
}

/** @throws Error if the answer names a hidden execution or workflow */
export function expectNothingHidden(living: LivingN8n, user: User, answer: unknown): void {
  if (user.view.ids === null) return;
  const text = JSON.stringify(answer);
  const named = [...text.matchAll(/"(\d+)"|\bexecutions? (\d+)/g)].map(([, id, other]) => id ?? other ?? "");
  const hidden = named.filter((id) => {
    const workflowId = living.workflowOf.get(id);
    return workflowId !== undefined && !user.view.has(workflowId);
  });
  const names = WORKFLOWS.filter((id) => !user.view.has(id) && new RegExp(`\\b${id}\\b`).test(text));
  if (hidden.length + names.length > 0)
    throw new Error(
      `It names what is hidden: ${JSON.stringify({ hidden, names, view: user.view.parts })} ${text}`,
    );
}
