/**
 * What may be kept below a secret's key, because it cannot be a secret: words of a closed vocabulary, times, the
 * claims of a token, references to where a secret is kept. Pure.
 */
import { pattern } from "../../platform/pattern.ts";
import { ABOUT } from "../names/vocabulary.ts";
import { splitWords, wordSet } from "../names/words.ts";

const STATE_KEY =
  /^(?:.*[_-]?(?:type|status|state|scheme|brand|method|format|kind|object|in|alg|algorithm)|.*(?:Type|Status|State))$/;
const STATE = wordSet(`
  enabled disabled active inactive available unavailable supported unsupported required optional pending valid invalid
  verified unverified expired revoked success successful failed failure none ok unknown string number integer boolean object array
  null public-key http https apiKey apikey oauth oauth2 openIdConnect bearer Bearer basic Basic digest jwt JWT header query cookie body text token
  password card authorized unauthorized granted denied approved declined never always visa mastercard amex discover
`);
const TIME_KEY =
  /(?:_at|At|_on|On|[Dd]ate|[Tt]ime(?:stamp)?|[Ee]xpir[a-z]{0,20}|_until|Until|[Uu]sed|iat|exp|nbf)$/;
/** RFC 3339; seconds or milliseconds since 1970. */
const TIME =
  /^(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?|1\d{9}(?:\d{3})?)$/;
/** Where a secret is used: the scheme and the host, and nothing else. */
const ADDRESS_KEY = /(?:url|uri|endpoint|host|server|domain|issuer|region)$/i;
const ADDRESS = /^(?:https?:\/\/)?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?::\d{1,5})?\/?$/;

/** How long or large a value may be (JSON Schema, section 6), and how long it lives. */
const LIMIT_KEY = /^(?:min|max)(?:imum|Length|Items|Properties)$|^multipleOf$|expires_?in$/i;

/** Whether this member, below a secret's key, only describes the form or state of the secret. */
export function isDescription(key: string, value: unknown): boolean {
  if (TIME_KEY.test(key) && TIME.test(String(value))) return true;
  if (typeof value === "number") return LIMIT_KEY.test(key) || ABOUT.has(splitWords(key).at(-1) ?? "");
  if (typeof value !== "string") return false;
  return (STATE.has(value) && STATE_KEY.test(key)) || (ADDRESS_KEY.test(key) && ADDRESS.test(value));
}

/** A coin of a blockchain, which is called a token too. */
export const isCoin = (key: string, object: object): boolean =>
  /tokens?$/i.test(key) &&
  "symbol" in object &&
  !("value" in object) &&
  ["address", "mint", "decimals", "name"].some((key) => key in object);

/** `must be at least 8 characters`, below `errors`: why a value was refused. A number or a quotation in it may be the value. */
const REFUSAL = pattern("iu")`
  ^(?:
    is|must|can(?:not|['’]t)?|should|has|too|required|invalid|not|does|th(?:e|is)|your|value|field
    |string|please|ensure|needs?|already|missing|expected|passwords?|token|input|may|no|session|unrecognized
    |bad|wrong|provided|key|only|was|unknown
  )\b(?!.*(?:\p{L}\d|\d\p{L}|\d{4}|(?<!\p{L})['’]))[\p{L}\d ,.'’()-]{0,200}$
`;

const OF_REFUSAL =
  /\b(?:required|(?:in)?valid|blank|empty|missing|must|match|taken|expired|characters?|exists?|found|allowed|short|long|null|string|number|used?|unique)\b/i;

/** `field required`, after a secret's name and a colon. */
export const isReason = (sentence: string): boolean =>
  /\S \S/.test(sentence) && OF_REFUSAL.test(sentence) && REFUSAL.test(sentence);

/** In a list, wherever it is. Django's REST framework answers `{ "password": ["This field is required."] }`. */
const LISTED_REFUSAL = /^(?:Th(?:is|e) (?:field|value|password|token|key)|Ensure this (?:field|value)) .*\.$/;

export function isRefusal(above: string | undefined, value: unknown): boolean {
  const reasons: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isBelowErrors = /(?:errors?|violations|issues|validation)$/i.test(above ?? "");
  if (!isBelowErrors && (!Array.isArray(value) || value.length === 0)) return false;
  return reasons.every(
    (reason) =>
      typeof reason === "string" && REFUSAL.test(reason) && (isBelowErrors || LISTED_REFUSAL.test(reason)),
  );
}

const RECORD_KEY = pattern("i")`
  ^(?:
    id|uuid|key_?id|(?:display_?|user_?)?name|title|label|description|version|type|status|state|scopes?
    |(?:token_)?policies|visibility|prefix|transports|access_scopes?|accessScopes?|permissions?|roles?
    |(?:created|updated|expires|revoked|last_?used|issued|modified)(?:_?at|_?on|_?by)?|expires_?in
    |token_type|tokenType
  )$
`;

/** An entry in a list of secrets that describes a secret (who, when) without containing it. */
export const isListed = (object: object): boolean =>
  ("id" in object || "name" in object) &&
  Object.entries(object).some(([key, value]) => TIME_KEY.test(key) && TIME.test(String(value)));

export const isRecordKey = (key: string): boolean => RECORD_KEY.test(key);

/** RFC 7519 section 4.1, OpenID Connect Core section 5.1. */
const IDENTITY_CLAIMS = "iss aud exp iat email email_verified preferred_username azp nonce".split(" ");

export function isClaims(key: string, object: object): boolean {
  if (!/(?:token|jwt|claims)s?$/i.test(key) || !("sub" in object || "iss" in object)) return false;
  return IDENTITY_CLAIMS.some((claim) => claim !== "iss" && claim in object);
}

/** A decoded token, by its key: `jwt`, `accessToken`, `decodedToken`, `jwtPayload`, `samlResponse`. */
const DECODED_TOKEN =
  /(?:token|jwt|claims?|assertion|saml[_-]?response)(?:[_-]?(?:payload|header|claims?|data|decoded))?$/i;
/** Claims about the token itself: RFC 7515 4.1, RFC 7519 4.1, RFC 8693 4.2, RFC 9068 2.2; SAML 2.0 core, section 2. */
const OWN_CLAIMS = wordSet(`
  iss sub aud exp nbf iat auth_time acr amr azp scope scp scopes roles client_id alg typ cty kid enc
  issuer audience destination recipient nameID nameIDFormat issueInstant notBefore notOnOrAfter sessionNotOnOrAfter
  authnInstant authnContext attributes
`);
const PARTS_OF_TOKEN = wordSet("header payload claims");

export const isOwnClaim = (token: string, key: string): boolean =>
  DECODED_TOKEN.test(token) && OWN_CLAIMS.has(key);

export const keyInside = (token: string, key: string): string =>
  PARTS_OF_TOKEN.has(key) && DECODED_TOKEN.test(token) ? token : key;

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html */
const ARN = /^arn:aws[a-z-]{0,12}:[a-z0-9-]{1,40}:[a-z0-9-]{0,30}:\d{0,12}:[\w+=,.@:/-]{1,300}$/;
/** RFC 4253 section 6.6, as OpenSSH writes it. */
const PUBLIC_KEY =
  /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}|sk-[\w@.-]{1,60}) AAAA[\w+/=]{1,2000}(?: |$)/;
/** RFC 6376 section 3.5: the signature of an email, which is public by design. */
const MAIL_SIGNATURE =
  /^\s{0,20}(?:i=\d{1,2};\s{0,20})?(?:v=1;\s{0,20})?a=(?:rsa|ed25519)-sha(?:1|256);\s{0,20}[a-z]{1,2}=/;

export const isPublic = (value: string): boolean =>
  ARN.test(value) || PUBLIC_KEY.test(value) || MAIL_SIGNATURE.test(value);
