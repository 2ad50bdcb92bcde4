/** Payments: see written-document.ts. */
import { base64, base64url, hex, ordinary, secret, uuid, word, written } from "./written-document.ts";

export const PAYMENTS = [
  written("Square: charge with a card entered by hand", () => ({
    idempotency_key: ordinary("7b0f3ec5-086a-4871-8f13-3c81b3875218"),
    amount_money: { amount: 1000, currency: ordinary("USD") },
    card: {
      cardholder_name: "Amelia Earhart",
      exp_month: 11,
      exp_year: ordinary(2028),
      number: secret("4532759734545858"),
      cvv: secret("7731"),
    },
  })),
  written("PayPal: payment source", () => ({
    intent: ordinary("CAPTURE"),
    purchase_units: [
      {
        reference_id: ordinary("d9f80740-38f0-11e8-b467-0ed5f89f718b"),
        amount: { currency_code: "USD", value: ordinary("100.00") },
      },
    ],
    payment_source: {
      card: {
        number: secret("4111111111111111"),
        expiry: ordinary("2029-12"),
        security_code: secret("6482"),
        name: "John Doe",
      },
    },
  })),
  written("Stripe: customer with a bank account, as a form", () => ({
    body: `source[object]=bank_account&source[country]=${ordinary("US")}&source[currency]=usd&source[account_holder_name]=Jenny+Rosen&source[routing_number]=110000000&source[account_number]=${secret("000999999991")}`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "idempotency-key": ordinary("KG5LxwFBepaKHyUD"),
    },
  })),
  written("Stripe: payment intent and ephemeral key", () => ({
    intent: {
      id: ordinary("pi_3MtwBwLkdIwHu7ix28a3tqPa"),
      client_secret: `pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_${secret(word(25))}`,
      latest_charge: ordinary("ch_3MtwBwLkdIwHu7ix"),
      payment_method_types: ["card"],
    },
    customerSession: { client_secret: secret(`cuss_secret_${word(60)}`), expires_at: ordinary(1790001800) },
  })),
  written("Adyen: bank transfer and stored card", () => ({
    bank: {
      bankAccount: {
        bankAccountNumber: secret("4417881622"),
        bankLocationId: "121202211",
        countryCode: ordinary("US"),
        ownerName: "T. Green",
      },
    },
    paymentMethod: {
      type: ordinary("scheme"),
      encryptedCardNumber: `adyenjs_0_1_25$${base64(60)}`,
      encryptedSecurityCode: secret(`adyenjs_0_1_25$${base64(50)}`),
      storedPaymentMethodId: ordinary("8415736344864224"),
    },
    hmacSignature: secret(base64(32)),
  })),
  written("Braintree: credit card from the vault, XML", () => ({
    body: `<customer><first-name>${ordinary("Jen")}</first-name><credit-card><number>${secret("4009348888881881")}</number><cvv>${secret("4417")}</cvv><expiration-date>${ordinary("05/2029")}</expiration-date></credit-card></customer>`,
  })),
  written("Plaid: auth numbers and link token", () => ({
    link_token: secret(`link-sandbox-${uuid()}`),
    expiration: ordinary("2026-03-27T12:56:34Z"),
    numbers: {
      ach: [
        {
          account: secret("1111222233330000"),
          account_id: ordinary("vzeNDwK7KQIm4yEog683uElbp9GRLEFXGK98D"),
          routing: "011401533",
          wire_routing: "021000021",
        },
      ],
      bacs: [{ account: secret("31926819"), sort_code: "601613" }],
    },
    public_token: secret(`public-sandbox-${uuid()}`),
  })),
  written("Wise and Mollie: recipient details", () => ({
    recipient: {
      currency: ordinary("USD"),
      type: ordinary("aba"),
      accountHolderName: "Ann Johnson",
      details: {
        legalType: ordinary("PRIVATE"),
        abartn: "111000025",
        accountNumber: secret("12345678"),
        accountType: ordinary("CHECKING"),
      },
    },
    mollie: {
      method: ordinary("directdebit"),
      details: {
        consumerName: "J. Doe",
        consumerAccount: secret("NL55INGB0000000000"),
        consumerBic: ordinary("INGBNL2A"),
      },
    },
  })),
  written("Authorize.Net: createTransactionRequest", () => ({
    createTransactionRequest: {
      merchantAuthentication: { name: "5KP3u95bQpv", transactionKey: secret(`346HZ32z3fP4hTG${word(3)}`) },
      refId: ordinary("123456"),
      transactionRequest: {
        transactionType: ordinary("authCaptureTransaction"),
        amount: ordinary("5.00"),
        payment: {
          creditCard: {
            cardNumber: secret("5424000000000015"),
            expirationDate: ordinary("2029-12"),
            cardCode: secret("9193"),
          },
        },
      },
    },
  })),
  written("Shop's own order form, percent-encoded", () => ({
    body: `order%5Bid%5D=${ordinary("88123")}&payment%5Bcredit_card%5D%5Bnumber%5D=${secret("371449635398431")}&payment%5Bcredit_card%5D%5Bverification_value%5D=${secret("7373")}&customer%5Bpassword%5D=${secret("Sea-Shell-19")}&customer%5Bemail%5D=ada%40example.com`,
  })),
  written("Orders as CSV with cards", () => ({
    data: `order,customer,card_number,cvv,amount\n${ordinary("10071")},Ada,${secret("5555341244441115")},${secret("8121")},${ordinary("59.90")}\n10072,Grace,${secret("6011000990139424")},${secret("5502")},12.00\n`,
  })),
  written("Klarna, Razorpay and PayU sessions", () => ({
    klarna: {
      session_id: ordinary("068df369-13a7-4d47-a564-62f8408bb760"),
      client_token: secret(`eyJhbGciOiJSUzI1NiJ9.${base64url(80)}.${base64url(86)}`),
    },
    razorpay: {
      razorpay_order_id: ordinary("order_9A33XWu170gUtm"),
      razorpay_payment_id: ordinary("pay_29QQoUBi66xm2f"),
      razorpay_signature: secret(hex(64)),
    },
    payu: { key: ordinary("JP***g"), hash: hex(128), txnid: ordinary("ewP8oRopzdHEtC") },
  })),
  written("Docs signing, banking and telephony", () => ({
    docusign: {
      recipientId: ordinary("1"),
      accessCode: secret("Sign-4471"),
      idCheckConfigurationName: ordinary("SMS Auth"),
    },
    ebics: { hostId: ordinary("HOSTID"), userId: ordinary("USER1"), passphrase: secret("eb-Pass-91") },
    sip: { username: ordinary("1001"), secret: secret("sip-Sec-771"), voicemail_pin: secret("48213") },
    sim: { iccid: ordinary("8988303000000614227"), pin1: secret("7391"), puk1: secret("12847391") },
  })),
  written("Xero, HubSpot and QuickBooks: exchange of tokens", () => ({
    xero: {
      id_token: secret(`eyJhbGciOiJSUzI1NiJ9.${base64url(80)}.${base64url(86)}`),
      expires_in: ordinary(1800),
      scope: ordinary("openid offline_access"),
    },
    hubspot: {
      refresh_token: secret(uuid()),
      hub_id: ordinary(62515),
      app_id: ordinary(456),
      user: ordinary("ada@example.com"),
    },
    quickbooks: {
      x_refresh_token_expires_in: ordinary(8726400),
      refresh_token: secret(`AB11${word(46)}`),
      realmId: ordinary("9130357849217366"),
    },
  })),
  written("Lightning invoices and wallets", () => ({
    invoice: {
      payment_hash: ordinary(hex(64)),
      r_preimage: secret(hex(64)),
      value: ordinary("1000"),
      settled: true,
    },
    macaroon: secret(hex(200)),
    wallet: {
      xpriv: secret(`xprv9s21ZrQH143K${word(95)}`),
      wif: secret(`5H${word(49)}`),
      seed_words: secret("legal winner thank year wave sausage worth useful legal winner thank yellow"),
      balance: ordinary("0.0421"),
    },
  })),
  written("WooCommerce and Shopify app credentials", () => ({
    woo: {
      key_id: ordinary(1),
      user_id: ordinary(1),
      consumer_key: secret(`ck_${hex(40)}`),
      consumer_secret: secret(`cs_${hex(40)}`),
      key_permissions: ordinary("read_write"),
    },
    shopify: {
      api_version: ordinary("2026-01"),
      shared_secret: secret(hex(32)),
      storefront_access_token: secret(hex(32)),
      shop: ordinary("acme.myshopify.com"),
    },
  })),
  written("Bank details in many lands", () => ({
    us: {
      routing_number: "021000021",
      account_number: secret("9876543210"),
      account_type: ordinary("checking"),
    },
    uk: { sortCode: "20-00-00", accountNumber: secret("55779911") },
    au: { bsb: "062-000", account_number: secret("12345678") },
    in: { ifsc: ordinary("HDFC0000001"), account_number: secret("50100123456789") },
    mx: { clabe: secret("032180000118359719"), bank: ordinary("IXE") },
    de: { iban: secret("DE89370400440532013000"), bic: ordinary("COBADEFFXXX") },
    crm: { account_number: ordinary("100234"), account_manager: ordinary("Grace") },
  })),
  written("Cards in other words", () => ({
    tarjeta: { numero: secret("4539148803436467"), cvv: secret("8814"), caducidad: ordinary("09/29") },
    carte: { numero_carte: secret("5105105105105100"), cryptogramme: secret("7719") },
    kreditkarte: { kartennummer: secret("378282246310005"), pruefziffer: secret("8821") },
    pan: secret("6011111111111117"),
    track2: secret("4539148803436467=29092011000012300000"),
    token: { last4: ordinary("6467"), brand: ordinary("visa") },
  })),
  written("Card in SOAP, with its account", () => ({
    data: `<soap:Body><Pay><Card><Number>${secret("4916338506082832")}</Number><SecurityCode>${secret("9041")}</SecurityCode><Expiry>${ordinary("2029-08")}</Expiry></Card><BankAccount><RoutingNumber>110000000</RoutingNumber><AccountNumber>${secret("000123400099")}</AccountNumber></BankAccount><OrderId>${ordinary("77120045")}</OrderId></Pay></soap:Body>`,
  })),
];
