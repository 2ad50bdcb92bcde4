/** Checks a server from outside, as apps see it: from its name to a tool's answer. Stops when further checks are useless. */
import { isLoopbackHost } from "../../src/settings/index.ts";
import { checkCertificate, checkName, checkPort } from "./connection.ts";
import { type Finding, fail, isFailure, type Patient } from "./finding.ts";
import { checkFrontDoor } from "./front-door.ts";
import {
  checkChallenge,
  checkRegistration,
  checkResourceMetadata,
  checkServerMetadata,
} from "./sign-in-chain.ts";
import { checkToolCall } from "./tool-call.ts";

/** All checks, in order. Registers an unused app, which the server deletes by itself. */
export async function diagnose(patient: Patient): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const { protocol, hostname } = new URL(patient.origin);
  if (protocol === "http:" && !isLoopbackHost(hostname)) {
    return [
      fail(
        "address",
        "Plain http is not encrypted: apps refuse it, and so does the server.",
        "Use the https address. Only on this machine (localhost) is http right.",
      ),
    ];
  }
  for (const look of [checkName, checkPort, checkCertificate]) {
    const finding = await look(patient);
    findings.push(finding);
    if (isFailure(finding)) return findings;
  }
  const door = await checkFrontDoor(patient);
  findings.push(...door.findings);
  if (!door.isOurs) return findings;
  findings.push(await checkResourceMetadata(patient));
  const server = await checkServerMetadata(patient);
  findings.push(server.finding, await checkRegistration(patient, server.registration));
  findings.push(await checkChallenge(patient));
  findings.push(...(await checkToolCall(patient)));
  return findings;
}

/** Whether it has its settings and answers under its own address. */
export async function isSetUp(patient: Patient): Promise<boolean> {
  const { findings, isOurs } = await checkFrontDoor(patient).catch(() => ({ findings: [], isOurs: false }));
  if (!isOurs || findings.some(isFailure)) return false;
  return !isFailure(await checkResourceMetadata(patient));
}
