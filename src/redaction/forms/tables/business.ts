/** Office, forms, CRM, content, identity, automation. */
export const business = `
n8n | n8n_api_{x:20+} | docs.n8n.io
Airtable | ^pat{w:14}.{l:60+}  ^pat{w:10+}.v1.{v:10+}.{h:20+} | airtable.com
Airtable OAuth | ^{oaa|oar}{w:10+}.v1.{v:6+}.{h:12+} | airtable.com
Airtable OAuth | {w:3-40}.v1.{v:6+}.{h:12+} | rules
Airtable | ^key{w:14} | airtable.com | airtable
Notion | ntn_{w:40+}  ^secret_{w:43} | developers.notion.com
Notion OAuth | nrt_{w:40+} | developers.notion.com
ConvertAPI | ^secret_{w:16} | rules | convertapi
Asana | ^{0|1|2}/{d:10+}:{h:32} | developers.asana.com
ClickUp | ^pk_{d:5-10}_{u:32} | developer.clickup.com
Typeform | tfp_{q:40+} | typeform.com
Dropbox | ^{sl.|sl.u.}{t:100+} | dropbox.com
Salesforce | ^00{w:13}!{t:80+}  ^{3MVG9|5Aep861|5AEP861}{k:60+} | developer.salesforce.com
Zoho | ^{1000.|1003.|1001.}{h:32}.{h:32} | zoho.com
Okta | ^00{v:40} | developer.okta.com | okta,ssws,dev-
WorkOS | sk_{live|test}_{w:40+}  ^sk_a2V5{w:40+} | workos.com
Duo | ^DI{u:18} | rules | duo
Shutterstock | ^v2/{w:300+} | api-reference.shutterstock.com
Adobe | ^p8e-{y:32} | developer.adobe.com
Adobe Launch | ^s8e-{y:32} | developer.adobe.com
Teamwork | tkn.v1_{B:40+} | apidocs.teamwork.com
Close | ^api_{w:10+}.{w:10+} | developer.close.com
LiveChat | {fra-s|dal}:{v:20+} | platform.text.com
Documo | ^ey{w:34}.ey{w:150+}.{v:40+} | docs.documo.com
Voicegain and Rentman | ^ey{v:34}.ey{v:100+}.{v:40+} | rules
EcoStruxure | AK1{b:50-55} | rules | ecostruxure
ShipEngine | ^TEST_{B:43} | shipengine.com
Metabase | mb_{w:40}= | metabase.com
Retool | retool_{w:20+} | docs.retool.com
Pipedream | pd_{live|test}_{w:30+} | pipedream.com
Trigger.dev | tr_{dev|prod|stg|preview|pat}_{w:20+} | trigger.dev
Inngest | signkey-{prod|test|branch}-{h:40+} | inngest.com
Svix | testsk_{v:20+}  sk_{v:20+}.{us|eu|ca|in} | svix.com
Knock | sk_{test|live}_{v:40+} | docs.knock.app
Courier | ^dk_{prod|test}_{w:28} | courier.com
Nylas | nyk_v0_{w:40+} | developer.nylas.com
Cronofy | CRN_{v:30+} | docs.cronofy.com
Apollo GraphQL | service:{v:3-40}:{v:22} | apollographql.com
Onfido | api_{live|sandbox}.{v:11}.{v:32}  api_{live|sandbox}_{us|ca|eu}.{v:11}.{v:32} | documentation.onfido.com
Persona | persona_{production|sandbox}_{uuid} | docs.withpersona.com
Truework | tw_sk_{test|live}_{v:40+} | docs.truework.com
Canva | cnv{c|s}a{v:40+} | canva.dev
Beamer | ^b_{B:44} | getbeamer.com
Localstack | ls-{w:8}-{w:4}-{w:4}-{w:4}-{w:12} | docs.localstack.cloud
Lichess | lip_{w:20}  lio_{w:32} | lichess.org
WireGuard | {PrivateKey = |PrivateKey=|PresharedKey = |PresharedKey=}»{b:43}= | wireguard.com
age | {AGE-SECRET-KEY-1|AGE-SECRET-KEY-PQ-1}{u:50+} | age-encryption.org
Private key in DER | ^MII{b:3}IB{ADANBgkqhkiG9w0BAQEFAASC|AAK}{b:40+}{pad}  ^{MHcCAQEE|MIGHAgEAMBMGByqGSM49|MC4CAQAwBQYDK2Vw}{b:40+}{pad} | rfc-editor.org
NTLM | ^TlRMTVNTUAADAAAA{b:40+}{pad} | learn.microsoft.com
minisign | RWRTY0Iy{B:60+} | jedisct1.github.io
Ansible | ^$ANSIBLE_VAULT;{t:3+};{u:3+} | docs.ansible.com
Docker swarm | SWMTKN-1-{l:50}-{l:25}  SWMKEY-1-{B:43} | docs.docker.com
Nostr | ^nsec1{l:58} | nips.nostr.com
Bitcoin | ^xprv{w:107} | bips.dev
Bitcoin | ^{K|L|5}{w:50-51} | bips.dev | wif,bitcoin,private
NKEY of NATS | ^S{A|C|N|O|U|X}{u:56} | docs.nats.io
TOTP | otpauth://{totp|hotp}/{g:1+}?secret=»{u:16+} | github.com
HighLevel | pit-{uuid} | highlevel.stoplight.io
DeepL | {uuid}:fx | developers.deepl.com
Harvest | {d:4-9}.pt.{v:60+} | help.getharvest.com
`;
