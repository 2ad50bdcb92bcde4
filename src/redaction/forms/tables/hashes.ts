/** Password hashes, as found in account files and in the configuration of devices. */
export const hashes = `
crypt, MD5 | $1\${c:0-8}\${c:22} | man7.org
crypt, MD5 of Apache | $apr1\${c:0-8}\${c:22} | httpd.apache.org
crypt, bcrypt | {$2a$|$2b$|$2x$|$2y$|$2$}{d:2}\${c:53} | man7.org
crypt, SHA-256 | $5\${k:0-40}\${c:43}  $5\${k:0-40}\${k:0-40}\${c:43} | man7.org
crypt, SHA-512 | $6\${k:0-40}\${c:86}  $6\${k:0-40}\${k:0-40}\${c:86} | man7.org
crypt, yescrypt | $y\${k:3-20}\${c:0-90}\${c:43} | man7.org
crypt, gost-yescrypt | $gy\${k:3-20}\${c:0-90}\${c:43} | man7.org
crypt, scrypt | $7\${c:14-90}\${c:43} | man7.org
Cisco type 8 | $8\${c:8-16}\${c:43} | cisco.com
Cisco type 9 | $9\${c:8-16}\${c:43} | cisco.com
Argon2 | $argon2{i|d|id}\${k:1+}\${k:1+}\${k:1+}  $argon2{i|d|id}\${k:1+}\${k:1+}\${k:1+}\${k:1+} | github.com
PBKDF2 of passlib | $pbkdf2-{sha1|sha256|sha512}\${d:1-8}\${c:1+}\${c:20+} | passlib.readthedocs.io
PBKDF2 of Django | pbkdf2_{sha1|sha256}\${d:1-8}\${c:1+}\${B:20+} | docs.djangoproject.com
Django Argon2, bcrypt | bcrypt_sha256$$2b\${d:2}\${c:53} | docs.djangoproject.com
scrypt of Werkzeug | scrypt:{d:1-8}:{d:1-4}:{d:1-4}\${w:1+}\${h:64+} | werkzeug.palletsprojects.com
PBKDF2 of Werkzeug | pbkdf2:{sha1|sha256|sha512}:{d:1-8}\${w:1+}\${h:40+} | werkzeug.palletsprojects.com
scrypt | $s0\${h:1-8}\${B:10+}\${B:20+} | github.com
phpass | {$P$|$H$}{c:31} | www.openwall.com
Drupal | $S\${c:52} | drupal.org
LDAP | ⟨{SSHA|SHA|SMD5|MD5|SSHA256|SSHA512|SHA256|SHA512|CRYPT}⟩{B:12+} | rfc-editor.org
MySQL | ^*{u:40} | dev.mysql.com | password,identified,mysql
PostgreSQL SCRAM | SCRAM-SHA-256\${d:3-7}:{B:16+}\${B:40+}:{B:40+} | postgresql.org
PostgreSQL MD5 | ^md5{h:32} | postgresql.org | password,pg_shadow,rolpassword,passwd
Kerberos | $krb5{asrep|tgs|pa}\${d:2}\${p:0-60}{:|$|$*}{H:32}\${H:64+}  $krb5asrep\${d:2}\${H:32}\${H:64+} | hashcat.net
Windows | aad3b435b51404eeaad3b435b51404ee:{H:32} | learn.microsoft.com
`;
