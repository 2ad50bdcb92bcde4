/** The part of the sign-in form for people's own n8n keys. A page never contains a key. */

import { N8N_KEY_SCOPES } from "../platform/n8n-key-scopes.ts";

export interface KeyFields {
  readonly fields: readonly {
    readonly name: string;
    /** The host at which people open this n8n. */
    readonly host: string;
    readonly fault: string | undefined;
  }[];
  /** A key was refused only because it can do more than read: the person may insist on it. */
  readonly mayInsist: boolean;
}

export function KeyFieldset({ keys: { fields, mayInsist } }: { keys: KeyFields }) {
  return (
    <fieldset>
      <legend>Your n8n API key</legend>
      <p class="muted">
        n8n decides what you see: it is read with your key. In n8n, under Settings &gt; n8n API, create one
        that only reads: {N8N_KEY_SCOPES.join(", ")}.{fields.length > 1 && " Leave out what you do not use."}{" "}
        It is kept encrypted with this sign-in, and nowhere else.
      </p>
      {fields.map(({ name, host, fault }) => (
        <div class="field">
          <label for={name}>Key for {host}</label>
          <input
            type="password"
            id={name}
            name={name}
            autocomplete="off"
            maxlength={1000}
            required={fields.length === 1}
            aria-invalid={fault === undefined ? undefined : "true"}
            aria-describedby={fault === undefined ? undefined : `${name}-error`}
          />
          {fault !== undefined && (
            <p class="error" id={`${name}-error`} role="alert">
              {fault}
            </p>
          )}
        </div>
      ))}
      {mayInsist && (
        <label>
          <input type="checkbox" name="insist" value="yes" /> Use it though it can change things. This server
          only reads.
        </label>
      )}
    </fieldset>
  );
}
