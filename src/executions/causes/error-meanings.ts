/**
 * The general meaning of an error's text, for messages of nodes, drivers and services that no specific rule knows.
 * The texts are only matched, never shown. Pure.
 *
 * Quoted parts are data and are ignored, as are HTML pages. The first row that matches wins, so specific rows come
 * before general ones.
 */
import { pattern } from "../../platform/pattern.ts";
import { type FixedKind, isFixedKind } from "./wording/fixed-clauses.ts";

/**
 * Phrases, one a line or separated by ` | `: patterns of whole words, in any case. `~` marks an end that may be
 * inside a word. A regular expression is used as it is.
 */
type Forms = { readonly [One in FixedKind]?: string | RegExp };

const patternOf = (phrase: string): string =>
  String.raw`\b${phrase}\b`.replaceAll(/^\\b(?=\^)|(?<=\$)\\b$|\\b~|~\\b/g, "");

function toForm(form: string | RegExp): RegExp {
  if (form instanceof RegExp) return form;
  const phrases = form.trim().split(/\s*\n\s*| \| /);
  return new RegExp(phrases.map(patternOf).join("|"), "i");
}

/** Phrases that name one particular problem. */
const PARTICULAR: Forms = {
  "invalid_request.webhook": /^The requested webhook .{1,60} is not registered\b/,
  "invalid_request.markup": `
    (?:can't|cannot|could not|couldn't|failed to) parse (?:entities|markup|markdown|formatting) | invalid_blocks`,
  "invalid_request.history": String.raw`
    exceeds? the maximum history size | history size\b.{0,60}\b(?:exceeded|too small)`,
  "wrong_type.kept":
    /^(?:\w+Error: )?WRONGTYPE\b|\bholding the wrong kind of value\b|^ERR (?:value|hash value|increment) .{0,40}\b(?:integer|float|valid)\b/,
  "wrong_type.nothing": pattern()`
    ^(?:TypeError: )?Cannot (?:read|set) propert(?:y|ies)\b.{0,80}\b(?:undefined|null)\b
    |^(?:TypeError: )?[\w$.]{1,80} is not (?:a function|iterable)$
  `,
  "invalid_request.not_found": String.raw`
    does not exist or not authori[sz]ed | NOT[-_]FOUND | did not match any | not a git repository
    does not host this topic | ~\w_not_found~ | ^Unable to parse range`,
  "denied.row_policy": "row.level security",
  "invalid_request.form": `
    Identifier rejected | Unacceptable protocol version | failed to parse field`,
  "invalid_request.encoding": `
    incorrect header check | decompress(?!ed output exceeds)~
    invalid (?:block type|distance|stored block lengths|code lengths set|zip data|zip file)
    (?:Z_DATA|Z_BUF)_ERROR | is this a zip file | unexpected end of file$ | content.encoding | invalid gzip
    corrupt(?:ed)? (?:zip|archive|deflate)~`,
  "file.protected": `
    password.protected | No password given | (?:file|document|zip|workbook|pdf) is (?:encrypted|password)~`,
  "expired.token": String.raw`
    jwt expired
    (?:token|jwt|session|api key|signature|link|url|(?:^|(?:auth\w*|access|verification|device|the) )code|grant|sign-in session)\b.{0,40}\bexpired
    expired (?:token|jwt|session|signature|api key) | ^Request has expired | ExpiredToken~`,
  expired: `
    (?:has|have|is|are|already|was) (?:likely )?expired | no longer valid | ^expired
    (?:query|message|request|timestamp|link) is too old`,
  "denied.signature": String.raw`
    invalid signature | host key verification failed
    signature\b.{0,60}\b(?:not match|mismatch|invalid|failed|incorrect)~
    jwt (?:malformed|not active|signature|audience|issuer|subject|id) | invalid (?:algorithm|token)
    token can(?:'t|not) be verified | bad decrypt | unable to authenticate data | SignatureDoesNotMatch
    wrong final block length`,
  "invalid_request.key": String.raw`
    secretOrP\w+Key | DECODER routines
    (?:cannot|could not|unable to|failed to|error) (?:parse|read|decod\w*|load\w*) .{0,40}\b(?:private ?key|pem|certificate|key)
    invalid (?:private|public|encryption)? ?key (?:length|format)~ | privatekey\b.{0,60}\b(?:format|invalid|not)
    bad passphrase`,
  "denied.sender": String.raw`
    sender address rejected | sender\b.{0,60}\b(?:rejected|refused|not (?:owned|allowed|permitted))`,
  "denied.recipient": String.raw`
    recipients? (?:were|was|address) rejected
    5[05]\d[ -].{0,120}\b(?:mailbox|recipient|user unknown|no such user|relay)~
    mailbox (?:unavailable|not found|full)`,
  "not_set_up.upgrade": `
    please (?:upgrade|update) the .{1,40} (?:node|to the latest)~
    (?:has been|was|is) (?:deprecated|removed|retired|discontinued|decommissioned|sunset)`,
  "denied.settings": `
    ^access to env vars denied~ | ^Access to (?:the|this) file is not allowed~
    (?:disabled|blocked|restricted|not (?:allowed|permitted)) (?:by|in|for|on) (?:this |the |your )?(?:administrator|instance|n8n|settings?|configuration|environment)
    contact (?:your|the|an) administrator | ^Domain not allowed | N8N_[A-Z_]{4,} | restricted IP address
    not licensed | Module .{0,60}is disallowed`,
  "denied.sign_in": String.raw`
    (?:not|un)[ -]?authori[sz]ed
    authenticat\w*\b.{0,40}\b(?:fail\w*|error|required|rejected|denied|invalid|unsuccessful)
    fail\w*\b.{0,30}\b(?:authenticat\w*|to log ?in|login)
    (?:invalid|bad|incorrect|wrong|unknown) (?:\w{1,20} ){0,2}(?:credentials?|password|pass ?phrase|user ?name|login|api.?key|access token)
    log(?:in|on) (?:failed|incorrect|denied) | invalid login
    (?:credentials?|password|api.?key|access token)s?\b.{0,40}\b(?:invalid|incorrect|rejected|not valid|revoked|wrong)
    rejected the (?:access token|credentials?|api key) | ACCESS[-_]REFUSED | ^(?:NOAUTH|WRONGPASS)
    AUTHENTICATIONFAILED | not (?:logged|signed) in | unauthenticated | InvalidAccessKeyId
    Access Key Id you provided | UnrecognizedClient~`,
  "credential.none": "no credentials? | credentials? (?:are|is) (?:empty|missing|required)",
  denied: String.raw`
    (?:access|permission|request|operation|command)\w* (?:was |is |has been |been )?(?:denied|forbidden|refused)
    (?:access|permission) denied | forbidden
    insufficient (?:\w{1,20} )?(?:permissions?|privileges?|rights?|scopes?|access)
    (?:lacks?|missing|without|not have|no|needs?) (?:the |sufficient |enough |required |necessary |any )*(?:permissions?|privileges?|rights?|scopes?)
    (?:can ?not|not allowed to|may not|does not have|don't have|doesn't have|no) access\b(?! token| key)~
    not (?:permitted|allowed) to (?!contain|be\b|have\b|start|end\b)~ | ^NOPERM | pg_hba\.conf
    \w+ command denied | InsufficientAccess~ | EACCES | is not a member of | ^Missing Access\b(?! token| key)~`,
  "limit.rate": String.raw`
    rate.?limit\w* | too many (?:requests|(?:\w{1,20} )?attempts) | throttl\w+ | request limit | slow ?down
    (?:calls?|requests?) per (?:second|minute|hour|day)`,
  "limit.quota": `
    quota | (?:usage|plan|spending|storage|monthly|daily|credit) limits?
    insufficient (?:funds?|credits?|balance|storage) | out of (?:credits?|space|storage)
    balance is (?:too low|insufficient|not enough) | payment required | no space left | OOM command not allowed
    (?:mailbox|disk|storage) (?:is )?full`,
  "limit.memory": `
    out of memory | heap (?:limit|out) | Invalid (?:array|string) length | create a string longer than`,
  "timeout.said": String.raw`
    time[ds]?[ -]?out | timeout | took too long | deadline
    did not (?:complete|finish|respond|answer|reply)\b.{0,40}\b(?:within|in time|polling|after|before)
    never received`,
  "limit.size": String.raw`
    too (?:large|long|big|many|deep)
    (?<!\b(?:not|cannot) (?:have|contain)\b.{0,60})(?:exceed\w*|above|over|larger than|longer than|more than|beyond)\b(?! \d+ (?:second|minute|hour|day|week|month|year)s?\b).{0,60}\b(?:size|limit|length|maximum|max|allowed|bytes|characters|[KMG]i?B|items|\d+)
    (?:maximum|max|size|length|limit)\b.{0,60}\b(?:exceed\w*|reached)
    maximum (?:allowed )?(?:size|length|number|of) | up to \d+ (?:characters|items|files|bytes)
    would be truncated | at most (?:\d|…)~ | maximum \d~`,
  "invalid_request.locked": String.raw`
    lock(?:ed)?\b.{0,30}\b(?:by|held|wait|another|exclusive|database|table|file|resource)
    (?:is|are|was|been|currently) locked | RESOURCE[-_]LOCKED | EBUSY | (?:SQLITE_)?BUSY | could not obtain lock
    in use by | edited by (?:another|someone)`,
  "invalid_request.changed": `
    (?:(?<!on )conflict|out of date|stale|concurrent(?:ly)?|version mismatch|non-fast-forward|precondition[ _-]failed)
    (?:was|been) (?:changed|modified|updated) (?:since|by|meanwhile)`,
  "invalid_request.header": `
    Header name must be a valid | Invalid character in header content | Invalid header (?:name|value)`,
  "invalid_request.csv": `
    Quote Not Closed | Invalid (?:Record Length|Opening Quote|Closing Quote)`,
  "invalid_request.key_used": String.raw`
    idempoten\w*\b.{0,120}\b(?:used|reused|same|different|another|mismatch|conflict)
    (?:same|reused?|duplicate) idempoten\w*~`,
  "invalid_request.exists": String.raw`
    already (?:been )?(?:exists?|has|have|in use|claimed|taken|connected|registered|used|created|billed|paid|processed|subscribed|assigned|closed|sent|member|cancell?ed|completed)
    exists already | (?:must|has to|should) be unique | duplicate[ds]? | not unique | has already
    (?:was|been|is|has) .{1,60} already | with the same name | already this | is already | EntryAlreadyExists
    already\b.{1,30}$`,
  "certificate.said": String.raw`
    certificates? | STARTTLS | secure TLS connection | support (?:SSL|TLS)
    (?:ssl|tls)\b.{0,60}\b(?:error|fail\w*|alert|handshake|required|not support\w*|routines)`,
  "connection.said": String.raw`
    unreachable | (?:could|can|did|was|is)(?: ?n[o']t|n't) (?:be )?(?:reach\w*|connect\w*|contact\w*)
    unable to (?:connect|reach|resolve) | (?:failed to|error) (?:connect\w*|reach|establish) | failed to fetch$
    connection (?:was |is |has been )?(?:refused|closed|reset|lost|failed|terminated|error|aborted|ended)
    network (?:error|failure) | not (?:currently )?connected | socket (?:closed|hang up|error) | offline
    (?:server|service|broker|host|leader) (?:is |was )?(?:unavailable|not available|down)
    handshake (?:failed|terminated) | not a reachable | fetch failed | temporarily unavailable`,
};

/** Wordings that many nodes share. */
const SHARED: Forms = {
  "not_json.some_text": String.raw`
    (?:in)?valid (?:\w{1,10} )?JSON | JSON\b.{0,30}\b(?:is )?(?:not valid|invalid|malformed) | no valid JSON
    Unexpected token\b.{0,60}\bJSON | Unexpected end of JSON`,
  "invalid_request.syntax": String.raw`
    (?:could not|couldn't|cannot|unable to|failed to) parse (?:the |your |this )?(?:\w{1,20} )?(?:query|expression|filter|condition|statement|cron)
    syntax error | invalid regular expression | ^Unterminated | Unknown modifier`,
  "invalid_request.unreadable": String.raw`
    ^(?:Unsupported|Unrecogni[sz]ed|Unknown|Invalid) .{0,60}\b(?:file|image|audio|video|PDF|document|XML|CSV|encoding)
    Unsupported .{0,20}format | not recogni[sz]ed as
    (?:Failed|Unable|Could not|Cannot) (?:to )?(?:parse|decode|extract|read) (?:the )?(?:\w{1,20} )?(?:file|image|data|response|answer|content|attachment|page|document|sheet|PDF|XML|CSV|HTML)
    ^(?:Failed|Unable) to (?:parse|decode|extract) | Invalid PDF | close tag | first tag`,
  "file.none": String.raw`
    ^(?:No|Could not find) (?:binary|file) | ^No file
    binary (?:data|file|field|property)\b.{0,80}\b(?:not found|none|missing|does not exist|doesn't exist)~
    ^No (?:binary|audio|image|video) data (?:found|exists)~`,
  "invalid_request.match_column": "^Columns? to match on not found in input~",
  "invalid_request.column": `
    ^Column .{1,100} not found~ | columns? (?:names? )?.{0,60}(?:not found|does not exist|doesn't exist)~
    ^Could not (?:retrieve|find) .{0,40}(?:column|key row)~`,
  "invalid_request.unsupported": String.raw`
    not (?:yet )?(?:supported|implemented|known|available) | (?:is|are) (?:unknown|unsupported)
    (?:only|is not) (?:supported|available|possible) (?:when|for|if|with|in)
    ^(?:Unknown|Unsupported|Unrecogni[sz]ed|Unexpected|Unhandled) .{0,40}\b(?:operation|resource|action|type|mode|function|method|way|event|operator|provider|model|option)
    ^(?:Unknown(?! error)|Unsupported) | not (?:allowed|permitted|recogni[sz]ed) | is disabled
    does(?: not|n't) support | unsupported | no longer supported
    (?:cannot|can not|can't) (?:be )?(?:used?|uses?|combined?|mixed?|placed?) | unknown command
    requires? (?:a |an |the )?.{1,60}\b(?:API|model|which|version|license|plan)`,
  "invalid_request.empty": String.raw`
    (?:is|are) (?:\w{1,20} )?(?:required|needed) | require[sd]?!?$ | mandatory
    required\b.{0,40}\b(?:empty|missing|field|parameter|property|value)~
    must (?:not be empty|(?:be|have been) (?:an? )?(?:non-empty|set(?! to\b)|given|defined|provided|specified|added|selected|passed|supplied|entered)|(?:define|specify|provide|select|set|include|have at least))
    ^No .{1,80} (?:specified|set|provided|selected|defined|given|configured|supplied|entered|chosen|connected)
    (?:is|are|was|were|be|can't be|came out|an?) (?:empty|missing|blank|undefined|not (?:set|defined|specified|provided|given|configured))
    ^(?:Please )?(?:set|provide|add|select|specify|enter|define|choose|configure|filter by|connect)
    ^At least (?:one|\d) | (?:contain|have|need\w*|require\w*|select|specify|provide|add|set|with) at least one
    Missing | incomplete | no matching value | ^Nothing to | requires? an? ~ | (?:were|was) provided
    needs? (?:an? )?(?:input|value|data) | needs? to be (?:set|provided|defined|selected)
    ^(?:Either|One of) .{1,100} (?:must|needs|has|have) ~ | have to be (?:set|provided|defined|given)~
    ^No (?:code|\w{1,20} set) | was not (?:given|set|provided|specified)~ | ^Did you (?:forget|set)~`,
  "invalid_request.not_found": String.raw`
    (?:not|n't|never) (?:be )?(?:found|registered|resolved)
    (?:does not|doesn't|do not|don't|did not|didn't|no longer) exists?
    (?:could not|couldn't|cannot|can't|can not|unable to|failed to) (?:be )?(?:find|found|locate|identify)
    ^(?:there is )?No .{1,100} (?:found|exists?|matched|matches|match(?:ing)?)
    (?:unknown|no such|nonexistent|non-existent) (?:\w{1,20} )?(?:topic|queue|user|id|key|table|file|object|command|channel|bucket|host|directory|folder|role|function|index|field|column|database)
    NoSuch\w+~ | ENOENT | does not match any | is gone | was deleted | deleted\b$ | can not get
    does(?: not|n't) contain (?:an? |any )?(?:sheet|table|column|field|file|key|entry|row)`,
  "invalid_request.several": `
    ^Multiple .{1,60} (?:match|found)~ | affect row a second time | more than (?:once|one) | but not both | ambiguous
    multiple .{1,60} with the same`,
  "invalid_request.state": `
    not in (?:a |the )?(?:right |valid |correct )?(?:state|status)
    in (?:the )?(?:current|its) (?:state|status) | (?:invalid|wrong|illegal) (?:state|status|transition)
    read[ -]?only | immutable | ^(?:LOADING|MISCONF) | not (?:ready|active|open|enabled)
    has been (?:archived|closed|disabled|deactivated|suspended|locked)
    is (?:archived|closed|suspended|inactive|paused)`,
  "invalid_request.form": String.raw`
    ^(?:\w+Error: )?Invalid
    (?:is|are) (?:(?:an )?invalid|no valid|not (?:a |an )?(?:valid|proper|correct)|malformed|not nullable|too small|negative)
    (?:is|are|was) ?(?:n't|not) an? \w~ | not a valid
    must(?: not| only| both| follow| be| have| start| end| contain| match| use| consist| equal| come)
    (?:should|has to|have to|needs to|can only) (?:only |not )?(?:be|contain|include|start|end|have)
    cannot (?:be (?:after|before|negative|null|greater|less)|contain|start|end) | can contain only
    out of range | too (?:short|small|few|low) | expected .{1,80} (?:but )?got | expected | unexpected | invalid
    malformed | not valid | bad request | contains? .{1,60}(?:space|character|not) | misconfigured
    number of .{1,40} must | same number | has no defined | (?<!output )incorrect | mismatch
    does not (?:match|fit|conform|contain|look like) | ^Not an? ~ | (?:may|must|can|does|do) only
    only (?:valid|accepts?|allows?) | does(?: not|n't) allow | ^Wrong | must point | ^Ensure | validation
    wrong (?:type|kind|format|number)`,
  "node_failed.not_read": String.raw`
    (?:could not|couldn't|unable to|failed to) (?:be )?(?:get|retrieve|read|fetch|load|obtain|determine|resolve|download|list|query|look|search)\w*
    (?:download\w*|reading|fetching|loading|search)\b.{0,60}\bfailed
    ^Error (?:while )?(?:reading|fetching|loading|getting|retrieving)`,
  "node_failed.not_done": String.raw`
    (?:could not|couldn't|unable to|failed to) (?:be )?(?:create|update|delete|remove|add|upload|save|write|send|set|insert|publish|move|copy|generate|process|start|execute|convert|replace|initiali[sz]e)\w*
    (?:creation|update|deletion|upload|generation|conversion|execution|task|flow) failed
    ^Error (?:while )?(?:creating|updating|deleting|sending|writing|setting|saving|uploading|executing)`,
  "node_failed.nothing_back": `
    (?:did not|didn't|doesn't|does not) (?:return|respond|answer|give|send|produce|generate|contain)
    no .{1,60} (?:was |were |got )?(?:returned|received|generated|produced)
    ^(?:No data|Empty response|No response|No (?:results?|content|answer|output))
    no (?:response|usable|result) | empty (?:response|result|answer|output) | but no
    without (?:a )?(?:result|response|data)`,
};

/** A kind may be in both tables. */
const MEANINGS = [PARTICULAR, SHARED].flatMap((forms) =>
  Object.entries(forms).map(([kind, form]) => [kind, toForm(form)] as const),
);

/** An apostrophe inside a word does not begin a quotation. */
const QUOTED = /"[^"]*"|(?<![A-Za-z])'[^'\n]*'(?![A-Za-z])|`[^`]*`|“[^”]*”/g;
/** The message in an error that storages and SOAP services send as XML. */
const XML_MESSAGE = /^\s*<[\s\S]{0,1000}<(?:message|faultstring)>([^<]{1,300})<\//i;
const SAYS_NOTHING = /^\s*<(?:!doctype|html|\?xml)|^Your request is invalid or could not be processed/i;
/** A longer text is a document or a dump of data, in which any word may occur. */
const MAX_LENGTH = 400;

/** The first known meaning among the texts; null if there is none. */
export function meaningIn(texts: readonly string[]): FixedKind | null {
  const read = texts
    .map((text) => XML_MESSAGE.exec(text)?.[1] ?? text)
    .filter((text) => text.length <= MAX_LENGTH && !SAYS_NOTHING.test(text))
    .map((text) => text.replaceAll(QUOTED, "…"));
  for (const text of read) {
    const [kind] = MEANINGS.find(([, form]) => form.test(text)) ?? [];
    if (kind !== undefined && isFixedKind(kind)) return kind;
  }
  return null;
}
