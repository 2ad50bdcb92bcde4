/** Links: see written-document.ts. */
import { base64, base64url, hex, lower, ordinary, secret, upper, word, written } from "./written-document.ts";

export const LINKS = [
  written("Slack: interactive message", () => ({
    type: ordinary("block_actions"),
    team: { id: ordinary("T9TK3CUKW"), domain: ordinary("example") },
    user: { id: ordinary("UA8RXUSPL") },
    api_app_id: ordinary("AABA1ABCD"),
    token: secret(word(24)),
    trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
    response_url: `https://hooks.slack.com/actions/AABA1ABCD/1232321423432/${secret(word(24))}`,
    actions: [{ action_id: ordinary("WaXA"), value: ordinary("click_me_123") }],
  })),
  written("Discord, Mattermost and Teams callbacks", () => ({
    discord: {
      id: ordinary("846462639134605312"),
      application_id: ordinary("845027738276462632"),
      token: secret(word(70)),
      type: ordinary(2),
    },
    mattermost: {
      response_url: `https://chat.example.com/hooks/commands/${secret(lower(26))}`,
      token: secret(lower(26)),
      channel_name: ordinary("town-square"),
    },
    generic: {
      callback_url: `https://automation.example.org/callback/${secret(word(32))}`,
      webhookUrl: `https://flows.example.net/webhook/in/${secret(`${base64url(36)}7`)}`,
    },
  })),
  written("GitHub and GitLab hooks and runners", () => ({
    gitlab: {
      headers: {
        "X-Gitlab-Token": secret("gl-hook-Token-91"),
        "X-Gitlab-Event": ordinary("Push Hook"),
        "X-Gitlab-Event-UUID": ordinary("13792a34-cac6-4fda-95a8-c58e00a3954e"),
      },
      runners_token: secret(`GR1348941${word(20)}`),
      ci_job_token: secret(word(20)),
      checkout_sha: ordinary(hex(40)),
    },
    github: {
      "X-Hub-Signature-256": `sha256=${hex(64)}`,
      "X-GitHub-Delivery": ordinary("72d3162e-cc78-11e3-81ab-4c9367dc0958"),
      deploy_key: {
        id: ordinary(1),
        title: ordinary("octocat@octomac"),
        key: ordinary("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ"),
        read_only: true,
      },
    },
  })),
  written("Jenkins, CircleCI and Drone", () => ({
    jenkins: {
      url: `https://ci.example.com/job/build/buildWithParameters?token=${secret("jk-Remote-5521")}&BRANCH=${ordinary("main")}`,
      crumb: { crumbRequestField: ordinary("Jenkins-Crumb"), crumb: secret(hex(64)) },
    },
    circle: {
      environment: [
        { name: "AWS_SECRET_ACCESS_KEY", value: secret("xxxx-cC-9912Z") },
        { name: "NODE_ENV", value: ordinary("production") },
      ],
    },
    drone: {
      secret: { name: ordinary("docker_password"), data: secret("Dr-one-771x"), pull_request: false },
    },
  })),
  written("Links that let in, in JSON", () => ({
    reset: `https://app.example.com/account/reset-password/${secret(word(32))}`,
    invite: `https://team.example.com/invitations/${secret(hex(40))}/accept`,
    verify: `https://shop.example.org/verify-email/${secret(base64url(43))}?expires=1790000000`,
    unsubscribe: ordinary("https://news.example.com/unsubscribe"),
    article: ordinary("https://blog.example.com/2026/05/how-to-reset-your-password-in-three-steps"),
    order: ordinary("https://shop.example.org/orders/550e8400-e29b-41d4-a716-446655440000"),
    commit: ordinary("https://git.example.com/acme/app/commit/5f3e0b8c2a1d4e6f7a8b9c0d1e2f3a4b5c6d7e8f"),
  })),
  written("Links that let in, in other words", () => ({
    text: `Bitte bestätigen: https://konto.example.de/bestaetigen/${secret(word(28))}\nMot de passe: https://compte.example.fr/mot-de-passe/reinitialiser/${secret(hex(48))}\nContraseña: https://cuenta.example.es/recuperar/${secret(word(36))}\nPasswort: https://konto.example.de/passwort-vergessen/neu/${secret(word(30))}`,
    docs: ordinary("https://docs.example.com/auth/reset-password/overview-of-the-flow"),
  })),
  written("Signed downloads", () => ({
    s3: `https://b.s3.amazonaws.com/report.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20260524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=${ordinary("20260524T000000Z")}&X-Amz-Expires=86400&X-Amz-Signature=${secret(hex(64))}`,
    gcs: `https://storage.googleapis.com/b/o.png?GoogleAccessId=x&Expires=1790000000&Signature=${secret(encodeURIComponent(base64(64)))}`,
    azure: `https://acme.blob.core.windows.net/c/f.txt?sv=2022-11-02&se=2026-12-31&sp=r&sig=${secret(encodeURIComponent(base64(32)))}`,
    cf: `https://d111.cloudfront.net/x.mp4?Policy=${base64url(60)}&Signature=${secret(base64url(80))}&Key-Pair-Id=${ordinary("K2JCJMDEHXQW5F")}`,
    drop: ordinary("https://www.dropbox.com/home/Reports/2026"),
  })),
  written("Keys in queries of public services", () => ({
    weather: `https://api.openweathermap.org/data/2.5/weather?q=${ordinary("London")}&units=metric&appid=${secret(hex(32))}`,
    maps: `https://maps.example.com/geocode?address=${ordinary("Berlin")}&key=${secret(word(39))}`,
    news: `https://api.nyt.example/svc/search.json?q=election&api-key=${secret(word(32))}`,
    wolfram: {
      url: "https://api.wolframalpha.com/v2/query",
      qs: { appid: secret(`${upper(6)}-${upper(10)}`), input: ordinary("population of France") },
    },
    omdb: `http://www.omdbapi.com/?apikey=${secret("ab12cd34")}&t=${ordinary("Alien")}`,
    google: `https://www.googleapis.com/customsearch/v1?cx=017576662512468239146&key=${secret(word(39))}`,
  })),
  written("Smart home, pairing and door codes", () => ({
    hue: [{ success: { username: base64url(40), clientkey: secret(hex(32).toUpperCase()) } }],
    homekit: { setupCode: secret("031-45-154"), category: ordinary("Bridge"), setupId: ordinary("7OSX") },
    matter: { setupPinCode: secret("20202021"), discriminator: ordinary(3840) },
    lock: {
      name: ordinary("Front door"),
      keypad_code: secret("774193"),
      accessCode: secret("559210"),
      starts_at: ordinary("2026-06-01T14:00:00Z"),
    },
    pairing: { pairing_code: secret("QX7-94K"), deviceId: ordinary("dev-9912") },
  })),
  written("Keys of software and gifts", () => ({
    license: {
      licenseKey: secret("A9K2P-7WQ4L-0MZX8-B6N3V"),
      product: ordinary("IDE Pro"),
      seats: ordinary(5),
      expires_at: ordinary("2027-01-01"),
    },
    gift: { gift_card_code: secret("GC-X7K2-99PL-QQ31"), balance: ordinary("50.00") },
    steam: { activation_key: secret("AB3DE-9GH1J-KLM5N") },
  })),
  written("LoRaWAN, Zigbee and SIM keys", () => ({
    lorawan: {
      dev_eui: ordinary("70B3D57ED0051234"),
      app_key: secret(hex(32).toUpperCase()),
      nwk_s_key: secret(hex(32).toUpperCase()),
      app_s_key: secret(hex(32).toUpperCase()),
      f_cnt_up: ordinary(42),
    },
    zigbee: { network_key: secret(hex(32)), pan_id: ordinary("0x1A62"), channel: ordinary(15) },
    sim: { imsi: ordinary("262011234567890"), ki: secret(hex(32)), opc: secret(hex(32)) },
  })),
  written("Hotel and rental: how to get in", () => ({
    booking: {
      id: ordinary("BK-2291"),
      check_in: ordinary("2026-06-01"),
      door_code: secret("4471#"),
      wifi_password: secret("sunny beach 22"),
      lockbox_code: secret("0917"),
      gate_pin: secret("8812"),
      guests: ordinary(2),
      phone: ordinary("+34911234567"),
    },
  })),
  written("Links of invitations and resets, of other products", () => ({
    gitlab: `https://gitlab.example.com/users/password/edit?reset_password_token=${secret(`${base64url(20)}9a`)}`,
    slack: `https://join.slack.com/t/acme/shared_invite/zt-${secret(`1a2b3c4d5-${word(22)}`)}`,
    notion: `https://www.notion.so/loginwithemail?state=x&password=${secret("sparkly-otter-41")}`,
    ghost: `https://blog.example.com/members/?token=${secret(base64url(32))}&action=signin`,
    n8n: `https://n8n.example.com/signup?token=${secret(`eyJhbGciOiJIUzI1NiJ9.${base64url(60)}.${base64url(43)}`)}`,
    discourse: `https://forum.example.com/u/activate-account/${secret(hex(32))}`,
    zulip: `https://chat.example.com/accounts/do_confirm/${secret(lower(24))}`,
    doc: ordinary("https://docs.example.com/invitations/how-invitations-work"),
    user: ordinary("https://api.example.com/users/5f8d0d55b54764421b7156c9/confirm"),
    track: ordinary("https://click.example.com/view/77120045"),
  })),
  written("Hooks of home automation and monitoring", () => ({
    ha: `https://ha.example.org/api/webhook/${secret(hex(64))}`,
    gitlabci: `https://gitlab.example.com/api/v4/projects/9/ref/main/trigger/pipeline?token=${secret(hex(30))}`,
    ical: `https://calendar.google.com/calendar/ical/ada%40example.com/private-${secret(hex(32))}/basic.ics`,
    rss: `https://tracker.example.org/rss?passkey=${secret(hex(32))}`,
    plain: ordinary("https://api.example.com/webhooks/orders/created"),
  })),
];
