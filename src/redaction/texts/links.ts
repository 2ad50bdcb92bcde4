/**
 * Links that let in (of mails), and addresses that take what is sent to them: told by the words of their path. And
 * fragments that are keys: they never reach the server, and an anchor is made of words.
 */
import { UUID } from "../plain-text.ts";
import type { RuleContext, TextRule } from "../text-rule.ts";
import { isUnguessable } from "./plausible-values.ts";
import { endsUrl } from "./url-secrets.ts";

/** In a path: what follows lets in whoever has it. */
const LETS_IN =
  /(?:^|[^a-z])(?:reset|magic|verify|verification|confirm|confirmation|activate|activation|invites?|invitations?|recover|recovery|unlock|onetime|sign-?up|autologin|welcome|rejoin|bestaetig(?:en|ung)|aktivier(?:en|ung)|einladung|confirmer|activer|reinitialiser|recuperer|confirmar|activar|recuperar|restablecer|invitacion|ativar|redefinir|convite|confermare?|attivare?|reimposta|bevestig(?:en)?|activeren|aktivera|aktywuj|potwierdz)(?![a-z])/i;
/** Segments before what lets in, with the empty one behind the last slash. */
const NEAR = 4;
/** A version of a file, as of `reset.css?v=…` or in Git. */
const OF_FILE = /\.[a-z]{2,4}$|\/(?:commits?|blob|tree|raw|compare)\/$/i;
/** The same of an address to which answers are sent; its host may say so too. */
const HOOK = /(?:^|[^a-z])(?:web)?(?:hooks?|callbacks?)(?![a-z])/i;
/** An API's own objects: `/v1/invitations/…`. What n8n and others make of a hook is an id: `we_1Mr5…`. */
const OF_API = /\/api\/|\/v\d{1,2}\/|\/\/api\./;
const TYPED_ID = /^[a-z]{2,6}_/;
const PART = /(?<=[/=#])[\w~.+-]{16,512}={0,2}(?=[/?#&\s"'<>()\\,;]|$)/g;
/** Where no scheme is before a link: `GET /reset/…`, `example.com/reset/…`; `name/part` is none. */
const OF_PATH = /(?:^|[\s"'=])\/|\.[a-z]{2,12}(?::\d{1,5})?\//i;
const MAX_PATH = 160;
/** `/reset-password/`, `/mot-de-passe/neu/`: the last two segments may be the name of what is set anew. */
const NAMES = /(?:\/([a-z][a-z_-]{3,39}))?\/([a-z][a-z_-]{2,39})\/$/i;

function letsIn(link: string, part: string, kindOfKey: RuleContext["kindOfKey"]): boolean {
  const query = link.indexOf("?");
  const path = query < 0 ? link : link.slice(0, query);
  const near = path.split("/").slice(-NEAR).join("/");
  if (part.startsWith("private-") || (LETS_IN.test(near) && !OF_FILE.test(near))) return true;
  if (query >= 0) return LETS_IN.test(link.slice(Math.max(link.lastIndexOf("&"), query)));
  if (HOOK.test(path))
    return !UUID.test(part) && !TYPED_ID.test(part) && (part.length >= 32 || !OF_API.test(path));
  const [, ...names] = NAMES.exec(path) ?? [];
  return names.some((name) => name !== undefined && !name.endsWith("s") && kindOfKey(name) === "secret");
}

export const links: TextRule = (text, { mark, kindOfKey }) => {
  if (!text.includes("://") && !OF_PATH.test(text)) return text;
  let begin = 0;
  let read = 0;
  return text.replace(PART, (part: string, at: number) => {
    if (!isUnguessable(part) && !UUID.test(part)) return part;
    for (; read < at; read += 1) if (endsUrl(text.charCodeAt(read))) begin = read + 1;
    const link = text.slice(Math.max(begin, at - MAX_PATH), at);
    if (link.endsWith("#")) return link.includes("://") ? mark("url-fragment", part) : part;
    return letsIn(link, part, kindOfKey) ? mark("url-secret", part) : part;
  });
};
