/**
 * The English words of names: which make a value secret, and which only describe a secret. Sources: the default filters
 * of frameworks and scanners (Rails, Django, Sentry, Chromium's password fields, detect-secrets, gitleaks,
 * CredSweeper), names of n8n's credentials, of Helm charts and of environment files. The words are facts;
 * where each of them counts is decided here.
 */
import { wordSet } from "./words.ts";

/** Secret anywhere in a name, whatever the settings. Separators do not count: `apikey`, `api_key`. */
export const BASELINE_ANYWHERE = wordSet(`
  password passwords passwd passwds pwd pwds passwrd pswd pswrd psw psswd paswd pasword passwort passord passwor pssword passw pword pwrd
  passphrase passphrases passcode passcodes passkeys keyphrase secret secrets secretkey secretkeys clientsecret appsecret
  apikey apikeys apisecret apitoken apitokens accesskey accesskeys accesstoken accesstokens refreshtoken
  privatekey privatekeys privkey privatetoken sshkey sshkeys encryptionkey decryptionkey signingkey signingkeys sharedkey
  presharedkey presharedsecret masterkey masterkeys accountkey authkey sessiontoken authtoken authenticationtoken
  authorizationtoken bearertoken securitytoken idtoken resumetoken subscriptionkey functionskey functionkey hmackey
  sharedaccesskey sharedaccesssignature credential creds seedphrase recoveryphrase securityanswer secretanswer
  connectionstring connectionstrings magiclink keypass storepass userpass bindpass passhash pwhash htpasswd wpapsk
  psswrd passsword paswword passwrod passwod requirepass
`);

/** `code` is secret after one of these: `backup_codes`, `pairingCode`. */
const CODES = wordSet(`
  otp mfa totp sms twofactor tfa fac onetime backup recovery security verification auth authorization access unlock pin login pairing
  activation door gate alarm lock entry cardsecurity reset confirmation tan join email confirm license licence puk device keypad setup card
  oob invite invitation giftcard redemption verify lockbox keybox scratch
`);

/** Secret anywhere in a name, unless a setting exempts them. */
export const ANYWHERE = new Set([
  ...[...CODES].flatMap((kind) => [`${kind}code`, `${kind}codes`]),
  ...wordSet(`
  token jwt bearer passkey csrf xsrf onetimepassword recoverykey codeverifier oauthverifier clientassertion samlresponse samlassertion
  appsecretproof apphash apihash nthash lmhash servicerole serviceaccountjson serviceaccountkey sastoken saskey connectsid phpsessid
  jsessionid sessid aspsessionid sessioncookie authcookie htdigest credentialsjson totpseed otpseed hdseed walletseed seedwords mnemonic
  validationkey appskey nwkkey nwkskey nwksenckey fnwksintkey snwksintkey mnemonicphrase xprv unsealkey roottoken wepkey psk otc authheader authtok securityquestionanswer snmpcommunity idrsa samlrequest dkimprivate
  sshprivate rsaprivate ntlmhash connstr connstring laravelsession gitlabsession cardverificationvalue cvv cvc memorableword basicauth
  proxyauth requestverificationtoken authenticitytoken csrfmiddlewaretoken resetlink loginlink verificationlink keystorepass signaturesecret
  encryptionsalt passwordsalt hashsalt authsalt saltkey licensekey licencekey masterauth keytab keytabs azurewebjobsstorage aspnetsessionid
  mtan mtans pinnumber authinfo authstring idtokenhint communitystring secretquestionanswer securityword keystorejson bcrypthash shadowhash
  safecombination lockcombination vapidprivate tlsprivate sslprivate gpgprivate pgpprivate hmacsha hubsignature nsec macaroon
  preimage basicauthuserinfo cryptogramme pruefziffer
`),
]);

/** Secret as the last word, or before suffixes only: `cookie`, `cookieOld`, `pin_admin`. */
export const BASELINE_LAST = wordSet("authorization authorisation cookie cookies setcookie pw");
export const LAST = wordSet(`
  otp otps totp hotp cvn cvx cvd pin puk psk cred pat hmac jws jwe sig signature wif pepper salt tgt
`);

/** `key` is secret after one of these: `api_key`, `APIKey`, `sslKey`. */
export const KEYS_ANYWHERE = wordSet(`
  api private priv secret access sign signing encryption encrypt decryption decrypt cipher crypto shared preshared subscription ec
  master functions hmac ssh auth authentication authorization account client gpg pgp rsa dsa ecdsa aes des jwt jwe jws symmetric cryptographic
  recovery unseal vapid
`);
export const KEYS_LAST = wordSet(`
  consumer application app write server service role integration deploy license licence activation seed admin
  wallet tls ssl ca cert wifi wep wpa network send push bot workspace webhook sas cosmos eventhub
  instrumentation ingestion ingest intake root kms vault unlock provisioning registration enrollment enrolment gossip fernet
  flask django rails laravel cookie cookies csrf otp totp mfa partner merchant gateway live prod production sandbox
  restricted developer translator vision speech cognitive host peer worker maps gmaps product serial
  replicaset security secure token bearer oauth
  dkim acme wireguard wg openvpn vpn ipsec radius tsig ddns backup restore kek dek kdf salt pepper
  apns fcm gcm firebase signer signature
  device iot hub anon read setup bitlocker wlan tacacs pem sig keystore secondary bluetooth nas
`);
/** `key` is secret after one of these, whatever the settings. */
export const KEYS_BASELINE_LAST = wordSet("session");
/** Not secret before `key` in a name in capitals, where any other word is: `ACME_KEY`. */
export const PLAIN_KEYS = wordSet(`
  public pub publishable primary foreign sort partition hash range index cache cached idempotency idempotent routing row group object bucket topology config map
  registry hot short shortcut enter escape esc tab ctrl control shift alt meta lookup dedup dedupe unique natural surrogate composite candidate message event sheet
  field column item record entity node query storage feature flag i18n translation lang language locale issue project space page file site image media asset video
  document doc job task run queue trace thread order invoice product customer cart photo attachment blob chunk name value any all no the first last next prev previous
  parent child current new old local hkey arrow up down left right home end press return delete insert space system reserved type attribute attr property prop
`);

/** Providers of keys, tokens and passwords: services that n8n has nodes for, and others often named in settings. */
export const PROVIDERS = wordSet(`
  stripe openai azure aws gcp google gh github gl gitlab anthropic claude gemini palm mistral cohere groq deepseek openrouter perplexity
  pinecone qdrant weaviate milvus supabase firebase twilio sendgrid mailgun mailchimp mailjet mandrill postmark brevo
  sendinblue sparkpost resend slack discord telegram tg notion airtable hubspot salesforce sf zendesk intercom freshdesk freshservice
  shopify paypal braintree adyen mollie razorpay plaid coinbase binance kraken cloudflare cf vercel netlify heroku digitalocean linode
  hetzner vultr ovh datadog dd newrelic sentry mixpanel amplitude posthog algolia elastic elasticsearch meilisearch typesense mapbox
  googlemaps tomtom openweather openweathermap weather steam spotify youtube vimeo twitter facebook fb linkedin instagram tiktok
  pushover pushbullet pushdeer pagerduty opsgenie pusher ably zoom calendly typeform contentful sanity strapi wordpress wp woocommerce magento
  bitbucket bb circleci travis npm pypi docker dockerhub rapidapi serpapi serper scraperapi apify browserless huggingface hf   elevenlabs assemblyai deepgram tavily firecrawl jina voyage nvidia xai grok fireworks langsmith langfuse langchain
  helicone portkey ollama bedrock vertex watson ibm alibaba aliyun tencent baidu qcloud qiniu minio backblaze b2 wasabi cloudinary imgur unsplash
  pexels giphy deepl newsapi alphavantage finnhub etherscan infura alchemy moralis quicknode chargebee recurly paddle lemonsqueezy
  klaviyo convertkit activecampaign customerio braze onesignal courier vonage nexmo plivo messagebird telnyx sinch clicksend
  jenkins sonar sonarqube snyk codecov coveralls artifactory nexus terraform tfe vault consul nomad grafana influx influxdb prometheus
  splunk loggly logdna logtail papertrail rollbar bugsnag honeycomb lightstep launchdarkly optimizely statsig okta auth0 onelogin clerk workos
  kinde stytch n8n zapier make ifttt pipedream trello asana clickup linear atlassian confluence basecamp todoist wrike
  pipedrive copper apollo clearbit hunter lemlist lusha zerobounce neverbounce virustotal shodan censys abuseipdb urlscan greynoise
  wecom feishu lark dingtalk wechat kakao viber whatsapp mattermost rocketchat teams mapquest ipinfo ipstack maxmind mysql postgres mongo redis
  softlayer cloudant iam anypoint fullstory beamer recaptcha hcaptcha turnstile gitea gitee codeberg ado azdo azuredevops devops vsts
`);

/** `GH_PAT`, `my_pat`: before `pat`, which is a name too. */
export const TOKEN_OWNERS = wordSet(
  "personal my ado ci api user bot deploy repo read write svc service admin org team cd runner",
);

/** The owner or the place of a password: words that occur before or after `pass`, `pw` and the like. */
export const OWNERS = wordSet(`
  db database user usr users admin administrator root mysql pg postgres postgresql sql mssql oracle redis mongo mongodb ftp ftps sftp smtp imap pop pop3
  mail email ldap ad ssh vpn wifi wlan wireless api app application web site server service host guest client account acct login logon my the your our new old bot
  master main test testing prod production dev development stage staging qa local bind proxy keystore truststore cert pfx p12 ssl tls sudo su rabbitmq
  mqtt kafka s3 aws nas router iptv sip voip rtsp camera device domain windows win linux unix mac os ssid pdf zip file vault wallet customer member
  owner person company team org tenant organisation organization basic http https auth private public secure super default temp temporary tmp initial confirm confirmation
  repeat retype verify current previous backup internal external remote portal store shop merchant bank card sim phone mobile
  key secret hashed encrypted plain plaintext clear raw sha sha1 sha256 md5 bcrypt hex base64 b64 encoded enc
  jenkins elastic wordpress freemobile ejabberd registry docker
`);

/** The form, version or place of the value, which is still the secret. */
export const SUFFIXES = wordSet(`
  value values val text string str plain plaintext raw data header headers hash hashed encoded encrypted decrypted base64 b64 hex confirm confirmation confirmed
  repeat repeated retype again old new current previous backup prod production dev development test testing live staging stage sandbox local
  v1 v2 v3 v4 admin user db here pem der env var input
`);

/** Attributes of a secret: a name with one of these does not mean the secret itself. */
export const ABOUT = wordSet(`
  id ids identifier identifiers uuid guid url urls uri uris endpoint endpoints path paths file files filename filepath dir directory folder location locations
  expires expiry expire expiration expired expirydate expiresin expiresat expireson ttl lifetime age duration validity valid until
  type types kind length len size count counts counter total totals limit limits quota usage used uses usages
  name names label labels title description desc hint hints help placeholder field fields column columns param params parameter parameters
  prop property properties selector ref refs reference references arn version versions status state enabled disabled required optional allowed
  supported policy policies rule rules requirements strength score changed updated created modified issued rotated revoked at date time timestamp day days
  seconds minutes hours ms min max minlength maxlength algorithm alg algo method methods mode scheme format encoding provider providers
  ips cidr domains hosts ports backend mount driver job image needs dn response responses request requests issuer audience scope scopes manager store namespace engine rotation attempts attempt retries retry tries history
  error errors message messages exception validation validator generator handler host port info details metadata meta settings options option
  config configuration configs prefix suffix last4 fragment index position order symbol decimals address contract balance supply price amount
  standard budget window probs logprobs logprob embedding embeddings annotation annotations template checksum fingerprint
  thumbprint bucket username grant flow page screen form button modal dialog component schema model regex pattern charset characters
  complexity entropy iterations rounds cost question less protected protection authentication authenticated manager consent banner notice
  per ratio rate ratios speed throughput estimate estimated cap stream ization toggle visible visibility
  hidden shown strategy lock locked lockout blacklist blocklist denylist allowlist whitelist scanner scanning leaked
  permissions permission role roles review audience subject sub category level tier currency exchange pool pair swap check checks
  generation grants missing invalid mismatch incorrect failed failure success ok result results
  lange laenge typ tipo longueur longitud lengte lunghezza comprimento dlugosc delka langd mtime signmethod breakdown summary report spec definition
`);

/** A link with one of these grants access itself: `passwordResetUrl`, `magicLink`. */
export const OPENING = wordSet(
  "reset magic login signin signup verify verification confirm confirmation activate activation invite invitation recover recovery onetime autologin presigned signed unlock change set setup",
);
export const LINKS = wordSet("url urls uri uris link links");

/** First in a name, they make it a question or a switch: `hasPassword`, `requireToken`. */
export const SWITCHES = wordSet(`
  has is are allow allows allowed require requires required use uses using enable enables enabled disable disables disabled show hide can should must
  include includes need needs force skip no not without support supports forgot missing invalid expired exclude return returns automount
`);

/** Not secret before `token` or `tokens`: measures of text, positions in a list, tokens of other fields. */
export const PLAIN_TOKENS = wordSet(`
  per first last max min each num total prompt completion input output cached reasoning used remaining estimated avg average generated thinking audio image text
  continuation next page prev previous sync cancel cancellation stop eos bos pad unk cls sep mask special delta cursor skip start
  design fungible nft erc20 erc721 lp governance utility native number count
`);

/** Whole names that end like a secret's and are harmless. */
export const HARMLESS = wordSet(`
  emailsignature methodsignature functionsignature typesignature primarykey publickey foreignkey keyword keywords pinned pindata
  nexttoken pagetoken nextpagetoken previouspagetoken synctoken nextsynctoken tokenize tokenizer tokenization
  extendedauthorization incrementalauthorization issuingauthorization paymentauthorization
  electronicsignature documentsignature digitalsignaturestatus timesignature
`);

/** Words that end like a secret's and mean something else: `compass`, `monkey`, `betoken`. */
export const OTHER_WORDS = wordSet(`
  bypass compass trespass overpass underpass surpass encompass impasse passenger passengers passed passes passing passive passage passages passion passport passports passthrough
  secretary secretaries secretariat secretarial secretion secretions secretly secretive
  betoken tokenize tokenized tokenizer tokenizers tokenizes tokenizing tokenization tokenise tokenised tokeniser tokenomics
  monkey turnkey hotkey hotkeys donkey turkey hockey jockey whiskey keyword keywords keyboard keyboards keynote keystroke
  credit credits accredit sacred incredible discredit cookieless cookiebot
`);

/** Recognized at the end of any compound: `githubtoken`, `dbpassword`. */
export const JOINED_ENDS = wordSet(`
  password passwords passwd passphrase passcode passwrd pswd secret secrets token tokens apikey apikeys accesskey secretkey privatekey sshkey
  authkey signingkey encryptionkey masterkey sharedkey pwd credential credentials cookie bearer
`);
/** Recognized at the beginning of a compound, unless `ABOUT` follows. */
export const JOINED_STARTS = wordSet(
  "password passwd passphrase passcode passwort apikey privatekey secretkey accesstoken clientsecret secret token pwd",
);

/** Not secret before `pin`: of a board, of a map. */
export const PLAIN_PINS = wordSet("gpio led data map drop clk is location digital analog rx tx marker");
/** The words after one of these name the owner: `Password for VPN`. */
export const PREPOSITIONS = wordSet("for of to in from at by with on");

/** Not secret before `pass`: runs, tickets and test results. */
export const PLAIN_PASSES = wordSet(
  "boarding season ski day press hall low high band single multi first second last by did test tests check checks is all",
);
