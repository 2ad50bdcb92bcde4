/** `/app/search?text=…`: executions whose data hold a text. */
import { listAt, type Members, membersAt, textAt } from "../../views/waterfall/members.ts";
import { stateOf } from "../../views/waterfall/picture.ts";
import { executionPath, searchPath } from "./addresses.ts";
import { type Asked, askTool, instanceIn, type Shown } from "./asked.ts";
import { ButtonLink } from "./blocks.tsx";
import { MomentIn } from "./moment.tsx";
import { PictureHead } from "./picture-view.tsx";
import { showAnswer, showNeedsData } from "./problem.tsx";
import { Name, revealed } from "./text.tsx";
import { WORDS } from "./words.ts";

export async function showSearch(asked: Asked): Promise<Shown> {
  const { query, visitor } = asked;
  if (!visitor.showsData) return showNeedsData(asked);
  const text = query.get("text") ?? "";
  const searchId = query.get("search");
  const by = query.get("by") === "words" ? "words" : "text";
  const what = searchId === null ? { [by]: text } : { searchId };
  const answer = await askTool(asked, "search_executions", what);
  return await showAnswer(answer, asked, (data) => {
    const goesOn = textAt(data, "searchId");
    const isComplete = membersAt(data, "coverage").complete === true;
    return (
      <>
        <PictureHead picture={{ title: text, sentence: answer.message ?? "", state: "warning" }} />
        <ul class="lines card" aria-label={WORDS.found}>
          {listAt(data, "hits").map((hit) => (
            <Hit hit={hit} asked={asked} />
          ))}
        </ul>
        <p class="actions">
          {!isComplete && goesOn !== undefined && (
            <ButtonLink
              to={searchPath(text, { by, search: goesOn, ...instanceIn(asked) })}
              text={WORDS.readOn}
            />
          )}
          {by === "text" && (
            <ButtonLink
              to={searchPath(text, { by: "words", ...instanceIn(asked) })}
              text={WORDS.searchWords}
            />
          )}
        </p>
      </>
    );
  });
}

function Hit({ hit, asked }: { hit: Members; asked: Asked }) {
  return (
    <li class={stateOf(textAt(hit, "status"))}>
      <span class="label">
        <a href={executionPath(textAt(hit, "executionId") ?? "", instanceIn(asked))}>
          <Name of={textAt(hit, "workflowName") ?? textAt(hit, "executionId") ?? ""} />
        </a>{" "}
        <MomentIn of={hit} name="startedAt" />
      </span>
      {listAt(hit, "places").map((place) => (
        <p class="words">
          <code>{revealed(textAt(place, "path") ?? "")}</code> {revealed(textAt(place, "excerpt") ?? "")}
        </p>
      ))}
    </li>
  );
}
