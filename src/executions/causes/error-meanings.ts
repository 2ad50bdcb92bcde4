/**
 * The general meaning of an error's text, for messages of nodes, drivers and services that no specific rule knows.
 * The texts are only matched, never shown. Pure.
 *
 * Quoted parts are data and are ignored, as are HTML pages. The first row that matches wins, so specific rows come
 * before general ones.
 */
import { type FixedKind, isFixedKind } from "./wording/fixed-clauses.ts";

type Forms = { readonly [One in FixedKind]?: RegExp };

/** Phrases that name one particular problem. */
const PARTICULAR: Forms = {
  "invalid_request.webhook": /^The requested webhook .{1,60} is not registered\b/,
  "invalid_request.markup":
    /\b(?:can't|cannot|could not|couldn't|failed to) parse (?:entities|markup|markdown|formatting)\b|\binvalid_blocks\b/i,
  "invalid_request.history":
    /\bexceeds? the maximum history size\b|\bhistory size\b.{0,60}\b(?:exceeded|too small)\b/i,
  "wrong_type.kept":
    /^(?:\w+Error: )?WRONGTYPE\b|\bholding the wrong kind of value\b|^ERR (?:value|hash value|increment) .{0,40}\b(?:integer|float|valid)\b/,
  "wrong_type.nothing":
    /^(?:TypeError: )?Cannot (?:read|set) propert(?:y|ies)\b.{0,80}\b(?:undefined|null)\b|^(?:TypeError: )?[\w$.]{1,80} is not (?:a function|iterable)$/,
  "invalid_request.not_found":
    /\bdoes not exist or not authori[sz]ed\b|\bNOT[-_]FOUND\b|\bdid not match any\b|\bnot a git repository\b|\bdoes not host this topic\b|\w_not_found|^Unable to parse range\b/i,
  "denied.row_policy": /\brow.level security\b/i,
  "invalid_request.form":
    /\bIdentifier rejected\b|\bUnacceptable protocol version\b|\bfailed to parse field\b/i,
  "invalid_request.encoding":
    /\bincorrect header check\b|\bdecompress(?!ed output exceeds)|\binvalid (?:block type|distance|stored block lengths|code lengths set|zip data|zip file)\b|\b(?:Z_DATA|Z_BUF)_ERROR\b|\bis this a zip file\b|\bunexpected end of file$|\bcontent.encoding\b|\binvalid gzip\b|\bcorrupt(?:ed)? (?:zip|archive|deflate)/i,
  "file.protected":
    /\bpassword.protected\b|\bNo password given\b|\b(?:file|document|zip|workbook|pdf) is (?:encrypted|password)/i,
  "expired.token":
    /\bjwt expired\b|\b(?:token|jwt|session|api key|signature|link|url|(?:^|(?:auth\w*|access|verification|device|the) )code|grant|sign-in session)\b.{0,40}\bexpired\b|\bexpired (?:token|jwt|session|signature|api key)\b|^Request has expired\b|\bExpiredToken/i,
  expired:
    /\b(?:has|have|is|are|already|was) (?:likely )?expired\b|\bno longer valid\b|^expired\b|\b(?:query|message|request|timestamp|link) is too old\b/i,
  "denied.signature":
    /\binvalid signature\b|\bhost key verification failed\b|\bsignature\b.{0,60}\b(?:not match|mismatch|invalid|failed|incorrect)|\bjwt (?:malformed|not active|signature|audience|issuer|subject|id)\b|\binvalid (?:algorithm|token)\b|\btoken can(?:'t|not) be verified\b|\bbad decrypt\b|\bunable to authenticate data\b|\bSignatureDoesNotMatch\b|\bwrong final block length\b/i,
  "invalid_request.key":
    /\bsecretOrP\w+Key\b|\bDECODER routines\b|\b(?:cannot|could not|unable to|failed to|error) (?:parse|read|decod\w*|load\w*) .{0,40}\b(?:private ?key|pem|certificate|key)\b|\binvalid (?:private|public|encryption)? ?key (?:length|format)|\bprivatekey\b.{0,60}\b(?:format|invalid|not)\b|\bbad passphrase\b/i,
  "denied.sender":
    /\bsender address rejected\b|\bsender\b.{0,60}\b(?:rejected|refused|not (?:owned|allowed|permitted))\b/i,
  "denied.recipient":
    /\brecipients? (?:were|was|address) rejected\b|\b5[05]\d[ -].{0,120}\b(?:mailbox|recipient|user unknown|no such user|relay)|\bmailbox (?:unavailable|not found|full)\b/i,
  "not_set_up.upgrade":
    /\bplease (?:upgrade|update) the .{1,40} (?:node|to the latest)|\b(?:has been|was|is) (?:deprecated|removed|retired|discontinued|decommissioned|sunset)\b/i,
  "denied.settings":
    /^access to env vars denied|^Access to (?:the|this) file is not allowed|\b(?:disabled|blocked|restricted|not (?:allowed|permitted)) (?:by|in|for|on) (?:this |the |your )?(?:administrator|instance|n8n|settings?|configuration|environment)\b|\bcontact (?:your|the|an) administrator\b|^Domain not allowed\b|\bN8N_[A-Z_]{4,}\b|\brestricted IP address\b|\bnot licensed\b|\bModule .{0,60}is disallowed\b/i,
  "denied.sign_in":
    /\b(?:not|un)[ -]?authori[sz]ed\b|\bauthenticat\w*\b.{0,40}\b(?:fail\w*|error|required|rejected|denied|invalid|unsuccessful)\b|\bfail\w*\b.{0,30}\b(?:authenticat\w*|to log ?in|login)\b|\b(?:invalid|bad|incorrect|wrong|unknown) (?:\w{1,20} ){0,2}(?:credentials?|password|pass ?phrase|user ?name|login|api.?key|access token)\b|\blog(?:in|on) (?:failed|incorrect|denied)\b|\binvalid login\b|\b(?:credentials?|password|api.?key|access token)s?\b.{0,40}\b(?:invalid|incorrect|rejected|not valid|revoked|wrong)\b|\brejected the (?:access token|credentials?|api key)\b|\bACCESS[-_]REFUSED\b|^(?:NOAUTH|WRONGPASS)\b|\bAUTHENTICATIONFAILED\b|\bnot (?:logged|signed) in\b|\bunauthenticated\b|\bInvalidAccessKeyId\b|\bAccess Key Id you provided\b|\bUnrecognizedClient/i,
  "credential.none": /\bno credentials?\b|\bcredentials? (?:are|is) (?:empty|missing|required)\b/i,
  denied:
    /\b(?:access|permission|request|operation|command)\w* (?:was |is |has been |been )?(?:denied|forbidden|refused)\b|\b(?:access|permission) denied\b|\bforbidden\b|\binsufficient (?:\w{1,20} )?(?:permissions?|privileges?|rights?|scopes?|access)\b|\b(?:lacks?|missing|without|not have|no|needs?) (?:the |sufficient |enough |required |necessary |any )*(?:permissions?|privileges?|rights?|scopes?)\b|\b(?:can ?not|not allowed to|may not|does not have|don't have|doesn't have|no) access\b(?! token| key)|\bnot (?:permitted|allowed) to (?!contain|be\b|have\b|start|end\b)|^NOPERM\b|\bpg_hba\.conf\b|\b\w+ command denied\b|\bInsufficientAccess|\bEACCES\b|\bis not a member of\b|^Missing Access\b(?! token| key)/i,
  "limit.rate":
    /\brate.?limit\w*\b|\btoo many (?:requests|(?:\w{1,20} )?attempts)\b|\bthrottl\w+\b|\brequest limit\b|\bslow ?down\b|\b(?:calls?|requests?) per (?:second|minute|hour|day)\b/i,
  "limit.quota":
    /\bquota\b|\b(?:usage|plan|spending|storage|monthly|daily|credit) limits?\b|\binsufficient (?:funds?|credits?|balance|storage)\b|\bout of (?:credits?|space|storage)\b|\bbalance is (?:too low|insufficient|not enough)\b|\bpayment required\b|\bno space left\b|\bOOM command not allowed\b|\b(?:mailbox|disk|storage) (?:is )?full\b/i,
  "limit.memory":
    /\bout of memory\b|\bheap (?:limit|out)\b|\bInvalid (?:array|string) length\b|\bcreate a string longer than\b/i,
  "timeout.said":
    /\btime[ds]?[ -]?out\b|\btimeout\b|\btook too long\b|\bdeadline\b|\bdid not (?:complete|finish|respond|answer|reply)\b.{0,40}\b(?:within|in time|polling|after|before)\b|\bnever received\b/i,
  "limit.size":
    /\btoo (?:large|long|big|many|deep)\b|\b(?:exceed\w*|above|over|larger than|longer than|more than|beyond)\b(?! \d+ (?:second|minute|hour|day|week|month|year)s?\b).{0,60}\b(?:size|limit|length|maximum|max|allowed|bytes|characters|[KMG]i?B|items|\d+)\b|\b(?:maximum|max|size|length|limit)\b.{0,60}\b(?:exceed\w*|reached)\b|\bmaximum (?:allowed )?(?:size|length|number|of)\b|\bup to \d+ (?:characters|items|files|bytes)\b|\bwould be truncated\b|\bat most (?:\d|…)|\bmaximum \d/i,
  "invalid_request.locked":
    /\block(?:ed)?\b.{0,30}\b(?:by|held|wait|another|exclusive|database|table|file|resource)\b|\b(?:is|are|was|been|currently) locked\b|\bRESOURCE[-_]LOCKED\b|\bEBUSY\b|\b(?:SQLITE_)?BUSY\b|\bcould not obtain lock\b|\bin use by\b|\bedited by (?:another|someone)\b/i,
  "invalid_request.changed":
    /\b(?:conflict|out of date|stale|concurrent(?:ly)?|version mismatch|non-fast-forward|precondition[ _-]failed)\b|\b(?:was|been) (?:changed|modified|updated) (?:since|by|meanwhile)\b/i,
  "invalid_request.exists":
    /\balready (?:been )?(?:exists?|has|have|in use|claimed|taken|connected|registered|used|created|billed|paid|processed|subscribed|assigned|closed|sent|member|cancell?ed|completed)\b|\bexists already\b|\b(?:must|has to|should) be unique\b|\bduplicate[ds]?\b|\bnot unique\b|\bhas already\b|\b(?:was|been|is|has) .{1,60} already\b|\bwith the same name\b|\balready this\b|\bis already\b|\bEntryAlreadyExists\b|\balready\b.{1,30}$/i,
  "certificate.said":
    /\bcertificates?\b|\bSTARTTLS\b|\bsecure TLS connection\b|\bsupport (?:SSL|TLS)\b|\b(?:ssl|tls)\b.{0,60}\b(?:error|fail\w*|alert|handshake|required|not support\w*|routines)\b/i,
  "connection.said":
    /\bunreachable\b|\b(?:could|can|did|was|is)(?: ?n[o']t|n't) (?:be )?(?:reach\w*|connect\w*|contact\w*)\b|\bunable to (?:connect|reach|resolve)\b|\b(?:failed to|error) (?:connect\w*|reach|establish)\b|\bfailed to fetch$|\bconnection (?:was |is |has been )?(?:refused|closed|reset|lost|failed|terminated|error|aborted|ended)\b|\bnetwork (?:error|failure)\b|\bnot (?:currently )?connected\b|\bsocket (?:closed|hang up|error)\b|\boffline\b|\b(?:server|service|broker|host|leader) (?:is |was )?(?:unavailable|not available|down)\b|\bhandshake (?:failed|terminated)\b|\bnot a reachable\b|\bfetch failed\b|\btemporarily unavailable\b/i,
};

/** Wordings that many nodes share. */
const SHARED: Forms = {
  "not_json.some_text":
    /\b(?:in)?valid (?:\w{1,10} )?JSON\b|\bJSON\b.{0,30}\b(?:is )?(?:not valid|invalid|malformed)\b|\bno valid JSON\b|\bUnexpected token\b.{0,60}\bJSON\b|\bUnexpected end of JSON\b/i,
  "invalid_request.syntax":
    /\b(?:could not|couldn't|cannot|unable to|failed to) parse (?:the |your |this )?(?:\w{1,20} )?(?:query|expression|filter|condition|statement|cron)\b|\bsyntax error\b|\binvalid regular expression\b|^Unterminated\b|\bUnknown modifier\b/i,
  "invalid_request.unreadable":
    /^(?:Unsupported|Unrecogni[sz]ed|Unknown|Invalid) .{0,60}\b(?:file|image|audio|video|PDF|document|XML|CSV|encoding)\b|\bUnsupported .{0,20}format\b|\bnot recogni[sz]ed as\b|\b(?:Failed|Unable|Could not|Cannot) (?:to )?(?:parse|decode|extract|read) (?:the )?(?:\w{1,20} )?(?:file|image|data|response|answer|content|attachment|page|document|sheet|PDF|XML|CSV|HTML)\b|^(?:Failed|Unable) to (?:parse|decode|extract)\b|\bInvalid PDF\b|\bQuote Not Closed\b|\bInvalid (?:Record Length|Opening Quote|Closing Quote)\b|\bclose tag\b|\bfirst tag\b/i,
  "file.none":
    /^(?:No|Could not find) (?:binary|file)\b|^No file\b|\bbinary (?:data|file|field|property)\b.{0,80}\b(?:not found|none|missing|does not exist|doesn't exist)|^No (?:binary|audio|image|video) data (?:found|exists)/i,
  "invalid_request.match_column": /^Columns? to match on not found in input/i,
  "invalid_request.column":
    /^Column .{1,100} not found|\bcolumns? (?:names? )?.{0,60}(?:not found|does not exist|doesn't exist)|^Could not (?:retrieve|find) .{0,40}(?:column|key row)/i,
  "invalid_request.unsupported":
    /\bnot (?:yet )?(?:supported|implemented|known|available)\b|\b(?:is|are) (?:unknown|unsupported)\b|\b(?:only|is not) (?:supported|available|possible) (?:when|for|if|with|in)\b|^(?:Unknown|Unsupported|Unrecogni[sz]ed|Unexpected|Unhandled) .{0,40}\b(?:operation|resource|action|type|mode|function|method|way|event|operator|provider|model|option)\b|^(?:Unknown(?! error)|Unsupported)\b|\bnot (?:allowed|permitted|recogni[sz]ed)\b|\bis disabled\b|\bdoes(?: not|n't) support\b|\bunsupported\b|\bno longer supported\b|\b(?:cannot|can not|can't) (?:be )?(?:used?|uses?|combined?|mixed?|placed?)\b|\bunknown command\b|\brequires? (?:a |an |the )?.{1,60}\b(?:API|model|which|version|license|plan)\b/i,
  "invalid_request.empty":
    /\b(?:is|are) (?:\w{1,20} )?(?:required|needed)\b|\brequire[sd]?!?$|\bmandatory\b|\brequired\b.{0,40}\b(?:empty|missing|field|parameter|property|value)|\bmust (?:not be empty|(?:be|have been) (?:an? )?(?:non-empty|set(?! to\b)|given|defined|provided|specified|added|selected|passed|supplied|entered)|(?:define|specify|provide|select|set|include|have at least))\b|^No .{1,80} (?:specified|set|provided|selected|defined|given|configured|supplied|entered|chosen|connected)\b|\b(?:is|are|was|were|be|can't be|came out|an?) (?:empty|missing|blank|undefined|not (?:set|defined|specified|provided|given|configured))\b|^(?:Please )?(?:set|provide|add|select|specify|enter|define|choose|configure|filter by|connect)\b|^At least (?:one|\d)\b|\b(?:contain|have|need\w*|require\w*|select|specify|provide|add|set|with) at least one\b|\bMissing\b|\bincomplete\b|\bno matching value\b|^Nothing to\b|\brequires? an? |\b(?:were|was) provided\b|\bneeds? (?:an? )?(?:input|value|data)\b|\bneeds? to be (?:set|provided|defined|selected)\b|^(?:Either|One of) .{1,100} (?:must|needs|has|have) |\bhave to be (?:set|provided|defined|given)|^No (?:code|\w{1,20} set)\b|\bwas not (?:given|set|provided|specified)|^Did you (?:forget|set)/i,
  "invalid_request.not_found":
    /\b(?:not|n't|never) (?:be )?(?:found|registered|resolved)\b|\b(?:does not|doesn't|do not|don't|did not|didn't|no longer) exists?\b|\b(?:could not|couldn't|cannot|can't|can not|unable to|failed to) (?:be )?(?:find|found|locate|identify)\b|^No .{1,100} (?:found|exists?|matched|matches|match)\b|\b(?:unknown|no such|nonexistent|non-existent) (?:\w{1,20} )?(?:topic|queue|user|id|key|table|file|object|command|channel|bucket|host|directory|folder|role|function|index|field|column|database)\b|\bNoSuch\w+|\bENOENT\b|\bdoes not match any\b|\bis gone\b|\bwas deleted\b|\bdeleted\b$|\bcan not get\b|\bdoes(?: not|n't) contain (?:an? |any )?(?:sheet|table|column|field|file|key|entry|row)\b/i,
  "invalid_request.several":
    /^Multiple .{1,60} (?:match|found)|\bmore than (?:once|one)\b|\bbut not both\b|\bambiguous\b|\bmultiple .{1,60} with the same\b/i,
  "invalid_request.state":
    /\bnot in (?:a |the )?(?:right |valid |correct )?(?:state|status)\b|\bin (?:the )?(?:current|its) (?:state|status)\b|\b(?:invalid|wrong|illegal) (?:state|status|transition)\b|\bread[ -]?only\b|\bimmutable\b|^(?:LOADING|MISCONF)\b|\bnot (?:ready|active|open|enabled)\b|\bhas been (?:archived|closed|disabled|deactivated|suspended|locked)\b|\bis (?:archived|closed|suspended|inactive|paused)\b/i,
  "invalid_request.form":
    /^(?:\w+Error: )?Invalid\b|\b(?:is|are) (?:(?:an )?invalid|no valid|not (?:a |an )?(?:valid|proper|correct)|malformed|not nullable|too small|negative)\b|\b(?:is|are|was) ?(?:n't|not) an? \w|\bnot a valid\b|\bmust(?: not| only| both| follow| be| have| start| end| contain| match| use| consist| equal| come)\b|\b(?:should|has to|have to|needs to|can only) (?:only |not )?(?:be|contain|include|start|end|have)\b|\bcannot (?:be (?:after|before|negative|null|greater|less)|contain|start|end)\b|\bcan contain only\b|\bout of range\b|\btoo (?:short|small|few|low)\b|\bexpected .{1,80} (?:but )?got\b|\bexpected\b|\bunexpected\b|\binvalid\b|\bmalformed\b|\bnot valid\b|\bbad request\b|\bcontains? .{1,60}(?:space|character|not)\b|\bmisconfigured\b|\bnumber of .{1,40} must\b|\bsame number\b|\bhas no defined\b|\bincorrect\b|\bmismatch\b|\bdoes not (?:match|fit|conform|contain|look like)\b|^Not an? |\b(?:may|must|can|does|do) only\b|\bonly (?:valid|accepts?|allows?)\b|\bdoes(?: not|n't) allow\b|^Wrong\b|\bmust point\b|^Ensure\b|\bvalidation\b|\bwrong (?:type|kind|format|number)\b/i,
  "node_failed.not_read":
    /\b(?:could not|couldn't|unable to|failed to) (?:be )?(?:get|retrieve|read|fetch|load|obtain|determine|resolve|download|list|query|look|search)\w*\b|\b(?:download\w*|reading|fetching|loading|search)\b.{0,60}\bfailed\b|^Error (?:while )?(?:reading|fetching|loading|getting|retrieving)\b/i,
  "node_failed.not_done":
    /\b(?:could not|couldn't|unable to|failed to) (?:be )?(?:create|update|delete|remove|add|upload|save|write|send|set|insert|publish|move|copy|generate|process|start|execute|convert|replace|initiali[sz]e)\w*\b|\b(?:creation|update|deletion|upload|generation|conversion|execution|task|flow) failed\b|^Error (?:while )?(?:creating|updating|deleting|sending|writing|setting|saving|uploading|executing)\b/i,
  "node_failed.nothing_back":
    /\b(?:did not|didn't|doesn't|does not) (?:return|respond|answer|give|send|produce|generate|contain)\b|\bno .{1,60} (?:was |were |got )?(?:returned|received|generated|produced)\b|^(?:No data|Empty response|No response|No (?:results?|content|answer|output))\b|\bno (?:response|usable|result)\b|\bempty (?:response|result|answer|output)\b|\bbut no\b|\bwithout (?:a )?(?:result|response|data)\b/i,
};

/** A kind may be in both tables. */
const MEANINGS: readonly (readonly [kind: string, form: RegExp])[] = [
  ...Object.entries(PARTICULAR),
  ...Object.entries(SHARED),
];

/** An apostrophe inside a word does not begin a quotation. */
const QUOTED = /"[^"]*"|(?<![A-Za-z])'[^'\n]*'(?![A-Za-z])|`[^`]*`|“[^”]*”/g;
/** The message in an error that storages and SOAP services send as XML. */
const XML_MESSAGE = /^\s*<[\s\S]{0,1000}<(?:message|faultstring)>([^<]{1,300})<\//i;
const PAGE = /^\s*<(?:!doctype|html|\?xml)/i;
/** A longer text is a document or a dump of data, in which any word may occur. */
const MAX_LENGTH = 400;

/** The first known meaning among the texts; null if there is none. */
export function meaningIn(texts: readonly string[]): FixedKind | null {
  const read = texts
    .map((text) => XML_MESSAGE.exec(text)?.[1] ?? text)
    .filter((text) => text.length <= MAX_LENGTH && !PAGE.test(text))
    .map((text) => text.replaceAll(QUOTED, "…"));
  for (const text of read) {
    const [kind] = MEANINGS.find(([, form]) => form.test(text)) ?? [];
    if (kind !== undefined && isFixedKind(kind)) return kind;
  }
  return null;
}
