/** Products: see written-document.ts. */
import { base64, base64url, hex, ordinary, secret, upper, uuid, word, written } from "./written-document.ts";

export const PRODUCTS = [
  written("PagerDuty, Opsgenie and VictorOps", () => ({
    pagerduty: {
      routing_key: secret(hex(32)),
      event_action: ordinary("trigger"),
      dedup_key: ordinary("samplekeyhere"),
      payload: { summary: ordinary("Disk full"), severity: ordinary("critical") },
    },
    integration_key: secret(hex(32)),
    opsgenie: { headers: { Authorization: `GenieKey ${secret(uuid())}` }, alias: ordinary("disk-full-web1") },
    service_key: secret(hex(32)),
  })),
  written("Honeycomb, Datadog, New Relic, Sentry and Loki headers", () => ({
    headers: {
      "X-Honeycomb-Team": secret(word(22)),
      "X-Honeycomb-Dataset": ordinary("production-logs"),
      "dd-api-key": secret(hex(32)),
      "Api-Key": secret(`NRAK-${upper(27)}`),
      "X-Scope-OrgID": ordinary("tenant1"),
      "X-Sentry-Auth": `Sentry sentry_version=7, sentry_key=${secret(hex(32))}, sentry_client=raven/1.0`,
      "X-Insert-Key": secret(`NRII-${base64url(32)}`),
      "x-datadog-trace-id": ordinary("7823498712349871234"),
    },
    otel: `api-key=${secret(hex(40))}`,
  })),
  written("Twilio, SendGrid and Mailgun", () => ({
    twilio: {
      sid: ordinary(`AC${hex(32)}`),
      auth_token: secret(hex(32)),
      friendly_name: ordinary("Main"),
      verify: { to: "+15017122661", code: secret("481993"), status: ordinary("pending") },
    },
    mailgun: {
      signature: { timestamp: ordinary("1529006854"), token: secret(hex(50)), signature: secret(hex(64)) },
      "event-data": {
        event: ordinary("opened"),
        id: ordinary("Ase7i2zsRYeDXztHGENqRA"),
        "log-level": ordinary("info"),
      },
    },
  })),
  written("WireGuard, OpenVPN and Wi-Fi", () => ({
    wireguard: {
      interface: {
        privateKey: secret(base64(32)),
        address: ordinary("10.8.0.2/24"),
        dns: ordinary("1.1.1.1"),
      },
      peers: [
        {
          publicKey: ordinary(base64(32)),
          presharedKey: secret(base64(32)),
          endpoint: ordinary("vpn.example.com:51820"),
        },
      ],
    },
    wifi: { ssid: ordinary("Home-5G"), wpa_passphrase: secret("garden gate 41"), security: ordinary("WPA2") },
    qr: `WIFI:T:WPA;S:Home;P:${secret("qr-Wifi-8812")};;`,
    radius: { server: ordinary("10.0.0.5"), sharedSecret: secret("rad-Shared-9") },
  })),
  written("Zoom, Jitsi and Webex rooms", () => ({
    zoom: {
      id: ordinary(85746065),
      topic: ordinary("Weekly"),
      start_url: `https://zoom.us/s/85746065?zak=${secret(base64url(120))}`,
      join_url: `https://zoom.us/j/85746065?pwd=${secret(word(32))}`,
      password: secret("Zm-991"),
      host_key: secret("533895"),
    },
    webex: { hostPin: secret("41883920"), meetingNumber: ordinary("123456789"), hostKey: secret("664120") },
    twilio: { room: ordinary("daily"), dial_in: { pin: secret("90210771") } },
  })),
  written("Firm's own API: tokens beside what they are about", () => ({
    token: {
      id: ordinary("tok_19"),
      name: ordinary("CI deploy"),
      value: secret(word(40)),
      created_at: ordinary("2026-01-02T03:04:05Z"),
      expires_at: ordinary("2026-07-02T03:04:05Z"),
      scopes: [ordinary("read:all")],
      last_used_ip: "10.1.2.3",
    },
    session: {
      token: secret(word(43)),
      expires_at: ordinary(1790000000),
      user_id: ordinary("u_771"),
      url: ordinary("https://app.example.com/home"),
    },
    secret: {
      version: ordinary(3),
      keyId: ordinary("k-2026-1"),
      rotation: { rotated_at: ordinary("2026-02-02T00:00:00Z"), interval_days: ordinary(90) },
      value: secret("firm-Sec-881"),
    },
  })),
  written("Web push subscription and VAPID", () => ({
    endpoint: ordinary("https://updates.push.services.example.com"),
    keys: { p256dh: base64url(87), auth: secret(base64url(22)) },
    vapid: {
      subject: ordinary("mailto:ops@example.com"),
      publicKey: ordinary(base64url(87)),
      privateKey: secret(base64url(43)),
    },
  })),
  written("eSIM, tickets and vouchers", () => ({
    esim: {
      iccid: ordinary("8910300000000012345"),
      activation_code: secret("LPA:1$smdp.io$K2-1XVQ7Q-93A"),
      confirmation_code: secret("7731"),
      apn: ordinary("globaldata"),
    },
    voucher: { redemption_code: secret("RDM-9K2L-QQ71"), currency: ordinary("EUR"), value: ordinary(25) },
    wifi: { voucher_code: "10011-20022", duration: ordinary(480) },
  })),
];
