/** `npm run tools eval`: an agent answers the questions of eval/ with a server, and its answers are judged. */
import { createInterface } from "node:readline";
import { chooseModel, playByModel } from "../../eval/agent.ts";
import type { Arm } from "../../eval/arms/arm.ts";
import { ARMS, type ArmOptions, startArm } from "../../eval/arms/index.ts";
import { judgeRuns, report } from "../../eval/figures.ts";
import { playByHand } from "../../eval/play.ts";
import { type Question, readQuestions } from "../../eval/question.ts";
import { readTranscripts, type Transcript, writeTranscript } from "../../eval/transcript.ts";
import {
  flag,
  requireOneAtMost,
  requireWebAddress,
  text,
  toPort,
  toWholeNumber,
  WrongArguments,
} from "../command-line/arguments.ts";
import { runScript } from "../command-line/command.ts";

const USAGE = `Asks an agent what operators ask, with a server in front of a recorded n8n, and judges its answers.

  npm run tools eval -- --model openai:<model> [options]
  npm run tools eval -- --play --save <directory>
  npm run tools eval -- --transcripts <directory>

  --model <provider:model>  openai or anthropic, with your key in OPENAI_API_KEY or ANTHROPIC_API_KEY
  --base-url <url>          an endpoint that speaks as the provider does
  --play                    you play the agent: tool calls on stdin
  --transcripts <path>      judges what was saved before
  --arm <name>              ${ARMS.join(", ")}; this-server by default
  --url <url>               of the MCP server, for --arm mcp; its token in EVAL_MCP_TOKEN
  --n8n-port <port>         where the recorded n8n listens, for servers that are set up by hand
  --runs <number>           how often each question is asked; 3 gives pass^3
  --only <part>             only questions whose id contains this
  --save <directory>        writes a transcript of each run`;

const options = {
  model: text,
  "base-url": text,
  play: flag,
  transcripts: text,
  arm: text,
  url: text,
  "n8n-port": text,
  runs: text,
  only: text,
  save: text,
};

type Play = (question: Question, arm: Arm) => Promise<Transcript | undefined>;

async function perform(
  questions: readonly Question[],
  armOptions: ArmOptions,
  { play, runs, save }: { readonly play: Play; readonly runs: number; readonly save: string | undefined },
): Promise<Transcript[]> {
  await using arm = await startArm(armOptions);
  const played: Transcript[] = [];
  for (const question of questions) {
    for (let run = 1; run <= runs; run += 1) {
      const transcript = await play(question, arm);
      if (transcript === undefined) continue;
      played.push(transcript);
      if (save !== undefined) await writeTranscript(save, run, transcript);
    }
  }
  return played;
}

function toArm(name: string): ArmOptions["arm"] {
  const arm = ARMS.find((each) => each === name);
  if (arm === undefined) throw new WrongArguments(`--arm takes ${ARMS.join(", ")}.`);
  return arm;
}

const printAddress: ArmOptions["onN8n"] = async ({ baseUrl, apiKey }) =>
  console.error(`The recorded n8n listens at ${baseUrl}, with the API key ${apiKey}.`);

await runScript(USAGE, { options }, async ({ values }) => {
  requireOneAtMost(["model", "play", "transcripts"], values);
  requireWebAddress(values.url);
  const arm = toArm(values.arm ?? "this-server");
  if ((arm === "mcp") !== (values.url !== undefined))
    throw new WrongArguments("--arm mcp and --url go together.");
  const all = await readQuestions();
  const questions = all.filter(({ id }) => id.includes(values.only ?? ""));
  using reader = values.play ? createInterface({ input: process.stdin }) : undefined;
  const lines = reader?.[Symbol.asyncIterator]();
  const toPlay = (): Play => {
    if (lines !== undefined)
      return async (question, given) => await playByHand(question, given, lines, console.log);
    const name = values.model;
    if (name === undefined) throw new WrongArguments("Give --model, --play or --transcripts.");
    const { "base-url": baseUrl } = values;
    const model = chooseModel({ model: name, baseUrl, environment: process.env });
    return async (question, given) => await playByModel(question, given, { model, name });
  };
  const { "n8n-port": n8nPort } = values;
  const played =
    values.transcripts === undefined
      ? await perform(
          questions,
          {
            arm,
            url: values.url,
            token: process.env.EVAL_MCP_TOKEN || undefined,
            n8nPort: n8nPort === undefined ? undefined : toPort(n8nPort),
            onN8n: printAddress,
          },
          { play: toPlay(), runs: toWholeNumber(values.runs ?? "1", "--runs", 1), save: values.save },
        )
      : await readTranscripts(values.transcripts);
  for (const line of report(judgeRuns(questions, played))) console.log(line);
});
