/** Identity: see written-document.ts. */
import { base64, base64url, hex, lower, ordinary, secret, upper, word, written } from "./written-document.ts";

const MODULUS = base64url(342);

export const IDENTITY = [
  written("JWKs: EC, OKP and a symmetric key", () => ({
    jwk: {
      kty: "OKP",
      crv: ordinary("Ed25519"),
      x: ordinary(base64url(43)),
      d: secret(base64url(43)),
      kid: ordinary("2026-02-a"),
    },
    jwks: {
      keys: [
        {
          kty: "EC",
          crv: ordinary("P-256"),
          x: ordinary(base64url(43)),
          y: ordinary(base64url(43)),
          d: secret(base64url(43)),
          use: "sig",
          kid: ordinary("ec-1"),
        },
        { kty: "oct", k: secret(base64url(43)), alg: ordinary("A256GCM"), kid: ordinary("oct-7") },
      ],
    },
  })),
  written("JWK of RSA: the public one beside the private one", () => ({
    publicJwk: {
      kty: "RSA",
      n: ordinary(MODULUS),
      e: ordinary("AQAB"),
      alg: ordinary("RS256"),
      kid: ordinary("rsa-9"),
    },
    privateJwk: {
      kty: "RSA",
      n: MODULUS,
      e: "AQAB",
      d: secret(base64url(342)),
      p: secret(base64url(171)),
      q: secret(base64url(171)),
      dp: secret(base64url(171)),
      dq: secret(base64url(171)),
      qi: secret(base64url(171)),
      kid: "rsa-9",
    },
  })),
  written("Device flow", () => ({
    device: {
      device_code: secret(base64url(40)),
      user_code: "WDJB-MJHT",
      verification_uri: ordinary("https://example.com/device"),
      verification_uri_complete: `https://example.com/device?user_code=WDJB-MJHT`,
      expires_in: ordinary(1800),
      interval: 5,
    },
    poll: `grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=${secret(base64url(40))}&client_id=${ordinary("1406020730")}`,
  })),
  written("OIDC callback and exchange of the code", () => ({
    query: {
      code: secret(`SplxlOBeZQQYbYS6WxSbIA${word(10)}`),
      state: ordinary("xyzABC123"),
      session_state: "f1a2",
    },
    body: {
      grant_type: ordinary("authorization_code"),
      code: secret(`4/0A${base64url(40)}`),
      redirect_uri: ordinary("https://app.example.com/cb"),
      code_verifier: secret(base64url(43)),
      client_id: ordinary("s6BhdRkqt3"),
    },
  })),
  written("Okta: session, activation and factor", () => ({
    sessionToken: secret(`201111${base64url(30)}`),
    status: ordinary("SUCCESS"),
    _links: { activate: { href: `https://org.okta.com/welcome/${secret(`${base64url(20)}4f9`)}` } },
    factor: {
      factorType: ordinary("token:software:totp"),
      _embedded: {
        activation: {
          sharedSecret: secret(upper(16)),
          encoding: ordinary("base32"),
          keyLength: 16,
          timeStep: ordinary(30),
        },
      },
    },
    stateToken: secret(`00${base64url(40)}`),
  })),
  written("Auth0: MFA enrolment and ticket", () => ({
    authenticator_type: ordinary("otp"),
    secret: secret(upper(32)),
    barcode_uri: `otpauth://totp/Example:ada@example.com?secret=${secret(upper(26))}&issuer=Example&algorithm=SHA1&digits=6&period=30`,
    recovery_codes: [secret(upper(24))],
    ticket: `https://acme.auth0.com/lo/reset?ticket=${secret(word(32))}#`,
    mfa_token: secret(`Fe26.2*a*${hex(64)}*${base64url(22)}`),
    oob_code: secret(`Fe26.2*b*${hex(64)}*${base64url(22)}`),
  })),
  written("Firebase and Cognito sign-in", () => ({
    firebase: {
      kind: ordinary("identitytoolkit#VerifyPasswordResponse"),
      localId: ordinary("ZY1rJK0eYLg"),
      idToken: secret(`eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.${base64url(90)}.${base64url(60)}`),
      refreshToken: secret(base64url(120)),
      expiresIn: ordinary("3600"),
    },
    oob: {
      requestType: ordinary("PASSWORD_RESET"),
      email: "ada@example.com",
      oobLink: `https://acme.firebaseapp.com/__/auth/action?mode=resetPassword&oobCode=${secret(base64url(54))}&apiKey=AIzaX&lang=en`,
    },
    cognito: {
      ChallengeName: ordinary("SMS_MFA"),
      Session: secret(`AYABe${base64url(300)}`),
      ChallengeParameters: { CODE_DELIVERY_DESTINATION: "+*******9934" },
    },
  })),
  written("Keycloak: execute-actions mail and client", () => ({
    link: `https://id.example.com/realms/acme/login-actions/action-token?key=${secret(`eyJhbGciOiJIUzUxMiJ9.${base64url(120)}.${base64url(86)}`)}&client_id=account`,
    rep: {
      clientId: ordinary("n8n"),
      publicClient: false,
      secret: secret(word(32)),
      attributes: {
        "client.secret.creation.time": ordinary("1689166120"),
        "backchannel.logout.session.required": "true",
      },
    },
  })),
  written("SAML and CAS tickets", () => ({
    body: `SAMLResponse=${secret(encodeURIComponent(base64(240)))}&RelayState=${ordinary("ss%3Amem%3A1")}`,
    cas: `https://app.example.com/login?ticket=${secret(`ST-1856339-${word(20)}-cas01`)}`,
  })),
  written("MFA: seeds and backup codes", () => ({
    mfa: {
      seed: secret(upper(32)),
      backupCodes: [secret("8f2a-91bc"), secret("77de-20fa")],
      recoveryCodes: [{ code: secret("k2j4-99xz-11ab"), usedAt: null }],
      qr: `otpauth://hotp/ACME:ada?secret=${secret(upper(16))}&counter=0`,
      enabled: true,
      method: ordinary("totp"),
    },
    wallet: {
      mnemonic: secret(
        "abandon ability able about above absent absorb abstract absurd abuse access accident",
      ),
      address: ordinary("0x52908400098527886E0F7030069857D2E4169EE7"),
      private_key: secret(`0x${hex(64)}`),
    },
  })),
  written("One-time codes in events", () => ({
    sms: {
      event: ordinary("otp.sent"),
      phone: "+491701234567",
      otp: secret("582914"),
      expires_at: ordinary("2026-11-23T10:15:00Z"),
    },
    email: {
      template: ordinary("verify"),
      variables: { verification_code: secret("719 204"), first_name: ordinary("Ada") },
    },
    login: { two_factor_code: secret("330918"), device: ordinary("Firefox") },
    activation: { activationCode: secret("ZX81-QL64"), serial: ordinary("SN-2291-A") },
  })),
  written("Bluesky, Matrix and Mastodon log-ins", () => ({
    bluesky: {
      did: ordinary("did:plc:ewvi7nxzyoun6zhxrhs64oiz"),
      handle: ordinary("ada.example.com"),
      accessJwt: secret(`eyJhbGciOiJFUzI1NksifQ.${base64url(80)}.${base64url(86)}`),
      refreshJwt: secret(`eyJhbGciOiJFUzI1NksifQ.${base64url(80)}.${base64url(86)}`),
    },
    matrix: {
      user_id: ordinary("@ada:example.org"),
      device_id: ordinary("GHTYAJCE"),
      access_token: secret(`syt_${word(30)}`),
      recovery_key: secret("EsTj 3yST y93F SLpB jJsz eAXc 2XzA ygD3 w69H fGaN TKBj jXEd"),
    },
    mastodon: {
      vapid_key: base64url(87),
      client_secret: secret(base64url(43)),
      redirect_uri: ordinary("urn:ietf:wg:oauth:2.0:oob"),
    },
  })),
  written("SCIM, LDAP and Kerberos", () => ({
    scim: {
      schemas: [ordinary("urn:ietf:params:scim:schemas:core:2.0:User")],
      userName: ordinary("ada"),
      password: secret("sc-Im-991"),
      active: true,
    },
    bind: {
      bindDN: ordinary("cn=admin,dc=example,dc=com"),
      bindCredentials: secret("bind-Cr-441"),
      searchBase: ordinary("ou=users,dc=example,dc=com"),
    },
    kerberos: { keytab: secret(base64(90)), principal: ordinary("HTTP/web.example.com@EXAMPLE.COM") },
  })),
  written("Sessions and cookies, as JSON", () => ({
    cookies: [
      {
        name: ordinary("sessionid"),
        value: secret(lower(32)),
        domain: ordinary(".example.com"),
        path: "/",
        expires: ordinary(1790000000),
        httpOnly: true,
      },
    ],
    storage: {
      origin: ordinary("https://app.example.com"),
      localStorage: [
        { name: "auth_token", value: secret(word(40)) },
        { name: "theme", value: ordinary("dark") },
      ],
    },
    "set-cookie": [`sid=${secret(word(32))}; Path=/; HttpOnly`],
  })),
];
