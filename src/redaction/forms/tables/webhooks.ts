/** Addresses whose path is the secret: the host stays readable. */
export const webhooks = `
Slack | {hooks.slack.com/services/|hooks.slack.com/workflows/|hooks.slack.com/triggers/|hooks.slack-gov.com/services/}»{g:20+} | api.slack.com
Discord | {discord.com/api/webhooks/|discordapp.com/api/webhooks/}{d:5-25}/»{v:30+} | discord.com
Teams | {webhook.office.com/|outlook.office.com/webhook/|outlook.office365.com/webhook/}»{g:40+} | learn.microsoft.com
Power Automate | &sig=»{v:30+} | learn.microsoft.com | logic.azure.com,powerplatform.com,powerautomate
Zapier | {hooks.zapier.com/hooks/catch/|hooks.zapier.com/hooks/standard/}»{d:3+}/{g:5+} | zapier.com
Make | make.com/»{l:20+} | make.com | hook.
Integromat | hook.integromat.com/»{l:20+} | make.com
IFTTT | maker.ifttt.com/trigger/{v:1-100}{/with/key/|/json/with/key/}»{v:10+} | ifttt.com
Mattermost, Rocket.Chat | /hooks/»{w:24-26} | developers.mattermost.com | mattermost,rocket,chat
Telegram | api.telegram.org/bot»{d:5+}:{v:30+} | core.telegram.org
Google Chat | chat.googleapis.com/v1/spaces/{v:5+}/messages?key=»{g:10+}&token={g:10+} | developers.google.com
Lark | /open-apis/bot/v2/hook/»{uuid} | open.larksuite.com
WeCom | qyapi.weixin.qq.com/cgi-bin/webhook/send?key=»{uuid} | developer.work.weixin.qq.com
DingTalk | oapi.dingtalk.com/robot/send?access_token=»{h:64} | open.dingtalk.com
Webex | webexapis.com/v1/webhooks/incoming/»{v:40+} | developer.webex.com
ThingsBoard | thingsboard.cloud/api/v1/»{l:20} | thingsboard.io
Healthchecks | hc-ping.com/»{g:20+} | healthchecks.io
Home Assistant | hooks.nabu.casa/»{v:40+} | nabucasa.com
Sentry | ingest.sentry.io/api/{d:1+}/{g:1+}?sentry_key=»{h:32} | docs.sentry.io
PagerDuty | events.pagerduty.com/integration/»{h:32} | pagerduty.com
Opsgenie | api.opsgenie.com/v1/json/{v:3-40}?apiKey=»{uuid} | docs.opsgenie.com
Splunk On-Call | alert.victorops.com/integrations/generic/{d:5+}/alert/»{g:20+} | help.victorops.com
Grafana OnCall | grafana.net/oncall/integrations/v1/{v:3-40}/»{v:10+} | grafana.com
Vercel | api.vercel.com/v1/integrations/deploy/»{g:20+} | vercel.com
Netlify | api.netlify.com/build_hooks/»{h:20+} | docs.netlify.com
Render | api.render.com/deploy/srv-{w:10+}?key=»{v:8+} | render.com
One-time passwords | otpauth-migration://offline?data=»{r:20+} | github.com
Ethereum nodes | alchemy.com/v2/»{v:30+} | alchemy.com
Ethereum nodes | infura.io/v3/»{h:32} | infura.io
Ethereum nodes | quiknode.pro/»{h:40} | quicknode.com
`;
