/** Which names mark a value as secret, in which spellings and languages, and which only look like it. */
import { describe, expect, test } from "vitest";
import { createKeyClassifier, isBaselineKey } from "../../src/redaction/key-rules.ts";

const kindOf = createKeyClassifier({});
const words = (text: string): string[] => text.trim().split(/\s+/);
const phrases = (text: string): string[] => text.split(",").map((each) => each.trim());

describe("a name is secret if a secret word stands anywhere in it", () => {
  test.each(
    words(`
      API_KEY_STRIPE password_db tokenGithub privateKeyPem SECRET_KEY_BASE bearer_token_prod jwtSecretOld accessTokenForShop
      passwordOfAdmin api_key_2031_backup pwd_root credential_value passcode_door clientSecretValue
    `),
  )("%s", (name) => expect(kindOf(name)).toBe("secret"));
});

describe("a secret name is recognized in any spelling", () => {
  test.each(
    words(`
      APIkey PassWord sshkey dbpassword githubtoken gotifyapplicationtoken smtppasswd mysqlpwd JWTtoken passwd1 pwd1 api.key x-apikey
      userPassphrase pass_wd pass-code p@ssword passw0rd pa$$word s3cret ＰＡＳＳＷＯＲＤ user[password] data[0][secret] user["password"]
      newpassword2 oauth2ClientSecret
    `),
  )("%s", (name) => expect(kindOf(name)).toBe("secret"));

  test.each([
    ["in quotes", '"password"'],
    ["with spaces", "  api key "],
    ["with a line end", "password\r\n"],
    ["with a colon", "password:"],
    ["with a line end inside", "client\nsecret"],
    ["with a zero-width space", "pass\u200bword"],
    ["with a soft hyphen", "pass\u00adword"],
    ["with a word joiner", "api\u2060Key"],
    ["with a control character", "pass\u0000word"],
    ["with Cyrillic letters", "p\u0430ssw\u043erd"],
    ["with Greek letters", "t\u03bfken"],
    ["with Latin letters in a Cyrillic word", "п\u0061р\u006fль"],
    ["with accents", "pässwörd"],
    ["in mathematical letters", "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝"],
  ])("%s", (_how, name) => expect(kindOf(name)).toBe("secret"));
});

describe("common short names of secrets are recognized", () => {
  test.each(
    words(`
      STRIPE_KEY ACME_KEY GH_PAT psk wpa2_psk pin user_pin otp mfa_code two_factor_code csrf X-CSRFToken creds tls.key rsa_key hmac
      backup_code recovery_key connect.sid SAMLResponse magicLink connectionString sas_token code_verifier
      STRIPE_SK pass_admin tan_code keytab requirepass device_key bitlocker_key password_salt salt pepper pin_number auth_string
      x-shopify-hmac-sha256 bcrypt_hash license_code join_code psswrd
    `),
  )("%s", (name) => expect(kindOf(name)).toBe("secret"));
});

/** Some names in each language: the word for a password, and where usual, two-word names, keys and codes. */
const IN_OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  ar: "كلمة المرور, كلمه_السر, مفتاح API",
  az: "şifrə, parol",
  be: "сакрэтны ключ",
  bg: "парола, таен ключ",
  bn: "পাসওয়ার্ড",
  ca: "contrasenya, clau_privada",
  cs: "heslo, tajný klíč, API klíč",
  cy: "cyfrinair",
  da: "adgangskode, kodeord, privat nøgle",
  de: "Passwort, passwort_neu, Kennwort, API-Schlüssel, geheimerSchluessel",
  el: "κωδικός, ΚΩΔΙΚΟΣ, κωδικός πρόσβασης, ιδιωτικό κλειδί, kodikos",
  es: "contraseña, contrasena, clave, clave_api, llave privada, código de seguridad",
  et: "parool, salasõna",
  eu: "pasahitza",
  fa: "رمز عبور, گذرواژه, کلید خصوصی",
  fi: "salasana, salasanan, yksityinen avain",
  fr: "motDePasse, mot de passe, mdp, clé_secrète, cle_api, jeton, code d'accès",
  ga: "pasfhocal",
  gl: "contrasinal",
  he: "סיסמה, מפתח פרטי",
  hi: "पासवर्ड, निजी कुंजी",
  hr: "lozinka, tajni ključ",
  hu: "jelszó, jelszava, titkos_kulcs",
  hy: "գաղտնաբառ",
  id: "kata_sandi, kunci_rahasia",
  is: "lykilorð",
  it: "parola_chiave, chiave_segreta, codice di sicurezza",
  ja: "パスワード, 暗証番号, 秘密鍵, APIキー, ﾊﾟｽﾜｰﾄﾞ",
  ka: "პაროლი",
  kk: "құпиясөз",
  km: "ពាក្យសម្ងាត់",
  ko: "비밀번호, 암호, 비밀키, API 키, 개인 키",
  lo: "ລະຫັດຜ່ານ",
  lt: "slaptažodis, slaptas raktas",
  lv: "parole, slepenā atslēga",
  mk: "лозинка",
  ml: "പാസ്‌വേഡ്",
  mn: "нууц үг",
  ms: "kata laluan",
  my: "စကားဝှက်",
  nl: "sleutel, wachtwoord, hoofdwachtwoord, api-sleutel, geheime sleutel",
  no: "passord, hemmelig nøkkel, privatNokkel",
  pl: "hasło, haslo, hasło_admina, klucz_prywatny",
  pt: "chave, senha, senha_do_banco, chave_api, chaveSecreta, palavra-passe",
  ro: "parolă, parola, cheie_secretă",
  ru: "пароль, пароль_бд, секрет, ключ_api, закрытый ключ, parol",
  si: "මුරපදය",
  sk: "heslo, súkromný kľúč",
  sl: "geslo, zasebni ključ",
  sq: "fjalëkalimi",
  sr: "лозинка, lozinka, тајни кључ",
  sv: "lösenord, losenord, hemlig nyckel",
  sw: "nenosiri",
  ta: "கடவுச்சொல்",
  te: "పాస్‌వర్డ్",
  th: "รหัสผ่าน, กุญแจส่วนตัว",
  tr: "şifre, sifre, şifresi, gizli anahtar, parola",
  uk: "таємниця, пароль, приватний ключ",
  ur: "پاس ورڈ",
  uz: "maxfiy so'z",
  vi: "mật khẩu, mat_khau, matkhau, khóa bí mật",
  zh: "通關密語, 密码, 密碼, 令牌, api密钥, 私钥, 用户密码, mima",
};

describe("secret names are recognized in other languages", () => {
  test.each(Object.entries(IN_OTHER_LANGUAGES))("%s", (_language, names) => {
    expect(phrases(names).filter((name) => kindOf(name) !== "secret")).toEqual([]);
  });

  test("in decomposed Unicode and in capitals", () => {
    for (const name of ["contraseña", "hasło", "mật khẩu", "пароль", "κωδικός"])
      expect([name.normalize("NFD"), name.toUpperCase()].map(kindOf)).toEqual(["secret", "secret"]);
  });
});

describe("an attribute of a secret is not secret", () => {
  test.each(
    words(`
      tokenUrl token_endpoint tokenType token_expires_in passwordPolicy password_min_length apiKeyName secretName secretKeyRef hasPassword
      passwordChangedAt password_required tokenCount tokenId secretId keyId access_key_id client_id secret_arn passwordless passwortLänge
      AWS_ACCESS_KEY_ID DB_PASSWORD_FILE existingSecret requireToken invalid_token
    `),
  )("%s", (name) => expect(kindOf(name)).toBe("none"));

  test("but a link that grants access is", () => {
    expect(["passwordResetUrl", "tokenLoginLink", "password_reset_link"].map(kindOf)).toEqual([
      "secret",
      "secret",
      "secret",
    ]);
  });
});

describe("a name that only resembles a secret's is not secret", () => {
  test.each(
    words(`
      keyword keywords hotkey monkey turnkey donkey jockey keynote pinned pinterest opinion spinning shipping pingUrl pass_rate passport passion
      boarding_pass patient path pattern patch design signal cookieConsent partitionKey sort_key foreign_key cacheKey objectKey routing_key
      PRIMARY_KEY S3_OBJECT_KEY PUBLIC_KEY jwtPublicKey publishable_key status_code country_code postal_code codec sandisk gpio_pin
      extended_authorization cursor_token next_page_token max_tokens tokenization credit creditCard sacred code clave_producto palabra-clave-seo
      YOUR_CREDENTIAL_HERE idTokenGeneration pinyin secretariat Sekretariat chatSessionId toString __proto__ 12345 --- 商品名称 ключевое_слово パス
    `),
  )("%s", (name) => expect(kindOf(name)).toBe("none"));

  test("and neither is a text", () => {
    expect(['{"password":"x"}', "password=hunter2", '"a":"password"', "<b>password</b>"].map(kindOf)).toEqual(
      ["none", "none", "none", "none"],
    );
  });
});

describe("settings", () => {
  test("can allow names, but not those of the baseline", () => {
    const classify = createKeyClassifier({ allow: ["STRIPE_KEY", "device token", "salasana", "api_key_eu"] });
    expect(["stripeKey", "deviceToken", "salasana", "apiKeyEu"].map(classify)).toEqual([
      "none",
      "none",
      "secret",
      "secret",
    ]);
    expect(["contraseña", "privateKeyPem", "пароль", "pin", "deviceToken"].map(isBaselineKey)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("can add names, matched at the end of a name", () => {
    const classify = createKeyClassifier({ keys: ["customer number"] });
    expect(["customerNumber", "theCustomer_number", "customerNumberType"].map(classify)).toEqual([
      "secret",
      "secret",
      "none",
    ]);
  });
});

describe("the classifier", () => {
  const all = [
    ...Object.values(IN_OTHER_LANGUAGES).flatMap(phrases),
    ...words("tokenUrl API_KEY GLOBEX_KEY globex_key STRIPE_KEY name pin shipping auth tokens credentials"),
  ];

  test("gives the same answer in any order, and when asked again", () => {
    const alone = all.map((name) => createKeyClassifier({})(name));
    const backwards = createKeyClassifier({});
    const reversed = [...all].reverse().map(backwards).reverse();
    expect(reversed).toEqual(alone);
    expect(all.map(backwards)).toEqual(alone);
  });

  test("gives the same answer when its cache is full", () => {
    const full = createKeyClassifier({});
    for (let at = 0; at < 6_000; at += 1) full(`ordinary_${at}_name`);
    expect(all.map(full)).toEqual(all.map((name) => createKeyClassifier({})(name)));
  });

  test("reads both ends of an overlong name", () => {
    const long = "x_".repeat(100_000);
    expect([`password_${long}`, `${long}password`, long].map(kindOf)).toEqual(["secret", "secret", "none"]);
  });
});
