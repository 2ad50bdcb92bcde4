/** Models, and services around them. */
export const ai = `
OpenAI | ^sk-{v:20}T3BlbkFJ{v:20+} | platform.openai.com
OpenAI and those who follow it | ^sk-{w:20+}  ^sk-{w:2-10}-{v:20+} | platform.openai.com
OpenAI session | ^sess-{w:40} | platform.openai.com
Anthropic | sk-ant-{v:20+} | docs.anthropic.com
OpenRouter | sk-or-v1-{h:40+} | openrouter.ai
Helicone | {sk-helicone-|pk-helicone-}{v:20+} | docs.helicone.ai
Langfuse | {sk-lf-|pk-lf-}{uuid} | langfuse.com
DigitalOcean GenAI | sk-do-{v:40+} | docs.digitalocean.com
LiteLLM | ^sk-{v:22} | docs.litellm.ai
Groq | gsk_{w:40+} | console.groq.com
Replicate | r8_{v:30+} | replicate.com
Perplexity | pplx-{w:40+} | docs.perplexity.ai
xAI | xai-{x:60+} | docs.x.ai
Hugging Face | ^hf_{w:30+}  api_org_{w:30+} | huggingface.co
Pinecone | pcsk_{x:40+} | docs.pinecone.io
LangSmith | lsv2_{pt|sk}_{h:32}_{h:10}  ls__{h:32} | docs.smith.langchain.com
LlamaCloud | llx-{v:40+} | docs.cloud.llamaindex.ai
NVIDIA | nvapi-{v:40+} | build.nvidia.com
Cerebras | ^csk-{w:40+} | inference-docs.cerebras.ai
Tavily | tvly-{v:20+} | docs.tavily.com
Firecrawl | ^fc-{h:32} | docs.firecrawl.dev
Apify | {apify_api_|apify_proxy_}{v:30+} | docs.apify.com
E2B | e2b_{h:40+} | e2b.dev
Jina | jina_{w:50+} | jina.ai
Fireworks | ^fw_{w:22-24}  fpk_{w:30+} | docs.fireworks.ai
Together | tgp_v{d:1}_{v:40+} | docs.together.ai
Together | ^key_{w:25+} | docs.together.ai | together
Voyage | pa-{v:43} | docs.voyageai.com
Modal | ^{ak-|as-}{w:22} | modal.com
Modal | ^wk-{w:22} | modal.com | modal
RunPod | rpa_{u:30+} | docs.runpod.io
Lambda Cloud | secret_{w:3-40}_{h:32}.{w:32} | docs.lambda.ai
Volcengine | ^AKLT{w:30+} | volcengine.com
Weights and Biases | wandb_v{d:1}_{x:30+}  local-{h:40} | docs.wandb.ai
Braintrust | bt-st-{w:40+} | braintrust.dev
Arize | ak-{uuid}-{v:32} | arize.com
Mem0 | m0-{w:40} | docs.mem0.ai
Zep | z_{v:20+}.{v:20+}.{v:20+} | help.getzep.com
Composio | ak_{v:20} | docs.composio.dev | composio
Cartesia | sk_car_{v:20+} | docs.cartesia.ai
Retell | key_{h:28} | docs.retellai.com
HeyGen | sk_V2_hgu_{v:20+} | docs.heygen.com
Luma | luma-{uuid}-{v:20+} | docs.lumalabs.ai
Roboflow | rf_{w:20+} | docs.roboflow.com
Browserbase | bb_live_{v:20+} | docs.browserbase.com
Bannerbear | {bb_pr_|bb_ma_}{h:30} | developers.bannerbear.com
Scrapfly | scp-{live|test}-{l:32} | scrapfly.io
Stytch | secret-{live|test}-{v:20+}{pad} | stytch.com
ScrapeGraph | sgai-{uuid} | docs.scrapegraphai.com
Dify | ^{app|dataset}-{w:24} | docs.dify.ai
Voiceflow | VF.{H:24}.{w:16}  VF.{DM|WS}.{H:24}.{w:16} | docs.voiceflow.com
Botpress | bp_{pat|bak}_{w:30+} | botpress.com
Brave Search | BSA{v:26-30} | api.search.brave.com
You.com | ydc-sk-{B:20+} | documentation.you.com
Mapbox | ^{sk.|tk.}{B:32-240}.{B:20+}  ^pk.eyJ{v:20-240}.{v:20+} | docs.mapbox.com
Mapbox | ^{pk|sk|tk}.{y:32-128}.{y:20-30} | docs.mapbox.com | mapbox
LocationIQ | ^pk.{y:32} | docs.locationiq.com
Daytona | dtn_{h:40+} | daytona.io
Chroma Cloud | ^ck-{w:40+} | docs.trychroma.com
`;
