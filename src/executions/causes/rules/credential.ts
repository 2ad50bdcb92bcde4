/**
 * Fact: a credential that was deleted, or is of another type, gives `Credential with ID "…" does not exist for type
 * "…"` (class CredentialNotFoundError, which n8n keeps only on some paths). Another node that uses this id for
 * another type, or a success in which the node used it, shows which. A credential that was never chosen gives `Node
 * does not have any credentials set` or `… credentials … not set`.
 */
import { partOf } from "../../../json/members.ts";
import type { NodeError, WorkflowNode } from "../../../n8n/schemas.ts";
import { isObject } from "../../../platform/is-object.ts";
import { pattern } from "../../../platform/pattern.ts";
import type { Fact } from "../fact.ts";
import { allTextsOf, type Failed, isOfClass, isThrown, matchesAny, onFailed } from "../rule.ts";

const GONE = /^Credential with ID "[^"]{1,64}" does not exist(?: for type "[^"]{1,64}")?/;
const NOT_SET = pattern("i")`
  ^(?:
    Node does not have any credentials set|Credentials? (?:of type )?.{0,64} (?:is|are) not set
    |.{0,64}credentials? (?:is|are) not set|Node type .{0,64} does not have any credentials
  )
`;
const NOT_READABLE = /^Credentials could not be decrypted/;

export const credential = onFailed((failed) => {
  const { error, name: node } = failed;
  if (isThrown(error)) return null;
  const is = (form: RegExp, name: string): boolean =>
    matchesAny(allTextsOf(error), form) || isOfClass(error, name);
  const types = typesOf(failed.node);
  if (is(GONE, "CredentialNotFoundError")) return goneFact(failed);
  if (is(NOT_SET, "CredentialMissingIdError"))
    return { kind: "credential.unset", node, types: askedFor(types, error) };
  return is(NOT_READABLE, "CredentialDataError") ? { kind: "credential.unreadable", node, types } : null;
});

/** The chosen credential may be of another type than the one that the error names. */
function askedFor(types: readonly string[], { message }: NodeError): readonly string[] {
  const [, named] = /(?:\bset for|\btype) "([A-Za-z0-9]{1,64})"/.exec(message ?? "") ?? [];
  return named === undefined ? types : types.filter((type) => type === named);
}

const NAMED = /^Credential with ID "([^"]{1,64})" does not exist for type "([A-Za-z0-9]{1,64})"/;

function goneFact({ error, name: node, node: definition, view }: Failed): Fact {
  const [, id, type] = NAMED.exec(error.message ?? "") ?? [];
  const types = typesOf(definition);
  if (id === undefined || type === undefined || !types.includes(type))
    return { kind: "credential.absent", node, type: null };
  const idFor = (one: WorkflowNode | undefined, of: string): unknown => partOf(one?.credentials, of, "id");
  const isOfAnother = [...view.nodes.values()].some((one) =>
    typesOf(one).some((of) => of !== type && idFor(one, of) === id),
  );
  if (isOfAnother) return { kind: "credential.wrong_type", node, type };
  const wasThere = view.successes.some(
    (before) => before.runs.has(node) && idFor(before.nodes.get(node), type) === id,
  );
  return wasThere ? { kind: "credential.gone", node, types } : { kind: "credential.absent", node, type };
}

function typesOf(node: WorkflowNode | undefined): string[] {
  const credentials = node?.credentials;
  if (!isObject(credentials)) return [];
  return Object.keys(credentials)
    .filter((type) => /^[A-Za-z0-9]{1,64}$/.test(type))
    .slice(0, 3);
}
