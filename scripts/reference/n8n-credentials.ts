/**
 * The credential types of n8n 2.40.5 (n8n-nodes-base, @n8n/n8n-nodes-langchain), by how their secret is recognized in a
 * text. Pure.
 */
const TYPES = {
  /** By the form of the named provider. `JWS`, `PEM`, `Bearer` and `Basic` belong to no provider. */
  form: `
Airtable: airtableApi airtableTokenApi
Anthropic: anthropicApi
Asana: asanaApi
Atlassian: atlassianServiceAccountApi jiraSoftwareCloudApi
AWS: aws awsAssumeRole s3
Azure Entra: microsoftAgent365Api microsoftEntraServicePrincipalApi
Azure keys of 2024: azureOpenAiApi
Azure keys of 32 bytes: azureAiSearchApi
Azure Storage: azureStorageSharedKeyApi microsoftAzureCosmosDbSharedKeyApi
Bannerbear: bannerbearApi
Basic: httpBasicAuth
Bearer: httpBearerAuth
Bitbucket: bitbucketAccessTokenApi bitbucketApi
Brave Search: braveSearchApi
Brevo: sendInBlueApi
Cal.com: calApi
Chargebee: chargebeeApi
Chroma Cloud: chromaCloudApi
CircleCI: circleCiApi
ClickUp: clickUpApi
Cloudflare: cloudflareApi
Contentful: contentfulApi
ConvertAPI: convertApi
Databricks: databricksApi
Daytona: daytonaApi
DeepL: deepLApi
Discord: discordWebhookApi
Discord bot: discordBotApi
Dropbox: dropboxApi
Dynatrace: dynatraceApi
Facebook: facebookGraphApi whatsAppApi
Figma: figmaApi
GitHub: githubApi
GitLab: gitlabApi
Google API: googlePalmApi
Grafana: grafanaApi
Groq: groqApi
Harvest: harvestApi
HighLevel: highLevelApi
HubSpot: hubspotAppToken
Hugging Face: huggingFaceApi
Intercom: intercomApi
Jina: jinaAiApi
JWS: calendlyApi chatHubVectorStoreQdrantApi homeAssistantApi minimaxApi mondayComApi qdrantApi
Linear: linearApi
Mailchimp: mailchimpApi
Mailgun: mailgunApi
Mandrill: mandrillApi
Matrix: matrixApi
MessageBird: messageBirdApi
n8n: n8nApi
Netlify: netlifyApi
Notion: notionApi
npm: npmApi
NVIDIA: nvidiaApi
Okta: oktaApi
OpenAI: openAiApi
OpenAI and those who follow it: alibabaCloudApi deepSeekApi moonshotApi
OpenRouter: openRouterApi
Paddle: paddleApi
PagerDuty: pagerDutyApi
PayPal: payPalApi
PEM: crypto githubAppApi googleApi httpSslAuth jwtAuth salesforceJwtApi sftp sshPrivateKey
Perplexity: perplexityApi
Pinecone: chatHubVectorStorePineconeApi pineconeApi
PostHog: postHogApi
SendGrid: sendGridApi
Sentry: sentryIoApi sentryIoServerApi
Shopify: shopifyAccessTokenApi shopifyApi
Slack: slackApi slackOAuth2Api
Snowflake: snowflake
Stripe: stripeApi
Supabase: supabaseApi
Telegram: telegramApi
TOTP: totpApi
Trello: trelloApi
Twilio: twilioApi
Typeform: typeformApi
UptimeRobot: uptimeRobotApi
Vercel: vercelAiGatewayApi
WooCommerce: wooCommerceApi
xAI: xAiApi
Xata: xataApi
Zep: zepApi
`,
  /** By the provider's name before it. */
  beside: `
alienvault: alienVaultApi
autopilot: autopilotApi
bitly: bitlyApi
brandfetch: brandfetchApi
clearbit: clearbitApi
clockify: clockifyApi
coda: codaApi
cohere: cohereApi
convertkit: convertKitApi
copper: copperApi
datadog: datadogApi
demio: demioApi
disqus: disqusApi
eventbrite: eventbriteApi
freshdesk: freshdeskApi
freshservice: freshserviceApi
getresponse: getResponseApi
ghost: ghostAdminApi ghostContentApi
gumroad: gumroadApi
hubspot: hubspotApi
hunter: hunterApi
jenkins: jenkinsApi
jotform: jotFormApi
kafka: kafka
lemlist: lemlistApi
mailerlite: mailerLiteApi
marketstack: marketstackApi
mattermost: mattermostApi
meraki: ciscoMerakiApi
metabase: metabaseApi
mistral: mistralCloudApi
onfleet: onfleetApi
openweathermap: openWeatherMapApi
pipedrive: pipedriveApi
plivo: plivoApi
postmark: postmarkApi
rundeck: rundeckApi
salesmate: salesmateApi
segment: segmentApi
serpapi: serpApi
splunk: splunkApi
strapi: strapiApi strapiTokenApi
todoist: todoistApi
toggl: togglApi
trello: trelloOAuth1Api
twitter: twitterOAuth1Api
uplead: upleadApi
urlscan: urlScanIoApi
virustotal: virusTotalApi
webflow: webflowApi
zabbix: zabbixApi
zendesk: zendeskApi
`,
  /** No key of the user's: tokens are recognized by their scheme, or as JWT. */
  oauth: `
acuitySchedulingOAuth2Api airtableOAuth2Api asanaOAuth2Api atlassianOAuth2Api
azureEntraCognitiveServicesOAuth2Api azureStorageOAuth2Api beeminderOAuth2Api bitlyOAuth2Api boxOAuth2Api
calendlyOAuth2Api ciscoWebexOAuth2Api clickUpOAuth2Api confluenceCloudOAuth2Api databricksOAuth2Api
discordOAuth2Api driftOAuth2Api dropboxOAuth2Api eventbriteOAuth2Api facebookGraphApiOAuth2Api
facebookGraphAppOAuth2Api facebookLeadAdsOAuth2Api figmaOAuth2Api formstackOAuth2Api getResponseOAuth2Api
githubOAuth2Api gitlabOAuth2Api gmailOAuth2 gongOAuth2Api googleAdsOAuth2Api googleAnalyticsOAuth2
googleBigQueryOAuth2Api googleBooksOAuth2Api googleBusinessProfileOAuth2Api googleCalendarOAuth2Api
googleChatOAuth2Api googleCloudNaturalLanguageOAuth2Api googleCloudStorageOAuth2Api googleContactsOAuth2Api
googleDocsOAuth2Api googleDriveOAuth2Api googleFirebaseCloudFirestoreOAuth2Api
googleFirebaseRealtimeDatabaseOAuth2Api googleOAuth2Api googlePerspectiveOAuth2Api googleSheetsOAuth2Api
googleSheetsTriggerOAuth2Api googleSlidesOAuth2Api googleTasksOAuth2Api googleTranslateOAuth2Api
goToWebinarOAuth2Api gristOAuth2Api gSuiteAdminOAuth2Api gumroadOAuth2Api harvestOAuth2Api
helpScoutOAuth2Api highLevelOAuth2Api hubspotDeveloperApi hubspotOAuth2Api jiraSoftwareCloudOAuth2Api
keapOAuth2Api linearOAuth2Api lineNotifyOAuth2Api linkedInCommunityManagementOAuth2Api linkedInOAuth2Api
mailchimpOAuth2Api mauticOAuth2Api mcpOAuth2Api mediumOAuth2Api microsoftAzureMonitorOAuth2Api
microsoftDataverseOAuth2Api microsoftDynamicsOAuth2Api microsoftEntraOAuth2Api microsoftExcelOAuth2Api
microsoftGraphSecurityOAuth2Api microsoftOAuth2Api microsoftOneDriveOAuth2Api microsoftOutlookOAuth2Api
microsoftSharePointOAuth2Api microsoftTeamsOAuth2Api microsoftToDoOAuth2Api miroOAuth2Api
mondayComOAuth2Api nextCloudOAuth2Api notionOAuth2Api pagerDutyOAuth2Api philipsHueOAuth2Api
pipedriveOAuth2Api pushbulletOAuth2Api quickBooksOAuth2Api raindropOAuth2Api redditOAuth2Api
salesforceOAuth2Api sentryIoOAuth2Api serviceNowOAuth2Api shopifyOAuth2Api slackManagerOAuth2Api
snowflakeOAuth2Api spotifyOAuth2Api stravaOAuth2Api surveyMonkeyOAuth2Api todoistOAuth2Api twistOAuth2Api
twitterOAuth2Api typeformOAuth2Api webflowOAuth2Api wordpressOAuth2Api xeroOAuth2Api youTubeOAuth2Api
zendeskOAuth2Api zohoOAuth2Api zoomOAuth2Api
`,
  /** Chosen by its owner: recognized by its name alone. */
  password: `
amqp baserowApi citrixAdcApi crateDb elasticsearchApi f5BigIpApi fileMaker ftp gitPassword httpDigestAuth
imap jiraSoftwareServerApi kibanaApi ldap mauticApi microsoftSql milvusApi mongoDb mqtt mySql nextCloudApi
odooApi oracleDBApi postgres qualysApi questDb rabbitmq redis schemaRegistryApi serviceNowBasicApi smtp
solarWindsIpamApi sshPassword taigaApi timescaleDb trellixEpoApi venafiTlsProtectDatacenterApi verticaApi
wekanApi wordpressApi zammadBasicAuthApi
`,
  /** A key without any mark of the provider (hexadecimal, a UUID, letters and digits): recognized by its name alone. */
  name: `
actionNetworkApi activeCampaignApi acuitySchedulingApi adaloApi affinityApi agileCrmApi airtopApi
apiTemplateIoApi auth0ManagementApi bambooHrApi baserowTokenApi beeminderApi bitwardenApi bubbleApi
carbonBlackApi chromaSelfHostedApi ciscoSecureEndpointApi ciscoUmbrellaApi cockpitApi cortexApi
crowdStrikeOAuth2Api currentsApi customerIoApi dfirIrisApi dhlApi discourseApi driftApi dropcontactApi
egoiApi elasticSecurityApi emeliaApi erpNextApi facebookGraphAppApi filescanApi flowApi formIoApi
formstackApi fortiGateApi freshworksCrmApi gongApi gotifyApi gristApi haloPSAApi httpHeaderAuth
httpQueryAuth humanticAiApi hybridAnalysisApi impervaWafApi invoiceNinjaApi iterableApi
jiraSoftwareServerPatApi koBoToolboxApi lemonadeApi lingvaNexApi loneScaleApi magento2Api mailcheckApi
mailjetEmailApi mailjetSmsApi malcoreApi mediumApi mindeeInvoiceApi mindeeReceiptApi mispApi mistApi
moceanApi monicaCrmApi motorheadApi msg91Api nasaApi nocoDb nocoDbApiToken oAuth1Api oAuth2Api
odooApiKeyApi ollamaApi oneSimpleApi openCtiApi orbitApi ouraApi peekalinkApi phantombusterApi
profitWellApi pushcutApi pushoverApi qRadarApi quickbaseApi rapid7InsightVmApi recordedFutureApi
rocketchatApi seaTableApi securityScorecardApi sekoiaApi sendyApi shufflerApi signl4Api sms77Api
solarWindsObservabilityApi stackbyApi storyblokContentApi storyblokManagementApi surveyMonkeyApi
syncroMspApi sysdigApi tapfiliateApi theHiveApi theHiveProjectApi travisCiApi twakeCloudApi twakeServerApi
unleashedSoftwareApi uprocApi venafiTlsProtectCloudApi veroApi vonageApi weaviateApi whatsAppTriggerApi
wiseApi wolframAlphaApi workableApi wufooApi zammadTokenAuthApi zoomApi zscalerZiaApi zulipApi
`,
  /** Without a secret of its own. */
  none: `
chatHubVectorStorePGVectorApi httpCustomAuth httpMultipleHeadersAuth httpTemplatedCustomAuth searXngApi
yourlsApi
`,
} as const;

export interface Credential {
  readonly type: string;
  readonly recognizedBy: keyof typeof TYPES;
  /** The provider of the form, or the name beside it; else empty. */
  readonly what: string;
}

/** In alphabetical order. */
export function credentials(): Credential[] {
  const recognizedBy = Object.keys(TYPES) as (keyof typeof TYPES)[];
  return recognizedBy
    .flatMap((each) =>
      TYPES[each]
        .trim()
        .split("\n")
        .flatMap((line) => readLine(each, line)),
    )
    .sort((a, b) => (a.type.toLowerCase() < b.type.toLowerCase() ? -1 : 1));
}

/** `Airtable: airtableApi airtableTokenApi`, or types alone. */
function readLine(recognizedBy: Credential["recognizedBy"], line: string): Credential[] {
  const [types = "", what = ""] = line.split(": ").reverse();
  return types.split(" ").map((type) => ({ type, recognizedBy, what }));
}
