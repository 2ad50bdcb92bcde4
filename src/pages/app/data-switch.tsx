/** Shows or hides payload in this session. The server sends the browser back to the page with the form. */
import { SWITCH_DATA } from "./addresses.ts";
import type { Visitor } from "./page-request.ts";
import { WORDS } from "./words.ts";

export function DataSwitch({ visitor: { formToken, showsData } }: { visitor: Visitor }) {
  const { switchOff, switchOn } = WORDS.session;
  return (
    <form method="post" action={SWITCH_DATA}>
      <input type="hidden" name="token" value={formToken} />
      <button type="submit" name="data" value={showsData ? "off" : "on"}>
        {showsData ? switchOff : switchOn}
      </button>
    </form>
  );
}
