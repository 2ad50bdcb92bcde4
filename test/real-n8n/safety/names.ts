/**
 * Keys that mark a secret, in many spellings and languages, with values that nothing else marks; and keys that only
 * resemble them.
 */
import {
  createSecrets,
  demandHidden,
  demandShown,
  type Planted,
  type SafetyLane,
  showPosted,
} from "./lane.ts";

const SPELLINGS = [
  ...[
    "API_KEY_STRIPE",
    "password_db",
    "tokenGithub",
    "privateKeyPem",
    "SECRET_KEY_BASE",
    "APIkey",
    "PassWord",
  ],
  ...["sshkey", "passwordResetUrl", "STRIPE_KEY", "GH_PAT", "psk", "pin", "otp", "mfa_code", "csrf", "creds"],
  ...[
    "pwd1",
    "x-api-key",
    "client secret",
    "p@ssw0rd",
    '"api key"',
    " password ",
    "password\n",
    "pass\u200bword",
  ],
  // With a Cyrillic а.
  ...["p\u0430ssword", "webhookSigningSecret", "refresh.token", "db:password", "user[password]"],
];
const LANGUAGES = [
  ...["contraseña", "contrasena", "mot de passe", "motDePasse", "Passwort", "senha", "wachtwoord", "hasło"],
  ...[
    "heslo",
    "jelszó",
    "salasana",
    "lösenord",
    "adgangskode",
    "passord",
    "şifre",
    "sifre",
    "пароль",
    "парола",
  ],
  ...[
    "лозинка",
    "κωδικός πρόσβασης",
    "סיסמה",
    "كلمة المرور",
    "رمز عبور",
    "पासवर्ड",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
  ],
  ...["รหัสผ่าน", "mật khẩu", "kata sandi", "nenosiri", "lozinka", "geslo", "slaptažodis", "parole", "parool"],
  ...["contrasenya", "pasahitza", "lykilorð", "գաղտնաբառ", "პაროლი", "құпиясөз"],
];
const ORDINARY = [
  ...["author", "totalTokens", "tokenUsage", "nextCursor", "passwordLength", "tokenUrl", "passwordPolicy"],
  ...[
    "apiKeyName",
    "secretId",
    "token_expires_in",
    "tokenType",
    "keyboard",
    "monkey",
    "secretary",
    "passenger",
  ],
  ...["compass", "pinned", "spinning", "bypass_reason", "keynote", "authorName", "tokenizer"],
];

export async function checkNames(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(102);
  const names = [...SPELLINGS, ...LANGUAGES];
  const planted: Planted[] = names.map((name) => ({ name, secret: random.word(12) }));
  const inObject: Planted = { name: "password, with an object below it", secret: random.word(12) };
  const ordinary = ORDINARY.map((name) => ({ name, value: `near-${random.word(8)}` }));
  const body = {
    telling: Object.fromEntries(planted.map(({ name, secret }) => [name, secret])),
    schemaLike: { password: { type: "string", title: inObject.secret } },
    ordinary: Object.fromEntries(ordinary.map(({ name, value }) => [name, value])),
  };
  const neighbours = ordinary.map(({ value }) => value);
  const answers = await showPosted(lane, body, startedAfter);
  demandHidden(answers, [...planted, inObject]);
  demandShown(answers, "get_execution_details", neighbours);
  demandShown(answers, "get_execution_by_node Webhook", neighbours);
  demandShown(answers, "search_executions", neighbours.slice(0, 1));
  return `${planted.length + 1} telling names, ${ordinary.length} ordinary ones`;
}
