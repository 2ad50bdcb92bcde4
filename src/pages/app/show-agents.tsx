/** `/app/executions/<id>/agents`: the calls of its agents, in order. */

import { isObject } from "../../platform/is-object.ts";
import { agentRunPicture } from "../../views/waterfall/agent-run-picture.ts";
import { textAt } from "../../views/waterfall/members.ts";
import { executionPath } from "./addresses.ts";
import { type Asked, instanceIn, type Shown, shown } from "./asked.ts";
import { PictureHead, PictureLines } from "./picture-view.tsx";
import { isRefused, showProblem } from "./problem.tsx";
import { OutsideLink } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showAgents(asked: Asked): Promise<Shown> {
  const { segments, visitor, say } = asked;
  const executionId = segments[1] ?? "";
  const answer = await visitor.ask("explain_agent_run", { executionId, ...instanceIn(asked) }, say);
  if (isRefused(answer) || !isObject(answer.data)) return showProblem(answer, asked);
  const picture = agentRunPicture(answer.data, answer.message ?? "");
  return shown(
    <>
      <PictureHead picture={picture} />
      <PictureLines picture={picture} label={WORDS.agents} />
      <p class="actions">
        <a class="button" href={executionPath(executionId, instanceIn(asked))}>
          {WORDS.explain}
        </a>
        <OutsideLink url={textAt(answer.data, "url")} text={WORDS.openInN8n} />
      </p>
    </>,
  );
}
