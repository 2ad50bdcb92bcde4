/** The violations that axe-core finds in a frame (WCAG 2.2 A and AA, best practice), one line each. */
import axe, { type AxeResults } from "axe-core";
import type { Frame } from "playwright-core";

export async function axeViolations(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const { violations }: AxeResults = await frame.evaluate("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
