/** How a name and its secret appear in texts: logs, mails, chats, settings, code, commands, tables, markup. */

export interface Shape {
  readonly shape: string;
  /** @param name one word, such as `password` or `api_key` */
  readonly write: (name: string, value: string) => string;
}

const titled = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};
const upper = (name: string): string => name.toUpperCase();
const camel = (name: string): string =>
  name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(name).replace(/^\w/, (letter) => letter.toUpperCase());
const entity = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const all = (shapes: Readonly<Record<string, Shape["write"]>>): Shape[] =>
  Object.entries(shapes).map(([shape, write]) => ({ shape, write }));

const LABELS = all({
  "label with a dash, quoted": (n, v) => `${titled(n)} - '${v}'`,
  "label with an arrow of signs": (n, v) => `${n} -> ${v}`,
  "label with a colon": (n, v) => `${titled(n)}: ${v}`,
  "label without a space": (n, v) => `${titled(n)}:${v}`,
  "label before spaces and a colon": (n, v) => `Host          : x\n${titled(n)}      : ${v}`,
  "label with a full-width colon": (n, v) => `${titled(n)}：${v}`,
  "label with a no-break space": (n, v) => `${titled(n)}\u00a0: ${v}`,
  "label after a bullet": (n, v) => `• ${titled(n)}: ${v}`,
  "label after an emoji": (n, v) => `🔑 ${titled(n)}: ${v}`,
  "label with an arrow": (n, v) => `${titled(n)} → ${v}`,
  "label, line end": (n, v) => `${titled(n)}:\n${v}`,
  "label, empty line": (n, v) => `${titled(n)}\n\n${v}\n`,
  "label on its own line": (n, v) => `Login\njo\n${titled(n)}\n${v}\n`,
  "label over a code block": (n, v) => `${titled(n)}:\n\n    ${v}\n`,
  "bold label in Markdown": (n, v) => `**${titled(n)}:** ${v}`,
  "bold label, colon outside": (n, v) => `- **${titled(n)}**: \`${v}\``,
  "emphasized label": (n, v) => `*${titled(n)}:* ${v}`,
  "label with a remark": (n, v) => `${titled(n)} (new): ${v}`,
  "label for somebody": (n, v) => `${titled(n)} for jo: ${v}`,
  "label in a sentence": (n, v) => `Use this ${titled(n)}: ${v} to sign in.`,
  "label with a possessive": (n, v) => `Your temporary ${titled(n)}: ${v}`,
  "error of a provider": (n, v) => `401 Incorrect ${titled(n)} provided: ${v}. You can find it here.`,
  "invalid, in quotes": (n, v) => `invalid ${titled(n)} '${v}'`,
  "sentence with is": (n, v) => `Your ${titled(n)} is ${v}`,
  "sentence with is, in quotes": (n, v) => `The ${titled(n)} for jo is "${v}".`,
  "was reset to": (n, v) => `The ${titled(n)} was reset to ${v}`,
  "curly quotes": (n, v) => `${titled(n)}: “${v}”`,
  "dotted leader": (n, v) => `${titled(n)} .......... ${v}`,
});

const SETTINGS = all({
  "YAML with a tag": (n, v) => `${n}: !!str ${v}\n`,
  "YAML with an anchor": (n, v) => `db:\n  ${n}: &main ${v}\n`,
  "registry of Windows": (n, v) => `    ${pascal(n)}    REG_SZ    ${v}\r\n`,
  "env file": (n, v) => `HOST=x\n${upper(n)}=${v}\n`,
  "env file, quoted": (n, v) => `${upper(n)}="${v}"`,
  export: (n, v) => `export ${upper(n)}='${v}'`,
  "set of Windows": (n, v) => `set ${upper(n)}=${v}`,
  setx: (n, v) => `setx ${upper(n)} ${v}`,
  "PowerShell variable": (n, v) => `$env:${upper(n)} = "${v}"`,
  "Dockerfile ENV": (n, v) => `FROM x\nENV ${upper(n)} ${v}\n`,
  "Dockerfile ARG": (n, v) => `ARG ${upper(n)}=${v}`,
  INI: (n, v) => `[db]\nuser = jo\n${n} = ${v}\n`,
  properties: (n, v) => `spring.datasource.${n}=${v}`,
  "system property": (n, v) => `java -D${n}=${v} -jar x.jar`,
  YAML: (n, v) => `db:\n  host: x\n  ${n}: ${v}\n`,
  "YAML, quoted": (n, v) => `${n}: '${v}'`,
  "YAML flow map": (n, v) => `db: {user: jo, ${n}: ${v}}`,
  "YAML block scalar": (n, v) => `${n}: |\n  ${v}\nhost: x`,
  "YAML folded scalar": (n, v) => `db:\n  ${n}: >-\n    ${v}\n`,
  "YAML list of variables": (n, v) => `- name: ${upper(n)}\n  value: ${v}\n`,
  HCL: (n, v) => `resource "x" "y" {\n  ${n} = "${v}"\n}`,
  "Terraform variable": (n, v) => `variable "${n}" {\n  type = string\n  default = "${v}"\n}`,
  netrc: (n, v) => `machine x.test login jo password ${v}${n.slice(0, 0)}`,
  requirepass: (_n, v) => `requirepass ${v}`,
  LDIF: (_n, v) => `dn: cn=jo\nuserPassword: ${v}`,
  "my.cnf": (_n, v) => `[client]\nuser=root\npassword="${v}"`,
  "define of C": (n, v) => `#define ${upper(n)} "${v}"`,
});

const CODE = all({
  "C# property": (n, v) => `public string ${pascal(n)} { get; set; } = "${v}";`,
  "JS default of another name": (n, v) => `const k = process.env.${upper(n)} || "${v}";`,
  "Bash array": (n, v) => `declare -A c=([${n}]="${v}")`,
  "Python assignment": (n, v) => `${n} = '${v}'`,
  "Python environment": (n, v) => `os.environ["${upper(n)}"] = "${v}"`,
  "Python default": (n, v) => `${n} = os.getenv("${upper(n)}", "${v}")`,
  "Python bytes": (n, v) => `${n} = b"${v}"`,
  "Python typed": (n, v) => `def f(${n}: str = "${v}"):`,
  "Python keyword argument": (n, v) => `login("jo", ${n}="${v}")`,
  "Python dict in a log": (n, v) => `INFO {'user': 'jo', '${n}': '${v}'}`,
  "Python repr": (n, v) => `Config(host='x', ${n}='${v}')`,
  "JavaScript fallback": (n, v) => `const ${camel(n)} = process.env.X || "${v}";`,
  "JavaScript template": (n, v) => `const ${camel(n)} = \`${v}\`;`,
  "TypeScript typed": (n, v) => `private readonly ${camel(n)}: string = "${v}";`,
  "JavaScript options": (n, v) => `new Client({ host: 'x', ${camel(n)}: '${v}' })`,
  "JavaScript inspect": (n, v) => `{ user: 'jo', ${camel(n)}: '${v}', n: 1 }`,
  "PHP array": (n, v) => `$config['db']['${n}'] = '${v}';`,
  "PHP arrow": (n, v) => `'${n}' => '${v}',`,
  "PHP define": (n, v) => `define('${upper(n)}', '${v}');`,
  "PHP print_r": (n, v) => `Array\n(\n    [${n}] => ${v}\n)`,
  "PHP var_dump": (n, v) => `["${n}"]=>\n  string(9) "${v}"`,
  "PHP serialize": (n, v) => `a:1:{s:${n.length}:"${n}";s:${v.length}:"${v}";}`,
  "PHP curl": (_n, v) => `curl_setopt($ch, CURLOPT_PASSWORD, "${v}");`,
  "Ruby hash": (n, v) => `{:user=>"jo", :${n}=>"${v}"}`,
  "Ruby keywords": (n, v) => `connect(user: "jo", ${n}: "${v}")`,
  "Go assignment": (n, v) => `${camel(n)} := "${v}"`,
  "Go struct": (n, v) => `{User:jo ${pascal(n)}:${v} Port:1}`,
  "Go map": (n, v) => `map[${n}:${v} user:jo]`,
  "Java field": (n, v) => `private static final String ${upper(n)} = "${v}";`,
  "Java setter": (n, v) => `config.set${pascal(n)}("${v}");`,
  "Java toString": (n, v) => `Config{host=x, ${camel(n)}=${v}, port=1}`,
  "Java map": (n, v) => `map.put("${n}", "${v}");`,
  "C# verbatim": (n, v) => `string ${camel(n)} = @"${v}";`,
  "C array": (n, v) => `char ${n}[25] = "${v}";`,
  "C++ constructor": (n, v) => `std::string ${n}("${v}");`,
  "Rust typed": (n, v) => `let ${n}: &str = "${v}";`,
  "Swift typed": (n, v) => `let ${camel(n)}: String = "${v}"`,
  "Kotlin default": (n, v) => `val ${camel(n)}: String = "${v}",`,
  "Perl hash": (n, v) => `my %c = (${n} => "${v}");`,
  "Lua table": (n, v) => `local c = { ${n} = "${v}" }`,
  "Elixir keyword": (n, v) => `config :app, ${n}: "${v}"`,
  "Elixir map": (n, v) => `%{"${n}" => "${v}"}`,
  "Clojure map": (n, v) => `{:${n} "${v}"}`,
  comparison: (n, v) => `if (${camel(n)} === "${v}") {`,
  "comparison, value first": (n, v) => `if ("${v}" == ${n}) {`,
  "comparison, not": (n, v) => `if ("${v}" !== ${n}) {`,
  "headers.append": (n, v) => `headers.append('${n}', '${v}')`,
  "JSON in a shell string": (n, v) => `"{\\"${n}\\": \\"${v}\\"}"`,
  "JSON, escaped twice": (n, v) => `{\\\\\\"${n}\\\\\\":\\\\\\"${v}\\\\\\"`,
  JSONP: (n, v) => `cb({"${n}":"${v}"});`,
  JSON5: (n, v) => `{${n}: '${v}', /* x */ a: 1,}`,
  "escapes in a log": (n, v) => `body=host: x\\n${n}: ${v}\\nport: 1`,
  "unicode escapes": (n, v) => `{\\u0022${n}\\u0022:\\u0022${v}\\u0022}`,
});

const COMMANDS = all({
  "curl -u, quoted apart": (_n, v) => `curl --user jo:'${v}' https://x.test`,
  "curl -u without a password": (_n, v) => `curl -u "${v}:" https://x.test`,
  "curl -u without a user": (_n, v) => `curl -u ":${v}" https://x.test`,
  "flag and value": (n, v) => `tool --${n.replaceAll("_", "-")} ${v} --verbose`,
  "flag = value": (n, v) => `tool --${n.replaceAll("_", "-")}='${v}'`,
  "flag of PowerShell": (n, v) => `Connect-X -User jo -${pascal(n)} ${v}`,
  "list of arguments": (n, v) => `["tool", "--${n.replaceAll("_", "-")}", "${v}"]`,
  "mysql -p": (_n, v) => `mysql -h x -u root -p${v} db`,
  "sshpass -p": (_n, v) => `sshpass -p ${v} ssh jo@x`,
  "htpasswd -b": (_n, v) => `htpasswd -bc .htpasswd jo ${v}`,
  "htpasswd -nb": (_n, v) => `htpasswd -nb jo ${v} > users`,
  "snmpwalk -A": (_n, v) => `snmpwalk -v3 -l authPriv -u jo -a SHA -A ${v} -x AES -X other-pass-9 10.0.0.1`,
  "snmpget -X": (_n, v) => `snmpget -u jo -a SHA -A other-pass-9 -x AES -X ${v} 10.0.0.1`,
  "redis-cli -a": (_n, v) => `redis-cli -h x -a ${v} ping`,
  "docker login": (_n, v) => `docker login -u jo -p ${v} x.test`,
  PGPASSWORD: (_n, v) => `PGPASSWORD=${v} psql -h x`,
  "openssl -passin": (_n, v) => `openssl rsa -in k -passin pass:${v}`,
  "wget --password": (_n, v) => `wget --user=jo --password=${v} http://x.test`,
  "curl -u": (_n, v) => `curl -s -u jo:${v} https://x.test`,
  "curl -H": (n, v) => `curl -H 'X-${n.replaceAll("_", "-")}: ${v}' https://x.test`,
  "curl -F": (n, v) => `curl -F ${n}=${v} https://x.test`,
  SecureString: (_n, v) => `ConvertTo-SecureString "${v}" -AsPlainText -Force`,
});

const CONNECTIONS = all({
  URL: (_n, v) => `postgres://jo:${encodeURIComponent(v)}@x.test:5432/db`,
  "URL without user": (_n, v) => `redis://:${encodeURIComponent(v)}@x.test:6379`,
  "mongodb+srv": (_n, v) => `mongodb+srv://jo:${encodeURIComponent(v)}@x.test/db`,
  "user of a mail": (_n, v) => `smtps://jo@x.test:${encodeURIComponent(v)}@smtp.x.test:465`,
  "JDBC parameters": (_n, v) => `jdbc:postgresql://x/db?user=jo&password=${encodeURIComponent(v)}`,
  "ADO.NET Pwd": (_n, v) => `Server=x;Uid=jo;Pwd=${v};`,
  ODBC: (_n, v) => `Driver={x};Server=x;UID=jo;PWD=${v}`,
  AccountKey: (_n, v) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${v};EndpointSuffix=y`,
  libpq: (_n, v) => `host=x user=jo password=${v} dbname=y`,
  "MySQL of Go": (_n, v) => `jo:${v}@tcp(x:3306)/db`,
  pgpass: (_n, v) => `x.test:5432:db:jo:${v}`,
});

const SQL = all({
  "IDENTIFIED BY": (_n, v) => `CREATE USER 'jo'@'%' IDENTIFIED BY '${v}';`,
  "IDENTIFIED WITH": (_n, v) => `ALTER USER jo IDENTIFIED WITH mysql_native_password BY '${v}'`,
  PASSWORD: (_n, v) => `ALTER ROLE jo WITH LOGIN PASSWORD '${v}';`,
  "SET PASSWORD": (_n, v) => `SET PASSWORD FOR 'jo'@'x' = '${v}'`,
  "CREATE LOGIN": (_n, v) => `CREATE LOGIN jo WITH PASSWORD = N'${v}'`,
  UPDATE: (n, v) => `UPDATE users SET ${n} = '${v}' WHERE id = 1`,
  WHERE: (n, v) => `SELECT 1 FROM users WHERE ${n}='${v}'`,
  INSERT: (n, v) => `INSERT INTO users (id, ${n}) VALUES (1, '${v}')`,
});

const HTTP = all({
  "Token with a parameter": (_n, v) => `Authorization: Token token="${v}"\nHost: x`,
  "FTP login": (_n, v) => `USER jo\r\nPASS ${v}\r\n`,
  "Redis login": (_n, v) => `AUTH default ${v}`,
  "header line": (n, v) => `GET / HTTP/1.1\r\nX-${n.replaceAll("_", "-")}: ${v}\r\nHost: x`,
  "curl -v": (n, v) => `> X-${n.replaceAll("_", "-")}: ${v}\n> Host: x`,
  "Set-Cookie": (_n, v) => `Set-Cookie: sid=${encodeURIComponent(v)}; Path=/`,
  Digest: (_n, v) => `Authorization: Digest username="jo", nonce="x", response="${v}"`,
  "AWS signature": (_n, v) =>
    `Authorization: AWS4-HMAC-SHA256 Credential=AKID/x, SignedHeaders=host, Signature=${v}`,
  Hawk: (_n, v) => `authorization: Hawk id="x", ts="1", mac="${v}"`,
  "Proxy-Authorization": (_n, v) => `Proxy-Authorization: Token ${v}`,
  "form body": (n, v) => `a=1&${n}=${encodeURIComponent(v)}&b=2`,
  multipart: (n, v) => `--x\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n${v}\r\n--x--`,
  "multipart with a type": (n, v) =>
    `Content-Disposition: form-data; name="${n}"\r\nContent-Type: text/plain\r\n\r\n${v}\r\n`,
  logfmt: (n, v) => `level=info user=jo ${n}=${v} ok=true`,
  "key=[value]": (n, v) => `user=[jo] ${n}=[${v}]`,
});

const TABLES = all({
  CSV: (n, v) => `id,${n},role\n1,${v},admin\n2,,user`,
  "CSV, quoted": (n, v) => `"id","${titled(n)}"\n"1","${v}"`,
  "CSV with semicolons": (n, v) => `id;user;${n}\n1;jo;${v}`,
  TSV: (n, v) => `user\t${n}\njo\t${v}`,
  "Markdown table": (n, v) => `| User | ${titled(n)} |\n|---|---|\n| jo | ${v} |`,
  "Markdown rows": (n, v) => `| Key | Value |\n|---|---|\n| ${titled(n)} | \`${v}\` |`,
  psql: (n, v) => ` id | ${n} \n----+--------\n  1 | ${v}\n(1 row)`,
  mysql: (n, v) => `+----+------+\n| id | ${n} |\n+----+------+\n| 1 | ${v} |\n+----+------+`,
  "columns of a terminal": (n, v) => `NAME   ${upper(n)}\njo     ${v}`,
  "two columns of a terminal": (n, v) => `Host        x.test\n${titled(n)}    ${v}`,
  "HTML table": (n, v) =>
    `<table><tr><th>User</th><th>${titled(n)}</th></tr><tr><td>jo</td><td>${entity(v)}</td></tr></table>`,
  "HTML row": (n, v) => `<tr><td><b>${titled(n)}:</b></td>\n<td>${entity(v)}</td></tr>`,
});

const MARKUP = all({
  element: (n, v) => `<db><${n}>${entity(v)}</${n}></db>`,
  CDATA: (n, v) => `<${n}><![CDATA[${v}]]></${n}>`,
  attribute: (n, v) => `<user name="jo" ${n}="${entity(v)}"/>`,
  "add key": (n, v) => `<add key="${pascal(n)}" value="${entity(v)}" />`,
  "value first": (n, v) => `<add value="${entity(v)}" key="${n}"/>`,
  "entry key": (n, v) => `<entry key="db.${n}">${entity(v)}</entry>`,
  "property name": (n, v) => `<property name="${n}" value="${entity(v)}"/>`,
  plist: (n, v) => `<dict>\n<key>${n}</key>\n<string>${entity(v)}</string></dict>`,
  "name and value": (n, v) => `<param><name>${n}</name><value>${entity(v)}</value></param>`,
  input: (n, v) => `<input type="hidden" name="${n}" value="${entity(v)}">`,
  meta: (n, v) => `<meta name="${n}" content="${entity(v)}">`,
  "definition list": (n, v) => `<dl><dt>${titled(n)}</dt><dd>${entity(v)}</dd></dl>`,
  "bold label": (n, v) => `<p><strong>${titled(n)}</strong>: ${entity(v)}<br></p>`,
  "label in a mail": (n, v) => `<p>${titled(n)}: <code>${entity(v)}</code></p>`,
  "escaped JSON": (n, v) => `{&quot;a&quot;:1,&quot;${n}&quot;:&quot;${entity(v)}&quot;}`,
  "escaped XML": (n, v) => `&lt;${n}&gt;${v}&lt;/${n}&gt;`,
  "Android resource": (n, v) => `<string name="${n}">${entity(v)}</string>`,
});

export const SHAPES: readonly Shape[] = [
  ...LABELS,
  ...SETTINGS,
  ...CODE,
  ...COMMANDS,
  ...CONNECTIONS,
  ...SQL,
  ...HTTP,
  ...TABLES,
  ...MARKUP,
];
