/**
 * What people call a password, a key, a token and a code in their own language: taken from login
 * forms and translations of password managers. Accents do not count (`fold`), so each word is listed once, with
 * any other spelling (`loesenord`, `mima`) next to it.
 *
 * `secret`: secret anywhere in a name. `last`: only as the last word, since it means other things
 * too (`šifra artikla` is the number of an article). `key` and `code`: secret beside a word of `of`, in
 * either order: `chave_api`, `API-Schlüssel`, `código de segurança`. A `*` stands for up to four letters
 * of an ending. In sentences, `your` names the owner of a code, and `is` states it: `Ihr Code lautet 4821`.
 */
interface Language {
  readonly secret?: string;
  readonly last?: string;
  readonly key?: string;
  readonly code?: string;
  readonly of?: string;
  readonly your?: string;
  readonly is?: string;
}

/** A row for each, by ISO 639-1 code. English has its own rules for names. */
const ROWS = `
af: secret wagwoord*, wagfrase, geheim; key sleutel; code kode; of privaat, geheime, sekuriteit, sekuriteits, bevestigings, terugstel, toegang, toegangs, verifikasie, bevestiging, eenmalige; your jou, u; is is
am: secret የይለፍ ቃል, የይለፍቃል, ምስጢር
ar: secret رمز التأكيد, رمز الدخول, كلمة المرور, كلمة مرور, كلمة السر, كلمة سر, كلمات المرور, باسورد, الرقم السري, رقم سري, رمز المرور, عبارة المرور, جملة المرور, عبارة سر, رمز الدخول, رمز الوصول, رمز وصول, رمز التحقق, رمز الأمان, رمز الاسترداد, رمز سري, الرمز السري, توكن, بيانات الاعتماد, kalimat almurur, kalimat al murur, kalimat alsir, kalimat sir, رمز التفعيل; key مفتاح, مفاتيح; of سري, خاص, التشفير, تشفير, الوصول, المصادقة
az: secret parol*, şifrə*, gizli söz, məxfi söz; key açar*; code kod*; of gizli, məxfi, şəxsi, private, doğrulama, bərpa, güvənlik, giriş, kodu
be: secret пароль, парол, сакрэт, токен, парольная фраза; key ключ; code код; of прыватн, сакрэтн, доступу, бяспекі, аднаўлення, праверачн
bg: secret парола, пароли, тайна, токен, таен, фраза за достъп, parola, taen kliuch, taina duma, тайна дума, пин-код, пин за, пинкод; key ключ; code код, пин; of частен, таен, достъп, сигурност, потвърждение, възстановяване, вход, потвърждаване, верификация; your вашият, твоят, вашия; is е
bn: secret পাসওয়ার্ড, গোপন, টোকেন, গুপ্ত, গুপ্তশব্দ, সিক্রেট; key কী, চাবি; code কোড; of এপিআই, প্রাইভেট, ব্যক্তিগত, নিরাপত্তা, যাচাইকরণ; your আপনার
ca: secret contrasenya, contrasenyes, frase de pas, secret de client, paraula de pas, mot de pas; key clau, claus; code codi, codis; of privada, secreta, acces, d'acces, xifratge, xifrat, seguretat, verificacio, recuperacio, mestra, signatura, connexió, sessió, confirmació; your teu, vostre; is és
cs: secret heslo, hesla, heslem, heslu, tajemstvi, tajemství, heslova fráze, přihlašovací údaje, přístupový token; key klíč, klíče; code kód; of privátní, soukromý, tajný, přístupový, šifrovací, bezpečnostní, ověřovací, podpisový, přihlašovací, potvrzovací, jednorázový, autorizační, přihlášení, ověření, sms; your váš, tvůj, zadejte; is je
cy: secret cyfrinair, gyfrinair, cyfrineiriau, cyfrinymadrodd, cyfrinach; key allwedd; code cod; of breifat, gyfrinachol, diogelwch, dilysu, adfer
da: secret adgangskode*, adgangskoder, kodeord*, løsen, hemmelighed*, adgangssætning, adgangsnøgle, loesen; key nøgle*, noegle*; code kode, koden; of privat, hemmelig, adgangs, krypterings, sikkerheds, bekræftelses, gendannelses, pin, engangs, verifikations, login; your din, deres; is er
de: secret passwort*, passwörter, passwoerter, kennwort*, kennwörter, kennwoerter, losungswort, geheimnis*, geheimwort, geheimzahl, zugangscode*, zugangsdaten, zugangstoken, zugriffstoken, sicherheitscode, bestätigungscode, bestaetigungscode, freischaltcode, verifizierungscode, wiederherstellungscode, zugangskennung, passphrase, geheimtext, anmeldedaten, zugangsschlüssel, zugangsschluessel, geheimschlüssel, geheimschluessel, privatschlüssel, privatschluessel, zugriffsschlüssel, zugriffsschluessel; last schlüssel; key schlüssel, schluessel; code code, kode; of geheim, geheimer, geheime, geheimen, privat, privater, private, privaten, zugriff, zugriffs, zugang, zugangs, verschlüsselung, verschlüsselungs, signatur, sicherheits, bestätigungs, api, anmelde, anmeldung, einmal, verifizierungs, login, freischalt, aktivierungs, registrierungs, türöffner, mtan; your dein, deine, deinen, ihr, ihre, ihren; is ist, lautet, lauten, war, waren
el: secret κωδικός, κωδικοί, κωδικό, κωδικού, συνθηματικό, συνθηματικού, φράση πρόσβασης, μυστικό, τοκεν, kodikos, kwdikos, kodikos prosvasis, sinthimatiko, synthimatiko, mystiko; key κλειδί, klidi, kleidi; code pin; of μυστικό, ιδιωτικό, πρόσβασης, κρυπτογράφησης, mystiko, idiotiko, prosvasis; your σας, σου; is είναι
en: your your, my, sms; is is, was, equals, becomes, reads
eo: secret pasvorto*, sekreto, sekreta vorto; key ŝlosilo; of privata, sekreta, alira
es: secret contraseña, contraseñas, contrasenia, contrasena, contrasenas, contrasenya, clave de acceso, palabra de paso, secreto, secretos, clave de acceso, código secreto, frase de contraseña, frase de paso, credenciales, token de acceso, ficha de acceso; last clave; key clave, claves, llave, llaves; code código, códigos; of secreta, secreto, privada, acceso, cifrado, encriptación, encriptacion, firma, seguridad, verificación, recuperación, maestra, autenticación, desbloqueo, sesión, confirmación, activación, inicio, único; your tu, su; is es, era
et: secret parool*, salasõna*, salajane sõna, saladus*, ligipääsutunnus, paroolifraas, tunnussõna; key võti, võtme; code kood; of salajane, privaat, turva, kinnitus, taastamise, ligipääsu, autentimise, ühekordne, sisselogimis; your teie, sinu; is on
eu: secret pasahitz*, pasaesaldia, sekretu*, bezero gakoa; key gako*, giltza; code kodea; of pribatua, sekretua, segurtasun, egiaztatze, berreskuratze, egiaztapen; your zure; is da
fa: secret رمز عبور, رمزعبور, گذرواژه, کلمه عبور, پسورد, پسوورد, عبارت عبور, توکن, رمز, سیکرت, کد امنیتی, کد تأیید, کد بازیابی, ramz obur, ramz oboor, ramze obur, ramz, gozarvazheh, kalame obur; key کلید; code کد; of خصوصی, محرمانه, مخفی, رمزنگاری, دسترسی, احراز, تأیید, ورود, فعال
fi: secret salasana*, salasanan, salasanat, salalause, salaisuus, tunnussana, tunnusluku, käyttöoikeustunnus, salainen avain, pääsykoodi, todennuskoodi, turvakoodi, palautuskoodi; last avain; key avain, avaimet; code koodi, koodi*; of salainen, yksityinen, salaus, todennus, turva, palautus, pääsy, allekirjoitus, vahvistus, kirjautumis, kertakäyttö, varmistus, aktivointi; is on
fil: secret hudyat, kontrasenyas, lihim na susi; key susi; code code; of lihim, pribadong, panseguridad; your iyong, inyong; is ay
fr: secret mot de passe, mots de passe, mdp, motdepasse, passe, phrase de passe, phrase secrète, jeton*, jetons, identifiants de connexion, code confidentiel, code d'accès; key clé, clés, clef, clefs; code code, codes; of secrète, secret, privée, prive, accès, d'accès, chiffrement, cryptage, signature, authentification, d'authentification, sécurité, vérification, récupération, déverrouillage, confidentiel, maître, maitre, l'api, connexion, confirmation, validation, activation, identification; your votre, ton; is est, était, le
ga: secret pasfhocal*, focal faire, rúnda, frása faire, tócan; key eochair; code cód; of phríobháideach, rúnda, rochtana, slándála
gl: secret contrasinal, contrasinais, segredo*; key clave, chave; code código; of privada, secreta, acceso, seguridade, verificación, recuperación, confirmación, inicio; your teu, seu, o teu; is é
gu: secret પાસવર્ડ, ગુપ્ત, ટોકન; key કી, ચાવી; of ખાનગી, એપીઆઈ
he: secret סיסמה, סיסמא, סיסמת, סיסמאות, ססמה, ססמא, ביטוי סיסמה, אסימון, קוד סודי, סוד, קוד אבטחה, קוד אימות, קוד שחזור, קוד גישה, sisma, sismah, sisma rashit; key מפתח; code קוד; of פרטי, סודי, גישה, הצפנה, מאמת, אימות, כניסה, חד, זמני
hi: secret पासवर्ड, कूटशब्द, गुप्त शब्द, संकेतशब्द, पासफ़्रेज़, गोपनीय, टोकन, पासकोड, gupt shabd, gupt code, kutshabd, यूपीआई पिन, पिन कोड, एटीएम पिन; key कुंजी, चाबी; code कोड; of निजी, गुप्त, एपीआई, सुरक्षा, सत्यापन, वेरिफिकेशन, रिकवरी, ओटीपी; your आपका
hr: secret lozinka, lozinke, lozinku, lozinkom, zaporka, zaporke, zaporku, tajna riječ, klijentska tajna, tajna; last šifra, šifru; key ključ, kljuc, ključ; code kod, kôd; of tajni, privatni, pristupni, api, sigurnosni, verifikacijski, provjeru, oporavak, prijavu, prijave, potvrdu, verifikaciju, jednokratni; your vaš, tvoj; is je, glasi
hu: secret jelszó*, jelszava*, jelmondat, kulcsszó, titok, titkos, belépési kód, hozzáférési kód, hitelesítő adatok; key kulcs*; code kód, kódja, kódod; of titkos, privát, személyes, hozzáférési, titkosítási, biztonsági, ellenőrző, helyreállító, pin, belépési, bejelentkezési, megerősítő, egyszeri, ellenőrző; your ön, öné
hy: secret գաղտնաբառ, ծածկագիր, գաղտնիք, թոքեն; key բանալի; of գաղտնի, անձնական
id: secret kata sandi, katasandi, sandi, kata kunci rahasia, frasa sandi, rahasia, token akses, kata kunci masuk; key kunci; code kode; of rahasia, pribadi, privat, akses, enkripsi, keamanan, verifikasi, pemulihan, otp, login, masuk; your anda, kamu; is adalah, ialah
is: secret lykilorð*, aðgangsorð*, leyniorð*, leyndarmál, lykilord, adgangsord; key lykill, lykil; code kóði, kóðinn; of leynilegur, einka, aðgangs, öryggis, staðfestingar; your þinn; is er
it: secret gettone, parola chiave, parola d'ordine, parole d'ordine, parola di accesso, codice segreto, segreto, segreti, credenziali, frase segreta, frase di accesso, parola d'accesso; key chiave, chiavi; code codice, codici; of segreta, segreto, privata, accesso, di accesso, d'accesso, cifratura, crittografia, firma, sicurezza, verifica, recupero, sblocco, conferma, attivazione, login; your tuo, suo; is è, era
ja: secret パスワード, パスフレーズ, パスコード, 暗証番号, 暗証, 合言葉, シークレット, トークン, 秘密, 認証情報, 認証コード, 確認コード, セキュリティコード, リカバリーコード, pasuwado, anshou bangou, anshobango, himitsu, himitsukagi, 認証番号, 確認番号; key キー, 鍵; code コード; of 秘密, プライベート, アクセス, 暗号, 署名, 認証, 共有, ライセンス, 確認, ログイン
ka: secret პაროლი, პაროლ, საიდუმლო, ტოკენი; key გასაღები; code კოდი; of პირადი, საიდუმლო, უსაფრთხოების, წვდომის, ერთჯერადი, დადასტურების, შესვლის; your თქვენი
kk: secret құпиясөз, құпия сөз, пароль, кілтсөз, құпия, qupiyasoz; key кілт; of құпия, жеке
km: secret ពាក្យសម្ងាត់, ពាក្យសំងាត់, លេខសំងាត់, លេខសម្ងាត់, ឃ្លាសម្ងាត់, លេខកូដសម្ងាត់; key សោ, កូនសោ; of ឯកជន, សម្ងាត់
kn: secret ಪಾಸ್ವರ್ಡ್, ಪಾಸ್‌ವರ್ಡ್, ಗುಪ್ತಪದ, ರಹಸ್ಯ, ಟೋಕನ್; key ಕೀಲಿ, ಕೀ; of ಖಾಸಗಿ, ರಹಸ್ಯ
ko: secret 비밀번호, 비번, 패스워드, 암호, 암구호, 패스프레이즈, 토큰, 비밀, 시크릿, 인증번호, 인증코드, 인증 번호, 보안코드, 보안 코드, 복구코드, 핀번호, 접근코드, bimilbeonho, bimilbunho, amho; key 키, 열쇠; code 코드; of 비밀, 개인, 보안, 액세스, 접근, 암호화, 서명, 인증, 비공개, 라이선스, 확인, 로그인
ky: secret сырсөз, купуя сөз, пароль, шифрфраза; key ачкыч; of жеке, купуя
lb: secret passwuert*, passwierder, geheimnis; key schlëssel; of geheimen, privaten
lo: secret ລະຫັດຜ່ານ, ລະຫັດລັບ; key ກະແຈ; of ລັບ
lt: secret slaptažod*, slaptafraz*, slaptas žodis, paslaptis, prieigos kodas, prisijungimo duomenys, slapukas; key raktas, raktai, raktą; code kodas, kodo; of slaptas, slaptasis, privatus, privatusis, prieigos, apsaugos, patvirtinimo, atkūrimo, šifravimo, prisijungimo; your jūsų, tavo; is yra
lv: secret parole, paroles, paroli, paroļu, parolei, noslēpums, slepens vārds, paroles vārdkopa, piekļuves kods; key atslēga, atslēgas; code kods; of privātā, slepenā, piekļuves, drošības, apliecinājuma, atkopes, šifrēšanas, apstiprinājuma, pieteikšanās; your jūsu, tavs; is ir
mk: secret лозинка, лозинки, шифра, тајна, токен, lozinka; key клуч; code код; of приватен, таен, пристап, потврда, најава, верификација; your вашиот, твојот; is е
ml: secret പാസ്‌വേഡ്, പാസ്വേഡ്, രഹസ്യവാക്ക്, രഹസ്യ, അടയാളവാക്ക്; key കീ; of സ്വകാര്യ, രഹസ്യ
mn: secret нууц үг, нууцүг, нууц, nuuts ug, nuutsug; key түлхүүр; of нууц, хувийн
mr: secret पासवर्ड, संकेतशब्द, परवलीचा शब्द, गुप्त; key की, किल्ली; of खाजगी
ms: secret kata laluan, katalaluan, frasa laluan, rahsia, kod laluan, kata kunci rahsia; key kunci; code kod; of rahsia, peribadi, akses, keselamatan, pengesahan, masuk; your anda; is ialah, adalah
mt: secret kelma sigrieta, kelma tal-passaport, sigriet
my: secret စကားဝှက်, လျှို့ဝှက်, လျှို့ဝှက်နံပါတ်; key သော့; of သီးသန့်, လျှို့ဝှက်
ne: secret पासवर्ड, गोप्य शब्द, गोप्य; key कुञ्जी; of निजी
nl: secret wachtwoord*, wachtwoordzin, paswoord*, wachtzin, toegangscode*, toegangstoken, toegangssleutel, geheim, inloggegevens, beveiligingscode, herstelcode, verificatiecode, pincode; last sleutel; key sleutel, sleutels; code code; of geheime, geheim, prive, privé, privésleutel, persoonlijke, toegangs, toegang, versleutelings, versleuteling, encryptie, beveiligings, verificatie, inlog, bevestigings, controle; your je, uw, jouw; is is, luidt, was
no: secret hemmelig, passord*, passfrase, passordfrase, hemmelighet*, løyndom, løyndeord, tilgangskode, tilgangsnøkkel, hemmeleg, hemmelig ord, sikkerhetskode, engangskode; key nøkkel*, noekkel*, nykel; code kode, koden; of hemmelig, privat, tilgangs, krypterings, sikkerhets, verifiserings, engangs, innloggings, bekreftelses; your din, ditt, deres; is er
or: secret ପାସୱାର୍ଡ, ଗୁପ୍ତ; key କୀ; of ପ୍ରାଇଭେଟ
pa: secret ਪਾਸਵਰਡ, ਗੁਪਤ, ਟੋਕਨ; key ਕੁੰਜੀ, ਚਾਬੀ; of ਨਿੱਜੀ
pl: secret hasło, hasła, hasłem, hasel, haseł, haslo, fraza hasła, sekret, sekretu, sekrety, dane logowania, dane uwierzytelniające, kod dostępu, zeton dostepu, żeton; key klucz, klucze, klucza; code kod; of tajny, prywatny, sekretny, dostępu, szyfrowania, szyfrujący, podpisu, uwierzytelniający, zabezpieczający, weryfikacyjny, odzyskiwania, pin, logowania, autoryzacyjny, jednorazowy, potwierdzający, aktywacyjny; your twój; is to, jest, było
ps: secret پټنوم, پاسورډ, پټ نوم
pt: secret senha, senhas, palavra-passe, palavra passe, palavra-chave secreta, segredo*, frase secreta, frase-chave, frase de acesso, credenciais, contrassenha, código de acesso, token de acesso; last chave; key chave, chaves; code código, códigos; of secreta, secreto, privada, acesso, criptografia, cifragem, assinatura, segurança, verificação, recuperação, autenticação, mestra, desbloqueio, confirmação, login, ativação; your seu, teu; is é, era
ro: secret parolă, parola, parole, parolei, parolelor, cuvânt de trecere, cuvant cheie secret, frază de acces, fraza parola, date de autentificare; key cheie, cheia, chei; code cod, codul; of secretă, privată, acces, de acces, criptare, securitate, verificare, recuperare, autentificare, api, confirmare, conectare, logare, sms, unic, validare; your tău, dvs; is este
ru: secret пароль, пароля, пароли, парол, секрет, секретн, токен, кодовое слово, парольная фраза, учетные данные, пин-код, пинкод, код подтверждения, код доступа, код безопасности, parol, paroli, parolya, sekret, tokena, kodovoe slovo, pinkod; key ключ, ключи, klyuch, kluch, klyuchi; code код, kod; of апи, приватн, закрыт, личный, доступа, шифрования, подписи, безопасности, восстановления, подтверждения, sekretnyi, sekretny, privatnyi, privatny, dostupa, вход, авторизац, регистрац, активац, проверки, одноразов; your ваш, твой
si: secret මුරපදය, මුරපද, රහස් පදය, රහස්; key යතුර; of පුද්ගලික, රහස්
sk: secret heslo, hesla, heslom, tajomstvo, prístupová fráza, tajná veta, prihlasovacie údaje; key kľúč, kľúče; code kód; of súkromný, tajný, prístupový, šifrovací, bezpečnostný, overovací, záchranný, podpisový, prihlasovací, potvrdzovací, prihlásenie; your váš, tvoj; is je
sl: secret geslo, gesla, geslom, skrivnost, žeton*, dostopna koda; last šifra; key ključ, kljuc; code koda, kodo; of zasebni, privatni, tajni, skrivni, dostopni, varnostna, verifikacijska, obnovitev, potrditvena, prijavo; your vaša, tvoja; is je
sq: secret fjalëkalim*, fjalekalim*, frazëkalim, fjala kyçe; key çelës, çelësi, kyç; code kod, kodi; of privat, sekret, fshehtë, aksesi, verifikimi, verifikimit; your juaj, yt; is është
sr: secret лозинка, лозинке, лозинку, тајна, токен, lozinka, lozinke, lozinku, tajna, zaporka; last šifra, шифра; key кључ, ključ, kljuc; code код, kod; of приватни, тајни, приступни, приступ, сигурносни, верификациони, privatni, tajni, pristupni, bezbednosni, sigurnosni, verifikacioni, prijavu, potvrdu, потврду, пријаву, једнократни, jednokratni; your vaš, ваш, tvoj; is je, је, glasi
sv: secret lösenord*, losenord*, loesenord*, lösenfras, lösenordsfras, lösen, losen, hemlighet*, klienthemlighet, åtkomsttoken, åtkomstkod, säkerhetskod, engångskod, inloggningsuppgifter; last nyckel; key nyckel, nyckeln, nycklar; code kod, koden; of hemlig, privat, åtkomst, krypterings, säkerhets, verifierings, återställnings, pin, engångs, inloggnings, bekräftelse; your din, ert; is är, lyder
sw: secret nenosiri, neno la siri, neno siri, nywila; key ufunguo; code msimbo; of siri, binafsi, usalama, uthibitisho; your yako; is ni
ta: secret கடவுச்சொல், கடவுச்சொல்லை, கடவுச்சொற்றொடர், கடவெண், இரகசியம், ரகசிய; key விசை; of தனிப்பட்ட, இரகசிய
te: secret పాస్వర్డ్, పాస్‌వర్డ్, సంకేతపదం, రహస్య, టోకెన్; key కీ; of ప్రైవేట్
tg: secret рамз, парол, гузарвожа; key калид; of махфӣ, шахсӣ
th: secret รหัสผ่าน, รหัสลับ, พาสเวิร์ด, วลีรหัสผ่าน, โทเค็น, โทเคน, ความลับ, รหัสเข้าใช้งาน, รหัสยืนยัน, รหัสความปลอดภัย, รหัสกู้คืน, รหัสพิน, rahat pan, rahatphan, rahasphan, rahatpan, รหัส otp, รหัสโอทีพี; key กุญแจ, คีย์; of ลับ, ส่วนตัว, การเข้าถึง
tr: secret şifre*, sifre*, şifreniz, parola*, gizli kelime, gizli anahtar, jeton, belirteç, erişim kodu, giriş kodu, kimlik bilgileri, geçiş kodu; key anahtar*; code kod*, kodunuz, kodun; of gizli, özel, kişisel, erişim, şifreleme, imza, güvenlik, doğrulama, kurtarma, api, onay, kullanımlık, tek
so: secret erayga sirta, ereyga sirta, fure sir, magaca sirta
mi: secret kupuhipa
zu: secret iphasiwedi
uk: secret таємниця, пароль, пароля, паролі, парол, секрет, секретн, токен, пін-код, пінкод, parol, код підтвердження, код доступу, код безпеки, облікові дані; key ключ; code код; of апі, приватн, закрит, таємн, доступу, шифрування, підпису, безпеки, відновлення, вход, перевірк, авторизац, одноразов, активац, смс; your ваш, твій
ur: secret پاس ورڈ, پاسورڈ, خفیہ, ٹوکن, خفیہ لفظ, پن کوڈ; key کلید, چابی; of نجی, خفیہ, تصدیقی, تصدیق, سیکیورٹی; code کوڈ
uz: secret parol*, maxfiy so'z, maxfiy soz, parol so'z, махфий сўз; key kalit*; code kod*; of maxfiy, shaxsiy
vi: secret mật khẩu, matkhau, mat khau, cụm mật khẩu, mã bí mật, bí mật, mã truy cập, mã xác minh, mã xác thực, mã bảo mật, mã khôi phục, mã pin, mã otp, mã xác nhận; key khóa, khoá, chìa khóa; of riêng tư, bí mật, truy cập, mã hóa, xác thực; is là
zh: secret 动态码, 動態碼, 登录码, 登入碼, 通關密語, 密码, 密碼, 口令, 密钥, 密鑰, 金鑰, 秘钥, 祕鑰, 私钥, 私鑰, 令牌, 权杖, 權杖, 秘密, 机密, 機密, 验证码, 驗證碼, 校验码, 安全码, 安全碼, 恢复代码, 助记词, 助記詞, 凭证, 凭据, 憑證, 通行码, 通行碼, 暗号, mima, miyao, siyao, lingpai, kouling, yanzhengma, tongxingma; key 钥匙, 鑰匙; of 私, 密, 访问, 存取, 加密
`;

/** `de: secret passwort*, kennwort*; key schlüssel` */
function parsed(row: string): [string, Language] {
  const [, code = "", fields = ""] = /^(\w+): (.*)$/.exec(row) ?? [];
  return [code, Object.fromEntries(fields.split("; ").map((field) => field.split(/ (.*)/s, 2)))];
}

export const LANGUAGES: Readonly<Record<string, Language>> = Object.fromEntries(
  ROWS.trim().split("\n").map(parsed),
);

/** Words for attributes of a secret in other scripts, where words are not separated. */
export const ABOUT_IN_OTHER_SCRIPTS =
  "长度, 長度, 类型, 類型, 名称, 名稱, 数量, 數量, 过期, 過期, 有效期, 链接, の長さ, 長さ, 有効期限, 種類, 名前, 길이, 유형, 이름, 만료, 개수, длина, срок, тип, название, количество, μήκος, طول, نوع, אורך, סוג, ความยาว, ประเภท";
