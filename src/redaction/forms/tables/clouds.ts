/** Clouds, hosting, databases, infrastructure. */
export const clouds = `
AWS | {AKIA|ASIA|ABIA|ACCA}{u:16} | docs.aws.amazon.com
AWS | A3T{u:17} | rules
AWS | {FwoGZXIvYXdz|FQoGZXIvYXdz|FwoDYXdz|FQoDYXdz|IQoJb3JpZ2lu}{B:80+} | docs.aws.amazon.com
AWS Bedrock | ABSK{b:80+}{pad}  bedrock-api-key-{b:30+}{pad} | docs.aws.amazon.com
AWS AppSync | ^da2-{l:26} | docs.aws.amazon.com
AWS MWS | amzn.mws.{uuid} | rules
Amazon login | amzn1.oa2-cs.v1.{h:40+} | developer.amazon.com
Amazon refresh token | Atzr|{B:60+} | developer.amazon.com
Amazon access token | Atza|{B:60+} | developer.amazon.com
Google API | AIza{v:35} | cloud.google.com
Google Gemini | AQ.Ab{v:40+} | ai.google.dev
Google OAuth | {ya29.|GOCSPX-}{t:20+}  ^{1//0|4/0A}{v:30+} | developers.google.com
Google HMAC | ^GOOG{u:20-57} | cloud.google.com
Google reCAPTCHA | ^6L{c|d|e|f}{v:37} | rules | recaptcha
Azure Entra | {p:3}{0Q~|1Q~|2Q~|3Q~|4Q~|5Q~|6Q~|7Q~|8Q~|9Q~}{p:31-34}  {0.A|1.A}{v:50+}.Ag{v:150+} | learn.microsoft.com
Azure Storage | {b:76}{+ASt|+ABa|+AMC|ACDb|APIM|AMAP}{b:6}== | learn.microsoft.com
Azure keys of 32 bytes | {b:33}{AIoT|AzCa|AZEG|+AEh|+ASb|+ARm|AzSe|AzFu|+ACR}{b:6}= | learn.microsoft.com
Azure Container Registry | {b:42}{+ACR|AzSe|AzFu|AzMa}{b:6}{pad} | learn.microsoft.com
Azure Functions | {v:44}AzFu{v:4-8}{pad} | learn.microsoft.com
Azure keys of 2024 | {w:48-56}JQQJ99{w:20+} | learn.microsoft.com
Azure DevOps | {w:70-80}AZDO{w:4} | learn.microsoft.com
Azure API Management | git&{d:12}&{b:80+}{pad} | rules
Azure App Configuration | .azconfig.io;Id={v:4-20}:{b:16+};Secret=»{b:30+}{pad} | learn.microsoft.com
Alibaba Cloud | LTAI{w:16-24}  ^STS.N{w:20+} | alibabacloud.com
Tencent Cloud | ^AKID{w:32+} | cloud.tencent.com
DigitalOcean | {dop_v1_|doo_v1_|dor_v1_|dos_v1_}{h:40+} | docs.digitalocean.com
DigitalOcean Spaces | ^DO00{u:16-20} | docs.digitalocean.com
Heroku | HRKU-{v:30+} | devcenter.heroku.com
Netlify | {nfp_|nfc_|nfu_}{w:30+} | docs.netlify.com
Vercel | {vcp_|vci_|vca_|vcr_|vck_}{w:20+} | vercel.com
Vercel Blob | vercel_blob_rw_{x:20+} | vercel.com
Cloudflare | {cfut_|cfat_|cfk_|cfoat_}{v:40+} | developers.cloudflare.com
Cloudflare Origin CA | ^v1.0-{y:125+} | developers.cloudflare.com
Fly.io | {fo1_|fm1a_|fm1r_|fm2_}{B:40+} | fly.io
Render | rnd_{w:24+} | render.com
Scaleway | ^SCW{u:17} | scaleway.com
Scalingo | tk-us-{v:48} | scalingo.com
Deno Deploy | {ddp_|ddw_|ddo_}{w:36+} | deno.com
Supabase | sbp_{l:36+}  sbp_oauth_{w:36+}  sb_secret_{v:20+} | supabase.com
PlanetScale | {pscale_tkn_|pscale_pw_|pscale_oauth_|pscale_otkn_}{q:30+} | planetscale.com
Neon | napi_{l:40+}  npg_{w:12+} | neon.com
Aiven | ^AVNS_{v:14+}  ^AVNU_{B:100+} | aiven.io
Xata | xau_{w:30+} | xata.io
MongoDB Atlas | mdb_sa_sk_{v:20+} | mongodb.com
Fauna | fnA{E|F}{v:36+} | rules | fauna
ClickHouse Cloud | ^4b1d{w:38} | clickhouse.com
Confluent | cflt{B:60} | confluent.io
Databricks | ^{dapi|dose|dkea|dsapi}{H:32} | docs.databricks.com
Snowflake | ^ver:1-hint:{d:6+}-ETMs{B:60+} | rules
HashiCorp Vault | {hvs.|hvb.|hvr.}{v:20+} | developer.hashicorp.com
HashiCorp Vault | ^{s|b|r}.{v:24-500} | developer.hashicorp.com | vault,hashicorp
HashiCorp Vault | ^s.{w:24} | rules | token,secret
HashiCorp Terraform | {w:14}.atlasv1.{e:60+} | developer.hashicorp.com
Doppler | {dp.ct.|dp.pt.|dp.sa.|dp.said.|dp.scim.|dp.audit.|dp.st.}{t:40+} | docs.doppler.com
Infisical | st.{h:24}.{h:24+}.{h:32+} | infisical.com
Infracost | ^ico-{w:32} | infracost.io
1Password | ops_ey{B:80+} | developer.1password.com
1Password | ^A3-{u:6}-{u:6}-{u:5}-{u:5}-{u:5}-{u:5}  ^A3-{u:6}-{u:11}-{u:5}-{u:5}-{u:5} | support.1password.com
Bitwarden | ^0.{uuid}.{w:30}:{B:24+} | bitwarden.com
Tailscale | tskey-{y:19+} | tailscale.com
ngrok | ^2{w:26}_{d:1}{w:20}  ^{ak|cr}_{w:25-30} | rules | ngrok
Pulumi | pul-{l:40} | pulumi.com
Octopus Deploy | ^API-{u:26-34} | octopus.com
OpenShift | sha256~{v:43} | docs.redhat.com
Harness | ^{pat|sat}.{v:20-24}.{w:24}.{w:20} | developer.harness.io
Yandex Cloud | ^t1.{e:20+}.{e:80+}  ^AQVN{v:34-38}  ^YC{A|B|M|N|O|P}{v:37} | yandex.cloud
Yandex | y0_{v:30+}  ^y{1|2|3}_{v:38+}  {dict.1.1.|pdct.1.1.|trnsl.1.1.}{d:8}T{d:6}Z.{h:16}.{h:30+} | yandex.com
VK Cloud | vk1.a.{v:60+} | rules
Backblaze B2 | ^K00{d:1}{b:27} | backblaze.com
Salad | salad_cloud_{w:1-40}_{w:7+} | docs.salad.com
Prefect | {pnu_|pnb_|pcu_|pcs_}{w:36} | docs.prefect.io
dbt Cloud | {dbtc_|dbtu_}{v:30+} | docs.getdbt.com
Portainer | ptr_{B:20+} | docs.portainer.io
Blynk | oa2-client-id_{v:32} | docs.blynk.io
Convex | {prod|dev|preview}:{y:3+}|{B:40+} | docs.convex.dev
Tinybird | p.eyJ{v:20+}.{v:20+} | tinybird.co
Tigris | {tid_|tsec_}{v:30+} | tigrisdata.com
InfluxDB | apiv3_{v:40+} | docs.influxdata.com
Elastic Cloud | essu_{B:40+} | elastic.co
Ubidots | {BBFF-|BBUS-}{w:30+} | ubidots.com
Akamai | akab-{l:16}-{l:16} | techdocs.akamai.com
WunderGraph | cosmo_{h:32} | cosmo-docs.wundergraph.com
Adafruit IO | aio_{w:28} | io.adafruit.com
`;
