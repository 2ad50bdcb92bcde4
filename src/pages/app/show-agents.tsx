/** `/app/executions/<id>/agents`: the calls of the execution's agents, in order. */
import { agentRunPicture } from "../../views/waterfall/agent-run-picture.ts";
import { textAt } from "../../views/waterfall/members.ts";
import { executionPath } from "./addresses.ts";
import { ButtonLink } from "./blocks.tsx";
import { askTool, instanceIn, type PageRequest, type Shown } from "./page-request.ts";
import { PictureHead, PictureLines } from "./picture-view.tsx";
import { showAnswer } from "./problem.tsx";
import { OutsideLink } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showAgents(request: PageRequest): Promise<Shown> {
  const executionId = request.segments[1] ?? "";
  const answer = await askTool(request, "explain_agent_run", { executionId });
  return showAnswer(answer, request, (data) => {
    const picture = agentRunPicture(data, answer.message ?? "");
    return (
      <>
        <PictureHead picture={picture} />
        <PictureLines picture={picture} label={WORDS.agents} />
        <p class="actions">
          <ButtonLink to={executionPath(executionId, instanceIn(request))} text={WORDS.explain} />
          <OutsideLink url={textAt(data, "url")} text={WORDS.openInN8n} />
        </p>
      </>
    );
  });
}
