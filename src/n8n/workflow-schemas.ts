/**
 * A workflow with its nodes, as n8n's public API returns it: the draft that the editor shows, and the published version
 * that production runs, if it differs. Lenient where exports, templates and old versions of n8n vary (nodes and
 * connections of an unknown shape are left out and counted), strict on what everything depends on: ids, names, types.
 */
import * as z from "zod";
import { containsOmitted, Omitted, type ReadValue } from "../json/omitted.ts";
import { ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { isoDate, lenient, lenientOrNull, lenientText as text } from "./schemas.ts";
import { scheduleRules } from "./workflow-schedules.ts";

/** An object with any content; not copied. */
const parameters = z.custom<Readonly<Record<string, ReadValue>>>(
  (value) => isObject(value) && !(value instanceof Omitted),
);

/** A reference to a credential, never its content. n8n before 0.160 stored only the name. */
const credential = z.union([
  z.string().transform((name) => ({ id: null, name })),
  z.looseObject({ id: lenientOrNull(z.string()), name: lenientOrNull(z.string()) }),
]);

const flag = lenient(z.boolean());
const count = lenient(z.number());
const flagOrText = lenient(z.union([z.boolean(), z.string()]));

export const workflowNodeWithParameters = z.looseObject({
  id: z.string().catch(""),
  name: z.string(),
  /** Includes the package, as in `n8n-nodes-base.httpRequest`. */
  type: z.string(),
  typeVersion: z.number().catch(1),
  position: z.tuple([z.number(), z.number()]).catch([0, 0]),
  parameters: parameters.catch({}),
  credentials: lenient(z.record(z.string(), credential.nullable().catch(null))),
  disabled: z.boolean().catch(false),
  /** What happens when it fails. Older nodes have `continueOnFail` instead. */
  onError: lenient(z.enum(["stopWorkflow", "continueRegularOutput", "continueErrorOutput"])),
  continueOnFail: flag,
  alwaysOutputData: flag,
  executeOnce: flag,
  retryOnFail: flag,
  maxTries: count,
  /** Milliseconds. */
  waitBetweenTries: count,
  notes: text,
  notesInFlow: flag,
  webhookId: text,
});
export type WorkflowNodeWithParameters = z.infer<typeof workflowNodeWithParameters>;

/** A list without its entries of unknown shape. */
const listOf = <T extends z.ZodType>(entry: T) =>
  z.array(entry.nullable().catch(null)).transform((all) => all.filter((one) => one !== null));

const nodes = listOf(workflowNodeWithParameters);

const connectionTarget = z
  .looseObject({
    node: z.string(),
    type: z.string().catch("main"),
    index: z.number().int().min(0).catch(0),
  })
  .nullable()
  .catch(null);
const connectionOutputs = z.array(z.array(connectionTarget).nullable().catch(null)).catch([]);

/**
 * n8n's own form: source node → connection type → output → targets. An output that leads nowhere may be null,
 * and so may a target.
 */
const connections = z.record(z.string(), z.record(z.string(), connectionOutputs).catch({})).catch({});
type WorkflowConnections = z.infer<typeof connections>;

/** A project that a workflow belongs to; its name if n8n reports it. A personal one is named after its owner. */
const share = z.looseObject({
  role: text,
  projectId: z.string(),
  project: lenientOrNull(z.looseObject({ name: text, type: text })),
});

/** Sent only if n8n has folders, and only in some of its answers. */
const folder = z.looseObject({ id: z.string(), name: text });

const versionParts = { nodes, connections };

const workflowSettings = z.looseObject({
  errorWorkflow: text,
  /** Who may call it: `any`, `none`, `workflowsFromAList`, `workflowsFromSameOwner`. */
  callerPolicy: text,
  callerIds: text,
  saveDataErrorExecution: text,
  saveDataSuccessExecution: text,
  saveManualExecutions: flagOrText,
  saveExecutionProgress: flagOrText,
  executionOrder: text,
  executionTimeout: count,
  timezone: text,
  /** `v2`: its runs are in no answer of the public API. */
  engineType: text,
});
type WorkflowSettings = z.infer<typeof workflowSettings>;

const workflow = z.object({
  id: z.string(),
  name: z.string(),
  active: z.boolean(),
  isArchived: z.boolean().catch(false),
  createdAt: lenientOrNull(isoDate),
  updatedAt: lenientOrNull(isoDate),
  versionId: lenientOrNull(z.string()),
  /** Id of the published version. n8n before 2.0 has none and runs the saved workflow. */
  activeVersionId: lenientOrNull(z.string()),
  /** Present only when the workflow is read singly: lists do not have it. */
  description: lenientOrNull(z.string()),
  ...versionParts,
  settings: lenientOrNull(workflowSettings),
  /** n8n 1.x sends none. */
  shared: lenientOrNull(listOf(share)),
  parentFolder: lenientOrNull(folder),
  /** For example, the id of the template that the workflow was made from. */
  meta: lenientOrNull(z.looseObject({})),
  /** Frames that the editor draws around nodes. */
  nodeGroups: lenientOrNull(z.array(z.unknown())),
  tags: lenientOrNull(listOf(z.looseObject({ name: z.string() }))).transform((tags) =>
    (tags ?? []).map(({ name }) => name),
  ),
  activeVersion: lenientOrNull(z.object({ versionId: z.string(), ...versionParts })),
});

export interface WorkflowVersion {
  readonly versionId: string | null;
  readonly nodes: readonly WorkflowNodeWithParameters[];
  readonly connections: WorkflowConnections;
}

const published = z.object({ event: z.literal("activated"), createdAt: isoDate });
const productionVersion = z.object({
  nodes: z.array(z.unknown()).catch([]),
  createdAt: lenientOrNull(isoDate),
  /** When it was published, and unpublished. */
  workflowPublishHistory: lenientOrNull(z.array(z.unknown())),
});

/** The facts about a workflow in a list; of its nodes, only their schedules. */
export const workflowFacts = workflow
  .pick({ id: true, name: true, updatedAt: true, shared: true, parentFolder: true, tags: true })
  .extend({
    settings: lenientOrNull(
      z.object({
        saveDataErrorExecution: text,
        saveDataSuccessExecution: text,
        engineType: text,
        timezone: text,
      }),
    ).transform((settings) => settings ?? {}),
    nodes: productionVersion.shape.nodes,
    activeVersion: lenientOrNull(productionVersion),
  })
  .transform(({ shared, parentFolder, nodes, updatedAt, activeVersion, ...facts }) => ({
    ...facts,
    /** Ids and names of its projects; undefined if this n8n does not report them. */
    projects: shared?.flatMap(({ projectId, project }) => namesOf(projectId, project?.name)),
    /** Its projects, labelled by name; by id if the name is a person's, or n8n does not report it. */
    sharedWith: (shared ?? []).map((one) => ({ id: one.projectId, label: labelOf(one) })),
    /** Id and name of its folder; undefined if this n8n does not report it. */
    folder: parentFolder === null ? [] : parentFolder && namesOf(parentFolder.id, parentFolder.name),
    schedules: scheduleRules(activeVersion?.nodes ?? nodes),
    /** When the version that runs was saved, or last published; null when unknown. */
    savedAt: (activeVersion == null ? updatedAt : publishedAt(activeVersion)) || null,
  }));
const publishedAt = ({ createdAt, workflowPublishHistory }: z.infer<typeof productionVersion>) =>
  [{ createdAt }, ...(workflowPublishHistory ?? []).flatMap((one) => published.safeParse(one).data ?? [])]
    .map((one) => one.createdAt ?? "")
    .toSorted()
    .at(-1);
const labelOf = ({ projectId, project }: z.infer<typeof share>): string =>
  project?.type === "personal" ? projectId : (project?.name ?? projectId);
const namesOf = (id: string, name: string | undefined): string[] => (name === undefined ? [id] : [id, name]);
export type WorkflowFacts = z.infer<typeof workflowFacts>;

/** A complete workflow definition, without executions, pinned data or static data. */
export interface WorkflowWithNodes extends Omit<z.infer<typeof workflow>, "activeVersion" | "settings"> {
  readonly settings: WorkflowSettings;
  /** The published version; null when nothing is published or when it is the draft. */
  readonly published: WorkflowVersion | null;
  /** Something was left out or shortened. */
  readonly isCut: boolean;
}

/** @throws ZodError when it is not a workflow */
export function toWorkflowWithNodes(read: ReadValue): WorkflowWithNodes {
  const { activeVersion, settings, ...rest } = workflow.parse(read);
  const isOther = rest.active && activeVersion?.versionId !== rest.versionId;
  return {
    ...rest,
    settings: settings ?? {},
    published: (isOther && activeVersion) || null,
    isCut: isCut(read),
  };
}

const part = z.unknown().optional();
const relevantParts = z.object({
  nodes: part,
  connections: part,
  settings: part,
  activeVersion: z.object({ nodes: part, connections: part }).nullish().catch(null),
});

/** Members that are never read, such as static data, do not count. */
const isCut = (read: ReadValue): boolean => containsOmitted(relevantParts.parse(read));

/** Not copied, so that every key stays. */
const members = z.custom<Readonly<Record<string, ReadValue>>>(isObject);

/**
 * A workflow as n8n returns it, member by member, for exports and comparisons. Nothing is normalised. A version of
 * n8n's history, or a pasted export, may have no more than nodes and connections.
 */
const workflowSource = z.object({
  name: z.string().nullish(),
  versionId: z.string().nullish(),
  nodes: z.array(members),
  connections: members,
  settings: members.nullish(),
  nodeGroups: z.array(z.custom<ReadValue>((each) => each !== undefined)).nullish(),
});
export type WorkflowSource = z.infer<typeof workflowSource>;

/** @throws ZodError when it is not a workflow; ObserverError when it is too large */
export function toWorkflowSource(read: ReadValue): WorkflowSource {
  const source = workflowSource.parse(read);
  if (!containsOmitted(source)) return source;
  throw new ObserverError("N8N_BAD_RESPONSE", "The workflow is too large to be read whole.", {
    solution:
      "get_workflow with format summary says what it contains. In the git format, and to compare, up to 4 MB of text in up to 256 kB each are read.",
  });
}

/** One page of a workflow's history, newest first. */
export const workflowHistory = z.object({
  data: z.array(
    z.object({
      versionId: z.string(),
      createdAt: z.string(),
      /** Given by a person; most have none. */
      name: z.string().nullish(),
    }),
  ),
});
export type WorkflowHistoryItem = z.infer<typeof workflowHistory>["data"][number];
