/** Chat, mail, telephony, social networks. */
export const chatAndMail = `
Firebase Cloud Messaging | AAAA{v:7}:APA91b{v:100+} | rules
GC Notify | gcntfy-{v:70+} | rules
Slack | ^xox{a|b|c|e|o|p|r|s|d}-{y:11+}  xoxe.xox{b|p}-{y:20+} | api.slack.com
Slack cookie | xoxd-{r:20+} | rules
Slack app | xapp-{y:20+} | api.slack.com
Slack workflow | xwfp-{y:11+} | api.slack.com
Discord bot | {M|N|O}{v:22-28}.{v:6}.{v:27+} | discord.com
Discord MFA | ^mfa.{v:60+} | rules
Telegram | {d:8-10}:AA{v:32-35} | core.telegram.org
Twilio | ^SK{h:32} | twilio.com
Twilio | ^SK{w:32} | twilio.com | twilio
SendGrid | ^SG.{v:16+}.{v:16+} | twilio.com
Mailgun | ^{key-|pubkey-}{l:32} | documentation.mailgun.com
Mailchimp | {h:32}-us{d:1-2} | mailchimp.com
Mandrill | ^md-{v:22} | mailchimp.com
Brevo | {xkeysib-|xsmtpsib-}{v:60+} | developers.brevo.com
Resend | ^re_{w:6-10}_{w:20+} | resend.com
MailerSend | mlsn.{h:40+} | developers.mailersend.com
Klaviyo | ^pk_{h:34}  ^pk_{w:6}_{h:34} | developers.klaviyo.com
Klaviyo | ^pk_{w:34} | developers.klaviyo.com | klaviyo
Courier | ^pk_{prod|test}_{w:28} | courier.com
Mailsac | ^k_{w:36+} | mailsac.com
HubSpot | pat-{na|eu|ap}{d:1}-{w:8}-{w:4}-{w:4}-{w:4}-{w:12} | developers.hubspot.com
MessageBird | ^live_{w:25} | rules
MessageBird | AccessKey »{w:25} | developers.messagebird.com
Telnyx | ^KEY{w:4-50}_{w:16+}  ^KEY{v:55} | developers.telnyx.com
Plivo | ^{MA|SA}{u:18} | plivo.com | plivo
OneSignal | {os_v2_app_|os_v2_org_}{l:50+} | documentation.onesignal.com
Pushbullet | ^o.{w:32} | docs.pushbullet.com
PubNub | sec-c-{B:30+}  {sub-c-|pub-c-}{l:8}-{l:4}-{l:4}-{l:4}-{l:12} | pubnub.com
Intercom | dG9r{B:40+} | developers.intercom.com
Webex | ^C{h:64} | rules | webex
Lark | ^{t|u|a}-{t:16+} | open.larksuite.com | lark
Lark | ^cli_{w:16} | rules | lark
DingTalk | ^SEC{h:64} | open.dingtalk.com
Smooch | ^{act|app}_{l:24} | rules | smooch
Facebook | ^EAA{w:90+} | developers.facebook.com
Facebook | EAACEdEose0cBA{w:20+} | rules
Instagram | ^IG{QVJ|AA}{w:90+} | developers.facebook.com
Threads | ^THAA{w:90+} | developers.facebook.com
X | ^AAAAAAAAAAAAAAAAAAAAA{r:60-200} | developer.x.com
LinkedIn | ^AQ{V|U|X|W|T|S|R}{v:100+}  WPL_AP1.{w:10+}.{B:8+} | learn.microsoft.com
TikTok | ^{act|rft|clt}.{c:10+}!{d:1-6}.{l:2}  ^{act|rft}.{w:30+} | developers.tiktok.com
Pinterest | {pina_|pinr.}{w:40+} | developers.pinterest.com
Twitch stream | ^live_{d:6-12}_{w:28-40} | rules
Twitch | ^oauth:{l:30} | dev.twitch.tv
Matrix | syt_{b:4+}{pad}_{a:16+}_{w:6+} | spec.matrix.org
Matrix | mct_{x:20+} | rules
Ntfy | tk_{l:29} | docs.ntfy.sh
Gotify | ^{A|C|D}{v:14} | rules | gotify
Cal.com | cal_{live|test}_{w:30+} | cal.com
`;
