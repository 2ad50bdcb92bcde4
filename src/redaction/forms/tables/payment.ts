/** Payment, banking, trade, shipping. */
export const payment = `
Stripe | {sk_|rk_|sys_}{live|test|prod}_{w:10+} | docs.stripe.com
Stripe webhook | whsec_{B:20+} | docs.stripe.com
Stripe client secret | pi_{w:10-100}_secret_{w:10+}  ^seti_{w:10-100}_secret_{w:10+}  ^cs_{live|test}_{w:10-300}_secret_{w:10+} | docs.stripe.com
Stripe client secret | ^{cs|src|as|ba|cuss}_{w:10-100}_secret_{w:10+} | docs.stripe.com
Stripe ephemeral key | ek_{live|test}_{w:20+} | docs.stripe.com
Stripe sources of other keys | sk_org_{live|test}_{w:20+} | docs.stripe.com
Recharge | ^{sk_|sk_test_}{d:1-2}x{d:1}_{H:64} | rules
Paystack | sk_{live|test}_{w:40+} | paystack.com
Checkout.com | ^{sk_|sk_test_}{uuid}  ^sk_sbox_{l:20+} | checkout.com
Tickettailor | ^sk_{d:3-5}_{d:4-8}_{h:32} | developers.tickettailor.com
Apideck | sk_live_{v:60+} | rules
PayMongo | sk_{live|test}_{w:20+} | developers.paymongo.com
Clerk | sk_{live|test}_{w:40+} | clerk.com
Photoroom | ^sk_pr_{x:20+}  sandbox_sk_pr_{x:20+} | rules
ElevenLabs | ^sk_{h:48} | elevenlabs.io
Freemius | ^sk_{p:29} | freemius.com | secret_key
IEX | ^sk_{h:32} | rules
Baremetrics | ^{sk|lk}_{w:18-25} | rules | baremetrics
PayPal Braintree | {access_token$production$|access_token$sandbox$}{l:10+}\${h:20+} | developer.paypal.com
PayPal | A21AA{v:80+} | developer.paypal.com
PayPal | ^{A|E}{v:79} | developer.paypal.com | paypal
Square | {sq0atp-|sq0csp-}{v:20+}  sq0{a:3}-{v:22+}  ^EAAA{v:56-64} | developer.squareup.com
Square sandbox | sandbox-sq0{a:3}-{v:22+} | developer.squareup.com
Adyen | ^AQE{b:40+}{pad}-{B:20+} | docs.adyen.com
Mollie | ^{live_|test_|access_}{w:30} | docs.mollie.com
GoCardless | ^{live_|sandbox_}{e:40+} | developer.gocardless.com
Lob | ^{live_|test_}{h:35}  ^{live_|test_}pub_{h:31} | docs.lob.com
Column | ^{live_|test_}{w:27} | column.com
Pagar.me | {ak_|ek_}{live|test}_{w:30} | docs.pagar.me
Razorpay | {rzp_live_|rzp_test_}{w:14+} | razorpay.com
Flutterwave | {FLWSECK_TEST-|FLWSECK-}{w:12+} | developer.flutterwave.com
Plaid | {access-|public-|link-}{sandbox|development|production}-{uuid} | plaid.com
Ramp | {ramp_sec_|ramp_tok_}{w:40+} | docs.ramp.com
Ramp | ramp_id_{w:40} | rules
Brex | bxt_{w:30+} | developer.brex.com
Mercury | secret-token:»mercury_{v:30+} | docs.mercury.com
Chargebee | ^{live_|test_}cd{w:30+}  ^{live_|test_}cu{w:30+} | apidocs.chargebee.com
Paddle | pdl_{live|sdbx}_{x:30+}  apikey_{l:26}_{w:20+} | developer.paddle.com
Paddle webhook | pdl_ntfset_{x:30+} | developer.paddle.com
Polar | polar_{oat|pat|cit|cst|at_u|at_o|rt|whs|sec}_{w:30+} | docs.polar.sh
Conekta | ^key_{w:22} | developers.conekta.com | conekta
Midtrans | ^{SB-Mid|Mid}-server-{v:20+} | docs.midtrans.com
Xendit | xnd_{development|production}_{w:30+} | docs.xendit.co
Omise | skey_{w:15+} | docs.omise.co
Mercado Pago | {APP_USR-|TEST-}{d:8+}-{d:4+}-{h:32}-{d:5+} | mercadopago.com
SumUp | sup_sk_{w:20+}  ^cc_{classic|sk_classic}_{w:20+} | developer.sumup.com
EasyPost | {EZAK|EZTK}{w:54+} | docs.easypost.com
Shippo | {shippo_live_|shippo_test_}{H:40+} | docs.goshippo.com
Flexport | shltm_{v:40+} | rules
Fleetbase | flb_live_{w:20+} | rules
Duffel | duffel_{live|test}_{e:40+} | duffel.com
Coinbase | ^organizations/{uuid}/apiKeys/{uuid} | docs.cdp.coinbase.com
Alchemy | alcht_{w:30+} | alchemy.com
Gemini exchange | ^{master|account}-{w:20} | docs.gemini.com | gemini
Robinhood | rh-api-{uuid} | rules
eBay | ^{PRD|SBX}-{h:12}-{h:4}-{h:4}-{h:4}-{h:4} | rules
OneChronos | {cgxap_|cgxea_|cgxee_|cgxoa_|cgxre_}{w:40+} | rules
Shopify | shp{at|ca|pa|ss|ua}_{w:30+}  {shptka_|shprt_|atkn_|ptkn_|ztkn_|prtapi_|shpmkt_}{v:30+} | shopify.dev
WooCommerce | {ck_|cs_}{h:40} | woocommerce.github.io
Snipcart | ^ST_{B:40+} | docs.snipcart.com
Commerce.js | ^sk_{x:20-40} | rules | commercejs
Finage | ^API_KEY{u:32} | finage.co.uk
`;
