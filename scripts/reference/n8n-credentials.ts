/**
 * The types of credentials of n8n 2.40.5 (n8n-nodes-base, @n8n/n8n-nodes-langchain), and by what their secret
 * is told where it stands in a text: `form`, the form of the provider that is named (`JWS`, `PEM`, `Bearer`,
 * `Basic` are nobody's); `beside`, the provider's name before it; `oauth`, no key of the user's, tokens are
 * told by their scheme or as JWT; `password`, whatever its owner chose, told by its name alone; `name`, a
 * key without any mark of the provider (plain hexadecimal, a UUID, letters and digits), told by its name
 * alone; `none`, without a secret of its own.
 */
export const N8N_CREDENTIALS = `
actionNetworkApi | name
activeCampaignApi | name
acuitySchedulingApi | name
acuitySchedulingOAuth2Api | oauth
adaloApi | name
affinityApi | name
agileCrmApi | name
airtableApi | form | Airtable
airtableOAuth2Api | oauth
airtableTokenApi | form | Airtable
airtopApi | name
alibabaCloudApi | form | OpenAI and those who follow it
alienVaultApi | beside | alienvault
amqp | password
anthropicApi | form | Anthropic
apiTemplateIoApi | name
asanaApi | form | Asana
asanaOAuth2Api | oauth
atlassianOAuth2Api | oauth
atlassianServiceAccountApi | form | Atlassian
auth0ManagementApi | name
autopilotApi | beside | autopilot
aws | form | AWS
awsAssumeRole | form | AWS
azureAiSearchApi | form | Azure keys of 32 bytes
azureEntraCognitiveServicesOAuth2Api | oauth
azureOpenAiApi | form | Azure keys of 2024
azureStorageOAuth2Api | oauth
azureStorageSharedKeyApi | form | Azure Storage
bambooHrApi | name
bannerbearApi | form | Bannerbear
baserowApi | password
baserowTokenApi | name
beeminderApi | name
beeminderOAuth2Api | oauth
bitbucketAccessTokenApi | form | Bitbucket
bitbucketApi | form | Bitbucket
bitlyApi | beside | bitly
bitlyOAuth2Api | oauth
bitwardenApi | name
boxOAuth2Api | oauth
brandfetchApi | beside | brandfetch
braveSearchApi | form | Brave Search
bubbleApi | name
calApi | form | Cal.com
calendlyApi | form | JWS
calendlyOAuth2Api | oauth
carbonBlackApi | name
chargebeeApi | form | Chargebee
chatHubVectorStorePGVectorApi | none
chatHubVectorStorePineconeApi | form | Pinecone
chatHubVectorStoreQdrantApi | form | JWS
chromaCloudApi | form | Chroma Cloud
chromaSelfHostedApi | name
circleCiApi | form | CircleCI
ciscoMerakiApi | beside | meraki
ciscoSecureEndpointApi | name
ciscoUmbrellaApi | name
ciscoWebexOAuth2Api | oauth
citrixAdcApi | password
clearbitApi | beside | clearbit
clickUpApi | form | ClickUp
clickUpOAuth2Api | oauth
clockifyApi | beside | clockify
cloudflareApi | form | Cloudflare
cockpitApi | name
codaApi | beside | coda
cohereApi | beside | cohere
confluenceCloudOAuth2Api | oauth
contentfulApi | form | Contentful
convertApi | form | ConvertAPI
convertKitApi | beside | convertkit
copperApi | beside | copper
cortexApi | name
crateDb | password
crowdStrikeOAuth2Api | name
crypto | form | PEM
currentsApi | name
customerIoApi | name
databricksApi | form | Databricks
databricksOAuth2Api | oauth
datadogApi | beside | datadog
daytonaApi | form | Daytona
deepLApi | form | DeepL
deepSeekApi | form | OpenAI and those who follow it
demioApi | beside | demio
dfirIrisApi | name
dhlApi | name
discordBotApi | form | Discord bot
discordOAuth2Api | oauth
discordWebhookApi | form | Discord
discourseApi | name
disqusApi | beside | disqus
driftApi | name
driftOAuth2Api | oauth
dropboxApi | form | Dropbox
dropboxOAuth2Api | oauth
dropcontactApi | name
dynatraceApi | form | Dynatrace
egoiApi | name
elasticsearchApi | password
elasticSecurityApi | name
emeliaApi | name
erpNextApi | name
eventbriteApi | beside | eventbrite
eventbriteOAuth2Api | oauth
f5BigIpApi | password
facebookGraphApi | form | Facebook
facebookGraphApiOAuth2Api | oauth
facebookGraphAppApi | name
facebookGraphAppOAuth2Api | oauth
facebookLeadAdsOAuth2Api | oauth
figmaApi | form | Figma
figmaOAuth2Api | oauth
fileMaker | password
filescanApi | name
flowApi | name
formIoApi | name
formstackApi | name
formstackOAuth2Api | oauth
fortiGateApi | name
freshdeskApi | beside | freshdesk
freshserviceApi | beside | freshservice
freshworksCrmApi | name
ftp | password
getResponseApi | beside | getresponse
getResponseOAuth2Api | oauth
ghostAdminApi | beside | ghost
ghostContentApi | beside | ghost
githubApi | form | GitHub
githubAppApi | form | PEM
githubOAuth2Api | oauth
gitlabApi | form | GitLab
gitlabOAuth2Api | oauth
gitPassword | password
gmailOAuth2 | oauth
gongApi | name
gongOAuth2Api | oauth
googleAdsOAuth2Api | oauth
googleAnalyticsOAuth2 | oauth
googleApi | form | PEM
googleBigQueryOAuth2Api | oauth
googleBooksOAuth2Api | oauth
googleBusinessProfileOAuth2Api | oauth
googleCalendarOAuth2Api | oauth
googleChatOAuth2Api | oauth
googleCloudNaturalLanguageOAuth2Api | oauth
googleCloudStorageOAuth2Api | oauth
googleContactsOAuth2Api | oauth
googleDocsOAuth2Api | oauth
googleDriveOAuth2Api | oauth
googleFirebaseCloudFirestoreOAuth2Api | oauth
googleFirebaseRealtimeDatabaseOAuth2Api | oauth
googleOAuth2Api | oauth
googlePalmApi | form | Google API
googlePerspectiveOAuth2Api | oauth
googleSheetsOAuth2Api | oauth
googleSheetsTriggerOAuth2Api | oauth
googleSlidesOAuth2Api | oauth
googleTasksOAuth2Api | oauth
googleTranslateOAuth2Api | oauth
gotifyApi | name
goToWebinarOAuth2Api | oauth
grafanaApi | form | Grafana
gristApi | name
gristOAuth2Api | oauth
groqApi | form | Groq
gSuiteAdminOAuth2Api | oauth
gumroadApi | beside | gumroad
gumroadOAuth2Api | oauth
haloPSAApi | name
harvestApi | form | Harvest
harvestOAuth2Api | oauth
helpScoutOAuth2Api | oauth
highLevelApi | form | HighLevel
highLevelOAuth2Api | oauth
homeAssistantApi | form | JWS
httpBasicAuth | form | Basic
httpBearerAuth | form | Bearer
httpCustomAuth | none
httpDigestAuth | password
httpHeaderAuth | name
httpMultipleHeadersAuth | none
httpQueryAuth | name
httpSslAuth | form | PEM
httpTemplatedCustomAuth | none
hubspotApi | beside | hubspot
hubspotAppToken | form | HubSpot
hubspotDeveloperApi | oauth
hubspotOAuth2Api | oauth
huggingFaceApi | form | Hugging Face
humanticAiApi | name
hunterApi | beside | hunter
hybridAnalysisApi | name
imap | password
impervaWafApi | name
intercomApi | form | Intercom
invoiceNinjaApi | name
iterableApi | name
jenkinsApi | beside | jenkins
jinaAiApi | form | Jina
jiraSoftwareCloudApi | form | Atlassian
jiraSoftwareCloudOAuth2Api | oauth
jiraSoftwareServerApi | password
jiraSoftwareServerPatApi | name
jotFormApi | beside | jotform
jwtAuth | form | PEM
kafka | beside | kafka
keapOAuth2Api | oauth
kibanaApi | password
koBoToolboxApi | name
ldap | password
lemlistApi | beside | lemlist
lemonadeApi | name
linearApi | form | Linear
linearOAuth2Api | oauth
lineNotifyOAuth2Api | oauth
lingvaNexApi | name
linkedInCommunityManagementOAuth2Api | oauth
linkedInOAuth2Api | oauth
loneScaleApi | name
magento2Api | name
mailcheckApi | name
mailchimpApi | form | Mailchimp
mailchimpOAuth2Api | oauth
mailerLiteApi | beside | mailerlite
mailgunApi | form | Mailgun
mailjetEmailApi | name
mailjetSmsApi | name
malcoreApi | name
mandrillApi | form | Mandrill
marketstackApi | beside | marketstack
matrixApi | form | Matrix
mattermostApi | beside | mattermost
mauticApi | password
mauticOAuth2Api | oauth
mcpOAuth2Api | oauth
mediumApi | name
mediumOAuth2Api | oauth
messageBirdApi | form | MessageBird
metabaseApi | beside | metabase
microsoftAgent365Api | form | Azure Entra
microsoftAzureCosmosDbSharedKeyApi | form | Azure Storage
microsoftAzureMonitorOAuth2Api | oauth
microsoftDataverseOAuth2Api | oauth
microsoftDynamicsOAuth2Api | oauth
microsoftEntraOAuth2Api | oauth
microsoftEntraServicePrincipalApi | form | Azure Entra
microsoftExcelOAuth2Api | oauth
microsoftGraphSecurityOAuth2Api | oauth
microsoftOAuth2Api | oauth
microsoftOneDriveOAuth2Api | oauth
microsoftOutlookOAuth2Api | oauth
microsoftSharePointOAuth2Api | oauth
microsoftSql | password
microsoftTeamsOAuth2Api | oauth
microsoftToDoOAuth2Api | oauth
milvusApi | password
mindeeInvoiceApi | name
mindeeReceiptApi | name
minimaxApi | form | JWS
miroOAuth2Api | oauth
mispApi | name
mistApi | name
mistralCloudApi | beside | mistral
moceanApi | name
mondayComApi | form | JWS
mondayComOAuth2Api | oauth
mongoDb | password
monicaCrmApi | name
moonshotApi | form | OpenAI and those who follow it
motorheadApi | name
mqtt | password
msg91Api | name
mySql | password
n8nApi | form | n8n
nasaApi | name
netlifyApi | form | Netlify
nextCloudApi | password
nextCloudOAuth2Api | oauth
nocoDb | name
nocoDbApiToken | name
notionApi | form | Notion
notionOAuth2Api | oauth
npmApi | form | npm
nvidiaApi | form | NVIDIA
oAuth1Api | name
oAuth2Api | name
odooApi | password
odooApiKeyApi | name
oktaApi | form | Okta
ollamaApi | name
oneSimpleApi | name
onfleetApi | beside | onfleet
openAiApi | form | OpenAI
openCtiApi | name
openRouterApi | form | OpenRouter
openWeatherMapApi | beside | openweathermap
oracleDBApi | password
orbitApi | name
ouraApi | name
paddleApi | form | Paddle
pagerDutyApi | form | PagerDuty
pagerDutyOAuth2Api | oauth
payPalApi | form | PayPal
peekalinkApi | name
perplexityApi | form | Perplexity
phantombusterApi | name
philipsHueOAuth2Api | oauth
pineconeApi | form | Pinecone
pipedriveApi | beside | pipedrive
pipedriveOAuth2Api | oauth
plivoApi | beside | plivo
postgres | password
postHogApi | form | PostHog
postmarkApi | beside | postmark
profitWellApi | name
pushbulletOAuth2Api | oauth
pushcutApi | name
pushoverApi | name
qdrantApi | form | JWS
qRadarApi | name
qualysApi | password
questDb | password
quickbaseApi | name
quickBooksOAuth2Api | oauth
rabbitmq | password
raindropOAuth2Api | oauth
rapid7InsightVmApi | name
recordedFutureApi | name
redditOAuth2Api | oauth
redis | password
rocketchatApi | name
rundeckApi | beside | rundeck
s3 | form | AWS
salesforceJwtApi | form | PEM
salesforceOAuth2Api | oauth
salesmateApi | beside | salesmate
schemaRegistryApi | password
searXngApi | none
seaTableApi | name
securityScorecardApi | name
segmentApi | beside | segment
sekoiaApi | name
sendGridApi | form | SendGrid
sendInBlueApi | form | Brevo
sendyApi | name
sentryIoApi | form | Sentry
sentryIoOAuth2Api | oauth
sentryIoServerApi | form | Sentry
serpApi | beside | serpapi
serviceNowBasicApi | password
serviceNowOAuth2Api | oauth
sftp | form | PEM
shopifyAccessTokenApi | form | Shopify
shopifyApi | form | Shopify
shopifyOAuth2Api | oauth
shufflerApi | name
signl4Api | name
slackApi | form | Slack
slackManagerOAuth2Api | oauth
slackOAuth2Api | form | Slack
sms77Api | name
smtp | password
snowflake | form | Snowflake
snowflakeOAuth2Api | oauth
solarWindsIpamApi | password
solarWindsObservabilityApi | name
splunkApi | beside | splunk
spotifyOAuth2Api | oauth
sshPassword | password
sshPrivateKey | form | PEM
stackbyApi | name
storyblokContentApi | name
storyblokManagementApi | name
strapiApi | beside | strapi
strapiTokenApi | beside | strapi
stravaOAuth2Api | oauth
stripeApi | form | Stripe
supabaseApi | form | Supabase
surveyMonkeyApi | name
surveyMonkeyOAuth2Api | oauth
syncroMspApi | name
sysdigApi | name
taigaApi | password
tapfiliateApi | name
telegramApi | form | Telegram
theHiveApi | name
theHiveProjectApi | name
timescaleDb | password
todoistApi | beside | todoist
todoistOAuth2Api | oauth
togglApi | beside | toggl
totpApi | form | TOTP
travisCiApi | name
trellixEpoApi | password
trelloApi | form | Trello
trelloOAuth1Api | beside | trello
twakeCloudApi | name
twakeServerApi | name
twilioApi | form | Twilio
twistOAuth2Api | oauth
twitterOAuth1Api | beside | twitter
twitterOAuth2Api | oauth
typeformApi | form | Typeform
typeformOAuth2Api | oauth
unleashedSoftwareApi | name
upleadApi | beside | uplead
uprocApi | name
uptimeRobotApi | form | UptimeRobot
urlScanIoApi | beside | urlscan
venafiTlsProtectCloudApi | name
venafiTlsProtectDatacenterApi | password
vercelAiGatewayApi | form | Vercel
veroApi | name
verticaApi | password
virusTotalApi | beside | virustotal
vonageApi | name
weaviateApi | name
webflowApi | beside | webflow
webflowOAuth2Api | oauth
wekanApi | password
whatsAppApi | form | Facebook
whatsAppTriggerApi | name
wiseApi | name
wolframAlphaApi | name
wooCommerceApi | form | WooCommerce
wordpressApi | password
wordpressOAuth2Api | oauth
workableApi | name
wufooApi | name
xAiApi | form | xAI
xataApi | form | Xata
xeroOAuth2Api | oauth
yourlsApi | none
youTubeOAuth2Api | oauth
zabbixApi | beside | zabbix
zammadBasicAuthApi | password
zammadTokenAuthApi | name
zendeskApi | beside | zendesk
zendeskOAuth2Api | oauth
zepApi | form | Zep
zohoOAuth2Api | oauth
zoomApi | name
zoomOAuth2Api | oauth
zscalerZiaApi | name
zulipApi | name
`;
