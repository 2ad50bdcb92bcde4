/** `/app/executions/<id>/agents`: the calls of its agents, in order. */
import { agentRunPicture } from "../../views/waterfall/agent-run-picture.ts";
import { textAt } from "../../views/waterfall/members.ts";
import { executionPath } from "./addresses.ts";
import { type Asked, askTool, instanceIn, type Shown } from "./asked.ts";
import { ButtonLink } from "./blocks.tsx";
import { PictureHead, PictureLines } from "./picture-view.tsx";
import { showAnswer } from "./problem.tsx";
import { OutsideLink } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showAgents(asked: Asked): Promise<Shown> {
  const executionId = asked.segments[1] ?? "";
  const answer = await askTool(asked, "explain_agent_run", { executionId });
  return await showAnswer(answer, asked, (data) => {
    const picture = agentRunPicture(data, answer.message ?? "");
    return (
      <>
        <PictureHead picture={picture} />
        <PictureLines picture={picture} label={WORDS.agents} />
        <p class="actions">
          <ButtonLink to={executionPath(executionId, instanceIn(asked))} text={WORDS.explain} />
          <OutsideLink url={textAt(data, "url")} text={WORDS.openInN8n} />
        </p>
      </>
    );
  });
}
