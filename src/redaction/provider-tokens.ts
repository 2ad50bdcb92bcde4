/**
 * Keys of providers that begin with a prefix of their own, as the providers document them. The prefix is
 * what is sure; lengths are kept generous, since providers change them more often than they tell.
 *
 * The kind is `provider-key` for all: which provider it was, the text around it says.
 */
import type { TextRule } from "./text-rule.ts";

interface TokenFormat {
  /** Must be in the text, exactly so, for the pattern to be tried. */
  readonly prefix: string;
  /** The whole token. */
  readonly pattern: string;
}

/** A prefix, and at least so many characters of a class after it. */
const after = (prefix: string, least: number, characters = "A-Za-z0-9_-"): TokenFormat => ({
  prefix,
  pattern: `${prefix.replaceAll(".", "\\.").replaceAll("$", "\\$")}[${characters}]{${least},}`,
});
const WORDS = "A-Za-z0-9";

const CLOUDS: readonly TokenFormat[] = [
  // AWS: unique identifiers of access keys, long-term and temporary.
  { prefix: "AKIA", pattern: "AKIA[A-Z0-9]{16}" },
  { prefix: "ASIA", pattern: "ASIA[A-Z0-9]{16}" },
  { prefix: "ABSK", pattern: "ABSK[A-Za-z0-9+/]{100,}={0,2}" },
  // Google: API keys, OAuth access and refresh tokens, client secrets.
  { prefix: "AIza", pattern: "AIza[A-Za-z0-9_-]{35}" },
  after("ya29.", 20, "A-Za-z0-9_.-"),
  after("1//0", 30),
  after("GOCSPX-", 20),
  // Azure: client secrets of Entra ID; storage keys end in ==.
  { prefix: "Q~", pattern: "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}" },
  // Identifiable keys of Azure (storage, Cosmos, API Management): a SHA-512 looks the same, but for the mark in it.
  { prefix: "==", pattern: "[A-Za-z0-9+/]{76}(?:APIM|ACDb|\\+(?:ABa|AMC|ASt))[A-Za-z0-9+/]{6}==" },
  after("LTAI", 16, WORDS),
  after("AKID", 32, WORDS),
  { prefix: "dop_v1_", pattern: "dop_v1_[a-f0-9]{40,}" },
  { prefix: "doo_v1_", pattern: "doo_v1_[a-f0-9]{40,}" },
  { prefix: "dor_v1_", pattern: "dor_v1_[a-f0-9]{40,}" },
  after("HRKU-", 30),
  after("nfp_", 30, WORDS),
  after("vcp_", 20, WORDS),
  after("vck_", 20, WORDS),
  after("cfut_", 40, WORDS),
  after("cfat_", 40, WORDS),
  after("cfk_", 40, WORDS),
  { prefix: "v1.0-", pattern: "v1\\.0-[a-f0-9]{24}-[a-f0-9]{100,}" },
  after("fm2_", 60, "A-Za-z0-9+/=_-"),
  after("sbp_", 36, "a-f0-9_"),
  after("sb_secret_", 20),
  after("pscale_tkn_", 30, "A-Za-z0-9_=.-"),
  after("pscale_pw_", 30, "A-Za-z0-9_=.-"),
  { prefix: "dapi", pattern: "dapi[a-f0-9]{32}(?:-\\d)?" },
  after("hvs.", 20),
  after("hvb.", 20),
  after("hvr.", 20),
  after("dp.pt.", 40, WORDS),
  after("dp.st.", 40, "A-Za-z0-9._-"),
  after("ops_eyJ", 100, "A-Za-z0-9+/=_-"),
  { prefix: ".atlasv1.", pattern: "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,}" },
  { prefix: "tskey-", pattern: "tskey-[a-z]{2,20}-[A-Za-z0-9_]{6,}-[A-Za-z0-9_]{16,}" },
  { prefix: "pul-", pattern: "pul-[a-f0-9]{40}" },
  after("AGE-SECRET-KEY-1", 50, "A-Z0-9"),
];

const PAYMENT: readonly TokenFormat[] = [
  // Stripe: secret and restricted keys, signing secrets, client secrets. Publishable keys are public.
  after("sk_live_", 16, WORDS),
  after("sk_test_", 16, WORDS),
  after("rk_live_", 16, WORDS),
  after("rk_test_", 16, WORDS),
  after("whsec_", 20, "A-Za-z0-9+/="),
  { prefix: "_secret_", pattern: "(?:pi|seti|cs|src)_[A-Za-z0-9]{10,100}_secret_[A-Za-z0-9]{10,}" },
  {
    prefix: "access_token$",
    pattern: "access_token\\$(?:production|sandbox)\\$[a-z0-9]{10,}\\$[a-f0-9]{20,}",
  },
  after("sq0atp-", 20),
  after("sq0csp-", 30),
  after("rzp_live_", 14, WORDS),
  after("rzp_test_", 14, WORDS),
  {
    prefix: "access-",
    pattern: "access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  },
  { prefix: "FLWSECK", pattern: "FLWSECK(?:_TEST)?-[A-Za-z0-9-]{12,}" },
  { prefix: "shippo_", pattern: "shippo_(?:live|test)_[a-f0-9]{40}" },
  after("duffel_live_", 40),
  after("EZAK", 54, WORDS),
  after("EZTK", 54, WORDS),
];

const CHAT_AND_MAIL: readonly TokenFormat[] = [
  { prefix: "xox", pattern: "xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,}" },
  after("xapp-", 20),
  after("xwfp-", 10),
  // Incoming webhooks: the path is the secret.
  {
    prefix: "hooks.slack.com/",
    pattern: "(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/_-]{20,}",
  },
  {
    prefix: "/api/webhooks/",
    pattern: "(?<=discord(?:app)?\\.com/api/webhooks/\\d{5,25}/)[A-Za-z0-9_-]{30,}",
  },
  { prefix: "webhook.office.com/", pattern: "(?<=webhook\\.office\\.com/)webhookb2/[A-Za-z0-9@/_-]{40,}" },
  { prefix: "hooks.zapier.com/", pattern: "(?<=hooks\\.zapier\\.com/hooks/catch/)\\d{3,}/[a-z0-9]{5,}" },
  { prefix: "hook.", pattern: "(?<=hook\\.(?:[a-z0-9]{2,5}\\.)?make\\.com/)[a-z0-9]{20,}" },
  {
    prefix: "maker.ifttt.com/",
    pattern: "(?<=maker\\.ifttt\\.com/trigger/[\\w-]{1,100}/(?:json/)?with/key/)[A-Za-z0-9_-]{10,}",
  },
  // Discord bots, Telegram bots.
  { prefix: ".", pattern: "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}" },
  { prefix: ":AA", pattern: "\\d{8,10}:AA[A-Za-z0-9_-]{32,34}" },
  { prefix: "SK", pattern: "SK[a-f0-9]{32}" },
  after("SG.", 40, "A-Za-z0-9_.-"),
  { prefix: "key-", pattern: "key-[a-f0-9]{32}" },
  { prefix: "-us", pattern: "[a-f0-9]{32}-us\\d{1,2}" },
  after("xkeysib-", 60),
  after("xsmtpsib-", 60),
  { prefix: "re_", pattern: "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}" },
  { prefix: "md-", pattern: "md-[A-Za-z0-9_-]{22}" },
  { prefix: "pat-", pattern: "pat-(?:na|eu|ap)\\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" },
  { prefix: "EAA", pattern: "EAA[A-Za-z0-9]{60,}" },
];

const SOURCE_CONTROL: readonly TokenFormat[] = [
  after("ghp_", 30, "A-Za-z0-9_"),
  after("gho_", 30, "A-Za-z0-9_"),
  after("ghu_", 30, "A-Za-z0-9_"),
  after("ghs_", 30, "A-Za-z0-9_.-"),
  after("ghr_", 30, "A-Za-z0-9_"),
  after("github_pat_", 40, "A-Za-z0-9_"),
  after("glpat-", 20, "A-Za-z0-9_.-"),
  after("gldt-", 20),
  after("glrt-", 20),
  after("glptt-", 20),
  after("glcbt-", 20),
  after("glsoat-", 20),
  after("glft-", 20),
  after("ATBB", 24, "A-Za-z0-9_=-"),
  after("ATATT3", 60, "A-Za-z0-9_=-"),
  after("ATCTT3", 60, "A-Za-z0-9_=-"),
  after("ATTA", 60, WORDS),
  after("npm_", 36, WORDS),
  after("pypi-", 50),
  after("dckr_pat_", 20),
  after("rubygems_", 40, "a-f0-9"),
  after("oy2", 43, "a-z0-9"),
  after("AKCp", 60, WORDS),
  after("sntrys_", 40, "A-Za-z0-9+/=_-"),
  after("sntryu_", 60, "a-f0-9"),
  after("NRAK-", 27, "A-Z0-9"),
  after("glc_", 32, "A-Za-z0-9+/="),
  after("glsa_", 32, "A-Za-z0-9_"),
  { prefix: "dt0c01.", pattern: "dt0[a-z]01\\.[A-Z0-9]{24}\\.[A-Z0-9]{60,}" },
  after("phx_", 30),
  after("lin_api_", 30),
  after("figd_", 30),
];

const AI: readonly TokenFormat[] = [
  // OpenAI (sk-proj-, sk-svcacct-, …), Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and others.
  { prefix: "sk-", pattern: "sk-(?:[a-z0-9]{2,10}-){0,3}[A-Za-z0-9_-]{20,}" },
  after("gsk_", 40, WORDS),
  after("r8_", 30, WORDS),
  after("pplx-", 40, WORDS),
  after("xai-", 60, WORDS),
  after("hf_", 30, WORDS),
  after("pcsk_", 40, "A-Za-z0-9_"),
  { prefix: "lsv2_", pattern: "lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}" },
  after("nvapi-", 40),
  after("csk-", 40, WORDS),
  after("tvly-", 20),
  { prefix: "fc-", pattern: "fc-[a-f0-9]{32}" },
  { prefix: "sk_", pattern: "sk_[a-f0-9]{48}" },
  after("apify_api_", 30, WORDS),
  after("e2b_", 40, "a-f0-9"),
  after("jina_", 50),
  { prefix: "fw_", pattern: "fw_[A-Za-z0-9]{22,24}" },
];

const BUSINESS: readonly TokenFormat[] = [
  { prefix: "pat", pattern: "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}" },
  after("ntn_", 40, WORDS),
  { prefix: "secret_", pattern: "secret_[A-Za-z0-9]{43}" },
  { prefix: "shp", pattern: "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}" },
  after("CFPAT-", 40),
  { prefix: "pk_", pattern: "pk_\\d{5,10}_[A-Z0-9]{32}" },
  after("tfp_", 40, "A-Za-z0-9_.=-"),
  after("n8n_api_", 20, "A-Za-z0-9_"),
  { prefix: "sk.eyJ", pattern: "sk\\.eyJ[A-Za-z0-9_-]{20,}\\.[A-Za-z0-9_-]{20,}" },
  after("PMAK-", 50, "a-f0-9-"),
];

/** V8 keeps its place for each step of `x{16,}`, and runs out of stack at 10 MB; not so of `x{16}x*`. */
function unrolled(pattern: string): string {
  return pattern.replace(/(\[[^\]]+\])\{(\d+),\}/g, "$1{$2}$1*");
}

const FORMATS = [...CLOUDS, ...PAYMENT, ...CHAT_AND_MAIL, ...SOURCE_CONTROL, ...AI, ...BUSINESS].map(
  ({ prefix, pattern }) => ({
    prefix,
    // Only the start of a run is tried: a longer word that holds a prefix is another word.
    pattern: new RegExp(`(?<![A-Za-z0-9_])${unrolled(pattern)}(?![A-Za-z0-9])`, "g"),
  }),
);

/** No key of any provider is shorter. */
const SHORTEST = 16;

export const providerTokens: TextRule = (text, { mark }) => {
  if (text.length < SHORTEST) return text;
  let result = text;
  for (const { prefix, pattern } of FORMATS) {
    if (result.includes(prefix)) result = result.replace(pattern, (token) => mark("provider-key", token));
  }
  return result;
};
