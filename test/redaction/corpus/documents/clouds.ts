/** Clouds: see written-document.ts. */
import {
  base64,
  base64Of,
  base64url,
  hex,
  lower,
  ordinary,
  secret,
  upper,
  uuid,
  word,
  written,
} from "./written-document.ts";

export const CLOUDS = [
  written("AWS STS: AssumeRole", () => ({
    AssumeRoleResponse: {
      AssumeRoleResult: {
        AssumedRoleUser: {
          AssumedRoleId: ordinary("AROA3XFRBF535PLBIFPI4:s3-access"),
          Arn: ordinary("arn:aws:sts::123456789012:assumed-role/xaccounts3access/s3-access"),
        },
        Credentials: {
          AccessKeyId: `ASIA${upper(16)}`,
          SecretAccessKey: secret(word(40)),
          SessionToken: secret(base64(200)),
          Expiration: ordinary("2026-03-15T00:05:07Z"),
        },
        PackedPolicySize: ordinary(8),
      },
    },
  })),
  written("AWS ECR: getAuthorizationToken", () => ({
    authorizationData: [
      {
        authorizationToken: secret(base64Of(`AWS:${word(60)}`)),
        expiresAt: ordinary("2026-05-17T06:56:13.652Z"),
        proxyEndpoint: ordinary("https://012345678910.dkr.ecr.us-east-1.amazonaws.com"),
      },
    ],
  })),
  written("AWS: key pair, RDS and Cognito client", () => ({
    KeyPair: {
      KeyName: ordinary("my-key-pair"),
      KeyFingerprint: "1f:51:ae:28",
      KeyMaterial: secret(`-----BEGIN RSA PRIVATE KEY-----\n${base64(48)}\n-----END RSA PRIVATE KEY-----`),
      KeyPairId: ordinary("key-0123456789abcdef0"),
    },
    rds: {
      DBInstanceIdentifier: ordinary("db1"),
      MasterUsername: "admin",
      MasterUserPassword: secret("Mast-er-9921"),
    },
    UserPoolClient: {
      ClientName: ordinary("web"),
      ClientId: ordinary("1example23456789"),
      ClientSecret: secret(lower(51)),
    },
  })),
  written("Azure: listKeys of storage and Service Bus", () => ({
    keys: [
      {
        creationTime: ordinary("2026-02-01T10:00:00.0000000Z"),
        keyName: ordinary("key1"),
        value: secret(base64(64)),
        permissions: ordinary("FULL"),
      },
      { keyName: ordinary("key2"), value: secret(base64(64)), permissions: "FULL" },
    ],
    serviceBus: {
      primaryConnectionString: `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${secret(base64(32))}`,
      primaryKey: secret(base64(32)),
      secondaryKey: secret(base64(32)),
      keyName: ordinary("RootManageSharedAccessKey"),
    },
  })),
  written("Azure: cognitive services, Cosmos and app registration", () => ({
    cognitive: { key1: secret(hex(32)), key2: secret(hex(32)) },
    cosmos: { primaryMasterKey: secret(base64(64)), secondaryReadonlyMasterKey: secret(base64(64)) },
    addPassword: {
      customKeyIdentifier: null,
      displayName: ordinary("n8n"),
      endDateTime: ordinary("2027-01-01T00:00:00Z"),
      hint: "a1b",
      keyId: ordinary("f0b0b335-1d71-4883-8f98-567911bfdca6"),
      secretText: secret(`x~8Q~${base64url(34)}`),
    },
  })),
  written("Google: service account and its key", () => ({
    type: ordinary("service_account"),
    project_id: ordinary("acme-prod"),
    private_key_id: ordinary(hex(40)),
    private_key: secret(`-----BEGIN PRIVATE KEY-----\n${base64(96)}\n-----END PRIVATE KEY-----\n`),
    client_email: ordinary("n8n@acme-prod.iam.gserviceaccount.com"),
    client_id: ordinary("103029384756102938475"),
    token_uri: ordinary("https://oauth2.googleapis.com/token"),
    key: {
      name: ordinary("projects/acme/serviceAccounts/n8n/keys/1"),
      privateKeyData: secret(base64Of(`{"type":"service_account","private_key":"${word(80)}"}`)),
      validAfterTime: ordinary("2026-01-01T00:00:00Z"),
    },
  })),
  written("Vault: init, unseal and wrapped", () => ({
    init: {
      keys: [secret(hex(66)), secret(hex(66))],
      keys_base64: [secret(base64(33)), secret(base64(33))],
      root_token: secret(`hvs.${word(24)}`),
    },
    unseal: { key: secret(base64(33)), reset: false },
    status: {
      sealed: ordinary(false),
      t: ordinary(3),
      n: ordinary(5),
      progress: 1,
      version: ordinary("1.15.4"),
    },
    auth: {
      client_token: secret(`hvs.${word(90)}`),
      accessor: word(24),
      policies: [ordinary("default"), ordinary("n8n-read")],
      token_policies: ["default"],
      lease_duration: ordinary(2764800),
      renewable: true,
      metadata: { role_name: ordinary("n8n") },
    },
  })),
  written("Kubernetes: kubeconfig and service account token", () => ({
    apiVersion: ordinary("v1"),
    kind: ordinary("Config"),
    clusters: [
      {
        name: ordinary("prod"),
        cluster: { server: ordinary("https://10.0.0.1:6443"), "certificate-authority-data": base64(90) },
      },
    ],
    users: [
      {
        name: ordinary("admin"),
        user: {
          "client-certificate-data": base64(90),
          "client-key-data": secret(base64(120)),
          token: secret(base64url(60)),
        },
      },
    ],
    status: {
      token: secret(`eyJhbGciOiJSUzI1NiJ9.${base64url(100)}.${base64url(80)}`),
      expirationTimestamp: ordinary("2026-05-01T00:00:00Z"),
    },
  })),
  written("Docker config and npmrc", () => ({
    config: {
      auths: {
        "https://index.docker.io/v1/": { auth: secret(base64Of(`ada:${word(20)}`)) },
        "registry.example.com": {
          username: ordinary("ada"),
          password: secret("Reg-Pw-77"),
          email: "ada@example.com",
        },
        "ghcr.io": { identitytoken: secret(word(60)) },
      },
      credsStore: ordinary("desktop"),
    },
    npmrc: `registry=https://npm.example.com/\n//npm.example.com/:_authToken=${secret(uuid())}\n`,
  })),
  written("Terraform state", () => ({
    version: ordinary(4),
    terraform_version: ordinary("1.7.5"),
    outputs: {
      db_password: { value: secret("Tf-Out-771"), type: ordinary("string"), sensitive: true },
      endpoint: { value: ordinary("db.example.com:5432"), type: "string" },
    },
    resources: [
      {
        mode: ordinary("managed"),
        type: ordinary("random_password"),
        name: ordinary("db"),
        instances: [
          {
            schema_version: 3,
            attributes: {
              bcrypt_hash: secret(`$2a$10$${word(53)}`),
              length: ordinary(16),
              result: secret("k3J-Rnd-Tf-92x!"),
              special: true,
            },
          },
        ],
      },
      {
        type: "tls_private_key",
        instances: [
          {
            attributes: {
              algorithm: ordinary("RSA"),
              private_key_pem: secret(
                `-----BEGIN RSA PRIVATE KEY-----\n${base64(48)}\n-----END RSA PRIVATE KEY-----\n`,
              ),
            },
          },
        ],
      },
    ],
  })),
  written("Backblaze, Cloudflare R2 and DigitalOcean keys", () => ({
    b2: {
      applicationKeyId: ordinary("0012ab34cd56ef70000000001"),
      applicationKey: secret(`K001${word(27)}`),
      keyName: ordinary("n8n"),
      capabilities: [ordinary("readFiles")],
      expirationTimestamp: null,
    },
    authorize: {
      accountId: ordinary("12f634bf3cbz"),
      authorizationToken: secret(`4_0022623512fc8f80000000001_0186e431_d18d02_acct_${word(28)}`),
      apiInfo: { storageApi: { downloadUrl: ordinary("https://f001.backblazeb2.com") } },
    },
    r2: {
      id: ordinary(hex(32)),
      accessKeyId: hex(32),
      secretAccessKey: secret(hex(64)),
      sessionToken: secret(base64(120)),
    },
  })),
  written("Databases and queues, by parts", () => ({
    pg: {
      host: ordinary("db.internal"),
      port: ordinary(5432),
      user: ordinary("n8n"),
      password: secret("pg-Pass-22"),
      sslkey: secret(`-----BEGIN PRIVATE KEY-----\n${base64(48)}\n-----END PRIVATE KEY-----`),
    },
    kafka: {
      "sasl.mechanism": ordinary("PLAIN"),
      "sasl.username": upper(16),
      "sasl.password": secret(base64(48)),
      "sasl.jaas.config": `org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="${secret("kfk-Pw-31")}";`,
    },
    redis: { requirepass: secret("rd-Pw-77"), masterauth: secret("rd-Ma-78") },
    mqtt: { broker: ordinary("mqtt.local"), passwd: secret("mq-Pw-79") },
  })),
  written("AWS KMS and Secrets Manager: a data key and a random password", () => ({
    GenerateDataKey: {
      CiphertextBlob: base64(120),
      Plaintext: secret(base64(32)),
      KeyId: ordinary("arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"),
    },
    GetRandomPassword: { RandomPassword: secret("aB3$xY9-kk") },
    iot: {
      certificateId: ordinary(hex(64)),
      keyPair: {
        PublicKey: "-----BEGIN PUBLIC KEY-----",
        PrivateKey: secret(`-----BEGIN RSA PRIVATE KEY-----\n${base64(48)}\n-----END RSA PRIVATE KEY-----`),
      },
    },
  })),
  written("Azure Key Vault and Entra", () => ({
    value: secret("kv-Secret-Val-81"),
    contentType: ordinary("password"),
    id: "https://acme.vault.azure.net/secrets/db/78deebed173b48e48f55abf87ed4cf71",
    attributes: {
      enabled: true,
      created: ordinary(1493938410),
      updated: 1493938410,
      recoveryLevel: ordinary("Recoverable"),
    },
  })),
  written("Elastic, MongoDB Atlas and Snowflake", () => ({
    elastic: {
      id: ordinary("VuaCfGcBCdbkQm-e5aOx"),
      name: ordinary("n8n"),
      api_key: secret(word(22)),
      encoded: secret(base64Of(`VuaCfGcBCdbkQm-e5aOx:${word(22)}`)),
      expiration: ordinary(1544068612110),
    },
    atlas: {
      publicKey: ordinary("zmmrboas"),
      privateKey: secret(uuid()),
      roles: [{ roleName: ordinary("GROUP_OWNER") }],
    },
    snowflake: {
      account: ordinary("xy12345.eu-central-1"),
      user: ordinary("N8N"),
      password: secret("Snow-9-Flake"),
      role: ordinary("LOADER"),
    },
  })),
  written("Airflow connection and dbt profile", () => ({
    conn_id: ordinary("pg_main"),
    conn_type: ordinary("postgres"),
    host: ordinary("10.0.0.8"),
    login: ordinary("etl"),
    password: secret("air-Pw-553"),
    extra: `{"sslmode": "require", "aws_secret_access_key": "${secret("xT9-aws-flow-771")}"}`,
    dbt: {
      target: ordinary("prod"),
      outputs: {
        prod: {
          type: ordinary("bigquery"),
          keyfile_json: {
            private_key: secret(`-----BEGIN PRIVATE KEY-----\n${base64(48)}\n-----END PRIVATE KEY-----`),
          },
        },
      },
    },
  })),
  written("RabbitMQ definitions and Kafka Connect", () => ({
    users: [
      {
        name: ordinary("guest"),
        password_hash: secret(base64(36)),
        hashing_algorithm: ordinary("rabbit_password_hashing_sha256"),
        tags: [ordinary("administrator")],
      },
    ],
    connect: {
      name: ordinary("jdbc-sink"),
      config: {
        "connector.class": ordinary("io.confluent.connect.jdbc.JdbcSinkConnector"),
        "connection.password": secret("kc-Pw-1177"),
        "basic.auth.user.info": secret("SRKEY77:sr-Sec-1199"),
        "tasks.max": ordinary("1"),
      },
    },
  })),
  written("Cloudflare tunnel, Tailscale, ngrok and ZeroTier", () => ({
    tunnel: {
      AccountTag: ordinary(hex(32)),
      TunnelSecret: secret(base64(32)),
      TunnelID: ordinary("7e3a0d0d-be61-4f26-b453-5f70810f96b6"),
    },
    tailscale: {
      key: secret(`tskey-auth-k${word(10)}-${word(30)}`),
      created: ordinary("2026-12-09T23:22:39Z"),
      capabilities: { devices: { create: { reusable: true } } },
    },
    ngrok: { authtoken: secret(`2${word(30)}_${word(20)}`), region: ordinary("eu") },
  })),
  written("GCP metadata and IAM", () => ({
    token: {
      access_token: secret(`ya29.${base64url(120)}`),
      expires_in: ordinary(3599),
      token_type: ordinary("Bearer"),
    },
    sign: {
      keyId: ordinary(hex(40)),
      signedJwt: secret(`eyJhbGciOiJSUzI1NiJ9.${base64url(90)}.${base64url(340)}`),
    },
    kms: {
      name: ordinary("projects/p/locations/eu/keyRings/r/cryptoKeys/k"),
      primary: { state: ordinary("ENABLED"), createTime: ordinary("2026-01-01T00:00:00Z") },
    },
    version: {
      name: ordinary("projects/1/secrets/db/versions/3"),
      payload: { data: secret(base64(18)), dataCrc32c: ordinary("3131077782") },
    },
  })),
];
