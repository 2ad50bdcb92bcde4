/** The package has no types. These are the parts that the tests use. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface ProviderContext {
    readonly oidc: {
      readonly provider: Provider;
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly params: { readonly [name: string]: string | undefined };
    };
  }

  export interface Account {
    readonly accountId: string;
    claims(): Readonly<Record<string, unknown>> & { readonly sub: string };
  }

  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    proxy: boolean;
    readonly IdToken: {
      validate(
        token: string,
        client: ProviderContext["oidc"]["client"],
      ): Promise<{ readonly payload: Readonly<Record<string, unknown>> }>;
    };
    registerGrantType(
      name: string,
      handler: (context: ProviderContext & { body?: unknown }) => Promise<void>,
      parameters: readonly string[],
    ): void;
    readonly Grant: new (properties: {
      clientId: string;
      accountId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
