/** Reads the arguments of `npm run test:n8n -- --url`. Pure. */
import {
  flag,
  requireOneAtMost,
  requireWebAddress,
  text,
  toPort,
  WrongArguments,
} from "../../../scripts/command-line/arguments.ts";
import type { Owner } from "../owner.ts";

/** An n8n that somebody runs elsewhere. */
export interface GivenAddress {
  /** The editor's URL without a trailing slash. */
  readonly url: string;
  /** Whether it may have other workflows. */
  readonly amongOthers: boolean;
  /** The URL at which that n8n reaches the test service of this machine; by default on loopback. */
  readonly serviceUrl?: string;
  /** The port of the test service. */
  readonly servicePort?: number;
}

export const GIVEN_OPTIONS = {
  url: text,
  "among-others": flag,
  "service-url": text,
  "service-port": text,
} as const;

export const GIVEN_USAGE = `Asks an n8n that runs already, in place of one that is installed. Signs in as its owner, with the
environment variables N8N_OWNER_EMAIL and N8N_OWNER_PASSWORD, makes workflows and keys that begin with
"n8n-observer test: ", and takes them away again:

  --url <address>          as you open that n8n, such as http://localhost:5678
  --among-others           also if it has workflows of others
  --service-url <address>  where that n8n reaches the test service of this machine, if it runs in a container or
                           elsewhere, such as http://host.docker.internal:8899
  --service-port <port>    where the service listens; without it, at the port of --service-url`;

const NEED_URL = ["among-others", "service-url", "service-port"] as const;

interface Typed {
  readonly url?: string | undefined;
  readonly "among-others"?: boolean | undefined;
  readonly "service-url"?: string | undefined;
  readonly "service-port"?: string | undefined;
  readonly write?: boolean | undefined;
  readonly install?: boolean | undefined;
  readonly only?: readonly string[] | undefined;
}

/** @returns undefined without `--url` @throws WrongArguments */
export function readGivenAddress(typed: Typed): GivenAddress | undefined {
  const { url, "service-url": serviceUrl } = typed;
  if (url === undefined) {
    const alone = NEED_URL.find((name) => typed[name] !== undefined);
    if (alone !== undefined) throw new WrongArguments(`--${alone} needs --url.`);
    return undefined;
  }
  for (const other of ["write", "install", "only"]) requireOneAtMost(["url", other], { ...typed });
  requireWebAddress(url);
  if (serviceUrl !== undefined && !/^https?:$/.test(URL.parse(serviceUrl)?.protocol ?? ""))
    throw new WrongArguments("--service-url takes an http or https address.");
  const port = typed["service-port"] ?? portOf(serviceUrl);
  return {
    url: withoutSlash(url),
    amongOthers: typed["among-others"] ?? false,
    ...(serviceUrl === undefined ? {} : { serviceUrl: withoutSlash(serviceUrl) }),
    ...(port === undefined ? {} : { servicePort: toPort(port) }),
  };
}

/** A tunnel's address has no port, and the service cannot listen on that of https. */
function portOf(serviceUrl: string | undefined): string | undefined {
  if (serviceUrl === undefined) return undefined;
  const { port } = new URL(serviceUrl);
  if (port !== "") return port;
  throw new WrongArguments("--service-url without a port needs --service-port.");
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** @throws WrongArguments when one of both is missing */
export function readOwner(environment: NodeJS.ProcessEnv): Owner {
  const { N8N_OWNER_EMAIL: email = "", N8N_OWNER_PASSWORD: password = "" } = environment;
  if (email !== "" && password !== "") return { email, password };
  throw new WrongArguments(
    "--url needs the owner of that n8n in the environment variables N8N_OWNER_EMAIL and N8N_OWNER_PASSWORD.",
  );
}
