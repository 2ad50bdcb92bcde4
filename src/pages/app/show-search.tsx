/** `/app/search?text=…`: executions whose data contains a text. */
import { listAt, type Members, membersAt, textAt } from "../../views/waterfall/members.ts";
import { stateOf } from "../../views/waterfall/picture.ts";
import { executionPath, searchPath } from "./addresses.ts";
import { ButtonLink } from "./blocks.tsx";
import { Moment } from "./moment.tsx";
import { askTool, instanceIn, type PageRequest, type Shown } from "./page-request.ts";
import { PictureHead } from "./picture-view.tsx";
import { showAnswer, showNeedsData } from "./problem.tsx";
import { Name, revealed } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showSearch(request: PageRequest): Promise<Shown> {
  const { query, visitor } = request;
  if (!visitor.showsData) return showNeedsData(request);
  const text = query.get("text") ?? "";
  const searchId = query.get("search");
  const by = query.get("by") === "words" ? "words" : "text";
  const what = searchId === null ? { [by]: text } : { searchId };
  const answer = await askTool(request, "search_executions", what);
  return showAnswer(answer, request, (data) => {
    const nextSearchId = textAt(data, "searchId");
    const isComplete = membersAt(data, "coverage").complete === true;
    return (
      <>
        <PictureHead picture={{ title: text, sentence: answer.message ?? "", state: "warning" }} />
        <ul class="lines card" aria-label={WORDS.found}>
          {listAt(data, "hits").map((hit) => (
            <Hit hit={hit} request={request} />
          ))}
        </ul>
        <p class="actions">
          {!isComplete && nextSearchId !== undefined && (
            <ButtonLink
              to={searchPath(text, { by, search: nextSearchId, ...instanceIn(request) })}
              text={WORDS.readOn}
            />
          )}
          {by === "text" && (
            <ButtonLink
              to={searchPath(text, { by: "words", ...instanceIn(request) })}
              text={WORDS.searchWords}
            />
          )}
        </p>
      </>
    );
  });
}

function Hit({ hit, request }: { hit: Members; request: PageRequest }) {
  return (
    <li class={stateOf(textAt(hit, "status"))}>
      <span class="label">
        <a href={executionPath(textAt(hit, "executionId") ?? "", instanceIn(request))}>
          <Name of={textAt(hit, "workflowName") ?? textAt(hit, "executionId") ?? ""} />
        </a>{" "}
        <Moment at={textAt(hit, "startedAt")} />
      </span>
      {listAt(hit, "places").map((place) => (
        <p class="words">
          <code>{revealed(textAt(place, "path") ?? "")}</code> {revealed(textAt(place, "excerpt") ?? "")}
        </p>
      ))}
    </li>
  );
}
