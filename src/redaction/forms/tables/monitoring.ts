/** Monitoring, logs, analytics, incidents. */
export const monitoring = `
Sentry | {sntrys_|sntryu_|sntrya_|sntryi_}{B:40+} | docs.sentry.io
Grafana | glc_{B:32+}  eyJrIjoi{B:40+}  glsa_{x:39+} | grafana.com
New Relic | {NRAK|nrak|NRAA|nraa|NRRA|nrra}-{w:27+}  {NRII|nrii|NRIQ|nriq}-{v:25+}  {NRJS|NRBR|nrjs|nrbr}-{h:19} | docs.newrelic.com
New Relic | {NRSP|NRDB|NRAD|NRAL}-{w:20+}  {l:36}{NRAL|nral}  {l:32}FFFFNRAL  {w:42}-NRMA | docs.newrelic.com
New Relic Pixie | px-{api|dep}-{uuid} | docs.px.dev
Datadog | ddapp_{w:30+} | docs.datadoghq.com
Datadog | DDRCM_{u:60+} | rules
Datadog | pub{h:32} | docs.datadoghq.com | datadog,client_token
Dynatrace | dt0{a:1}{d:2}.{w:24}.{w:60+}  dt0s16.{u:8}.{u:60+}  dt0s{d:2}.{u:6-30}.{u:60+}  dt0a01.{w:8}.{h:60+} | docs.dynatrace.com
Honeycomb | hca{i|c|m}{k|l|o}_{l:50+}  ^hc{a|b|x}{a:2}_{l:50+} | docs.honeycomb.io
PagerDuty | ^u+{B:18} | developer.pagerduty.com | pagerduty,pd_,pd-
PagerDuty | ^y_{B:18} | rules | pagerduty
Rootly | rootly_{h:60+} | docs.rootly.com
incident.io | inc_{h:60+} | docs.incident.io
Segment | sgp_{w:64} | segment.com
PostHog | {phx_|phs_|phr_|pha_}{v:30+} | posthog.com
pganalyze | pgar_{w:27} | pganalyze.com
Logfire | pylf_v{d:1}_{x:40+} | logfire.pydantic.dev
Axiom | {xaat-|xapt-|xait-}{uuid} | axiom.co
Checkly | cu_{h:32} | checklyhq.com
UptimeRobot | ^{u|m}{d:5-9}-{h:24+}  ^ur{d:5-9}-{h:24} | uptimerobot.com
FullStory | {na1.|eu1.}{b:90+} | developer.fullstory.com
Statsig | {secret|console}-{w:40+} | docs.statsig.com
Flagsmith | ^ser.{w:22} | docs.flagsmith.com
LaunchDarkly | ^{sdk|api|mob}-{l:8}-{l:4}-{l:4}-{l:4}-{l:12} | launchdarkly.com
ConfigCat | configcat-sdk-1/{v:22}/{v:22} | configcat.com
Samsara | samsara_api_{w:20+} | developers.samsara.com
`;
