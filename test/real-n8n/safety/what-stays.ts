/**
 * Values that are not secret stay: nodes named like secrets keep their runs, output and connections;
 * account numbers keep their last four digits, and other numbers stay complete.
 */
import * as z from "zod";
import { same } from "../trace-checks.ts";
import { cardNumber, iban, socialSecurityNumber } from "./account-numbers.ts";
import {
  ask,
  createSecrets,
  demand,
  demandHidden,
  demandShown,
  post,
  type SafetyLane,
  showExecution,
  showPosted,
} from "./lane.ts";
import { safetyPaths, tellingNodes } from "./seed.ts";

const run = z.looseObject({
  status: z.string(),
  source: z.array(z.looseObject({ previousNode: z.string() })),
  data: z.looseObject({
    main: z.array(z.looseObject({ items: z.array(z.looseObject({ json: z.unknown() })) })),
  }),
});
const details = z.looseObject({
  data: z.looseObject({
    resultData: z.looseObject({ runData: z.record(z.string(), z.array(run).length(1)) }),
  }),
});

/** Nodes called "Get access token" and "Check password". */
export async function checkTellingNodes(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(106);
  const items = [0, 1, 2].map((index) => ({ index, near: `near-${random.word(8)}` }));
  const nears = items.map(({ near }) => near);
  const secret = random.word(14);
  const [id] = await post(lane, safetyPaths.token, { items: [...items, { index: 3, access_token: secret }] });
  const nodes = Object.values(tellingNodes);
  const answers = await showExecution(lane, id, { nodes, sought: "near-", startedAfter });
  demandHidden(answers, [{ name: "a key in the node's output", secret }]);
  demandShown(answers, `get_execution_by_node ${tellingNodes.token}`, nears);
  demandShown(answers, "search_executions", nears);
  const { runData } = details.parse(answers.get("get_execution_details")?.envelope.data).data.resultData;
  same("nodes with runs", Object.keys(runData).sort(), ["Webhook", ...nodes].sort());
  const [ofToken, ofPassword] = [runData[tellingNodes.token]?.[0], runData[tellingNodes.password]?.[0]];
  const shown = ofToken?.data.main[0]?.items.slice(0, items.length).map(({ json }) => json);
  same("output of the node", shown, items);
  same("status of the node", ofToken?.status, "success");
  same("where the next one had its input from", ofPassword?.source[0]?.previousNode, tellingNodes.token);
  const summary = answers.get("get_execution")?.text ?? "";
  for (const name of nodes) demand(summary.includes(`"${name}"`), `the summary names ${name}`, summary);
  await demandConnections(lane);
  return nodes.join(", ");
}

const gitAnswer = z.looseObject({ text: z.string() });
const exported = z.looseObject({ connections: z.record(z.string(), z.unknown()) });

async function demandConnections({ read, workflows }: SafetyLane): Promise<void> {
  const args = { workflowId: workflows.token, format: "git" };
  const { text } = gitAnswer.parse((await ask(read, "get_workflow", args)).envelope.data);
  same("connections", exported.parse(JSON.parse(text)).connections, {
    Webhook: { main: [[{ node: tellingNodes.token, type: "main", index: 0 }]] },
    [tellingNodes.token]: { main: [[{ node: tellingNodes.password, type: "main", index: 0 }]] },
  });
}

/** Under keys that mark them, as numbers and texts, and within texts. */
export async function checkAccountNumbers(lane: SafetyLane, startedAfter: string): Promise<string> {
  const random = createSecrets(107);
  const cards = [0, 1, 2, 3].map(() => cardNumber(random));
  const [asNumber = "", asText = "", inGroups = "", inProse = ""] = cards;
  const ibans = [iban(random), iban(random)];
  const ssns = [0, 1, 2].map(() => socialSecurityNumber(random));
  const groups = (text: string): string => text.replace(/.{4}(?=.)/g, "$& ");
  const order = "1234567812345678";
  const body = {
    near: `near-${random.word(8)}`,
    payment: { cardNumber: Number(asNumber), other: { card_number: asText }, card: groups(inGroups) },
    note: `Paid by card ${inProse}, thank you.`,
    account: { iban: ibans[0], again: { IBAN: groups(ibans[1] ?? "") } },
    person: { ssn: ssns[0], social_security_number: Number(ssns[1]?.replaceAll("-", "")) },
    remark: `His SSN is ${ssns[2]}.`,
    orders: { orderNumber: order, count: 4_242 },
  };
  const answers = await showPosted(lane, body, startedAfter);
  const all = [...cards, ...ibans, ...ssns];
  const digits = (text: string): string => text.replaceAll(/[ -]/g, "");
  demandHidden(
    answers,
    all
      .flatMap((number) => [number, digits(number), groups(number)])
      .map((secret) => ({ name: secret, secret: secret.slice(0, -4) })),
  );
  const lastFour = all.map((number) => `…${number.slice(-4)}`);
  for (const tool of ["get_execution_details", "get_execution_by_node Webhook"])
    demandShown(answers, tool, [body.near, order, "4242", "Paid by card ", ", thank you.", ...lastFour]);
  return `${cards.length} cards, ${ibans.length} IBANs, ${ssns.length} social security numbers`;
}
