/** The arguments of `npm run doctor`. Pure. */
import { flag, readArguments, WrongArguments } from "../command-line/arguments.ts";

export const DOCTOR_USAGE = `Looks at a running or deployed server from outside, as apps see it, and says how to fix each problem.

  npm run doctor                             the server that runs on this machine
  npm run doctor -- <address>                this one: https://n8n-observer.example.workers.dev
  npm run doctor -- <address> --token-from-env
                                             n8n and the index, too

  --token-from-env     a service token is in the environment variable N8N_OBSERVER_TOKEN
  --json               one line of JSON for each check
  --help               this text

It sends the server nothing but what an app sends, and registers an app that nobody uses, which the server forgets.
Exit code: 0 all is well, 1 something is not, 2 wrong arguments.`;

const FORM = { allowPositionals: true, options: { "token-from-env": flag, json: flag } } as const;
const UNKNOWN = "One of the arguments is not known here. A token is no argument.";

/** Without an address, the origin is undefined, which means the server on this machine. */
export const readDoctorArguments = (args: readonly string[]) =>
  readArguments(
    args,
    FORM,
    ({ values, positionals: [address, ...more] }) => {
      if (more.length > 0) throw new WrongArguments("Give only one address.");
      const origin = address === undefined ? undefined : originOf(address);
      return { origin, usesToken: values["token-from-env"] === true, json: values.json === true };
    },
    UNKNOWN,
  );

/** Drops everything after the host, such as /mcp. */
function originOf(address: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "") return url.origin;
  throw new WrongArguments("That is not an address. Give it as https://n8n-observer.example.workers.dev.");
}
