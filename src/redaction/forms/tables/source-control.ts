/** Source control, packages, builds, quality. */
export const sourceControl = `
GitHub | {ghp_|gho_|ghr_|ghu_|ghs_|github_pat_}{t:30+} | github.blog
GitLab | {glpat-|glrt-|glrtr-|glcbt-|gldt-|glptt-|glsoat-|glft-|glimt-|glffct-|glwt-|GR1348941|glagent-|gloas-}{t:20+} | docs.gitlab.com
GitLab | _gitlab_session=»{l:32} | docs.gitlab.com
Bitbucket | {ATBB|ATCTT3}{e:24+} | support.atlassian.com
Bitbucket Data Center | BBDC-{B:40+} | confluence.atlassian.com
Atlassian | {ATATT3|ATSTT3}{e:60+} | support.atlassian.com
Trello | ATTA{w:60+} | developer.atlassian.com
npm | npm_{w:36+} | github.blog
PyPI | pypi-{v:50+} | pypi.org
Docker | {dckr_pat_|dckr_oat_}{v:20+} | docs.docker.com
RubyGems | rubygems_{w:40+} | guides.rubygems.org
NuGet | ^oy2{l:43} | learn.microsoft.com
crates.io | ^cio{w:32} | crates.io
Clojars | CLOJARS_{l:60} | clojars.org
Open VSX | {ovsxat_|ovsxp_}{uuid} | open-vsx.org
JFrog | ^{AKC|cmVmd}{w:50+} | jfrog.com
Packagist | packagist_{out|oru|uut}_{h:60+} | packagist.com
Sourcegraph | sgp_{H:16}{_|_local_}{H:40}  {sgp_local_|sgp_}{H:40}  sgd_{H:60+} | sourcegraph.com
Sourcegraph Cody | slk_{H:64} | sourcegraph.com
SonarQube | {sqp_|squ_|sqa_|sqco_}{w:40+} | docs.sonarsource.com
CircleCI | {CCIPAT_|CCIPRJ_}{x:40+} | circleci.com
Buildkite | {bkua_|bkat_|bkct_}{v:40+} | buildkite.com
TeamCity | eyJ0eXAiOiAiVENWMiJ9.{v:30+}.{v:40+} | jetbrains.com
JetBrains | ^{perm:|perm-}{q:20+} | jetbrains.com
Dependency-Track | odt_{w:32+} | docs.dependencytrack.org
StackHawk | hawk.{v:20}.{v:20} | docs.stackhawk.com
Spectral | spu-{l:32} | rules
Snyk | snyk_{uat|sat}.{w:8}.{t:40+} | docs.snyk.io
Endor Labs | endr+{y:16} | docs.endorlabs.com
ReadMe | rdme_{l:70+} | docs.readme.com
Postman | {PMAK-|PMAT-}{y:20+} | learning.postman.com
Ionic | ion_{l:42+} | rules
LaunchDarkly | {api|sdk|mob|rel}-{h:8}-{h:4}-4{h:3}-{h:4}-{h:12} | launchdarkly.com
LaunchDarkly | launchdarkly-{a:3-10}-»{l:8}-{l:4}-4{l:3}-{l:4}-{l:12} | rules
Contentful | CFPAT-{v:40+} | contentful.com
Sanity | ^sk{w:79-200} | sanity.io
Tines | .tines.com/webhook/{l:32}/»{l:32} | tines.com
Authress | ^{sc|ext|scauth|authress}_{l:5-30}.{l:4-6}.acc{-|_}{y:10-32}.{B:30+} | authress.io
Nightfall | ^NF-{w:32} | rules
MaxMind | {w:6}_{w:29}_mmk | maxmind.com
SettleMint | {sm_aat_|sm_pat_|sm_sat_}{w:16+} | rules
TruffleHog | {thog-key-|thog-secret-}{h:16-32} | rules
Intra 42 | {s-s4t2ud-|s-s4t2af-}{h:64} | api.intra.42.fr
Linear | {lin_api_|lin_oauth_}{w:30+} | linear.app
Linear webhook | lin_wh_{w:20+} | linear.app
Figma | {figd_|figp_}{e:30+} | developers.figma.com
Figma | {figu|figo|figr|figuh|figoh|figdr|figor|figur}_{v:40} | rules
DevCycle | {dvc_client_|dvc_mobile_|dvc_server_}{v:40+} | rules
Block Protocol | b10ck5.{h:32}.{uuid} | rules
Chief Tools | ^ctp_{w:36} | rules
Nebula | dnkey-{u:26}-{u:40+} | rules
Orbit | ^obu_{v:36+} | rules
Thunderstore | ^tss_{w:36} | rules
redirect.pizza | ^rpa_{x:60+} | rules
Zuplo | ^zpka_{h:32}_{h:8} | rules
Frame.io | fio-u-{e:60+} | developer.frame.io
Weblate | wl{u|p}_{w:36+} | docs.weblate.org
Transifex | ^1/{h:40} | developers.transifex.com
WakaTime | waka_{v:34+} | wakatime.com
`;
