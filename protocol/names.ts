/** Names that are keys in open histories, in the server or on disk. Never rename one that has shipped. */

export const TASK_QUEUE = 'sluice';

/** Any host, where none is named: who serves a repository (pickHost), who has its backlog (findBacklog), who kept what a run left (findKept). */
export const ANY_HOST_QUEUE = 'sluice-host';

/** Light host work (openRun, journal, git, closeRun). */
export function hostQueue(hostId: string): string {
  return `sluice-host-${hostId}`;
}

/** Turns and validations, so that a journal line never waits behind an agent. */
export function hostTurnsQueue(hostId: string): string {
  return `sluice-host-${hostId}-turns`;
}

/** What is asked about tasks that wait to be let in, which never waits behind agents that work. */
export function hostAsksQueue(hostId: string): string {
  return `sluice-host-${hostId}-asks`;
}

/** Checks of what is about to land, which never wait behind agents. */
export function hostChecksQueue(hostId: string): string {
  return `sluice-host-${hostId}-checks`;
}

/** What is asked of the forge: a push needs the objects of its host, and the worker of this queue alone reads the forge's token. */
export function forgeQueue(hostId: string): string {
  return `sluice-forge-${hostId}`;
}

export const RUN_WORKFLOW = 'run';

export const BATCH_WORKFLOW = 'batch';

/** Delivers one notification; started by a run and left alone by it. */
export const NOTIFICATION_WORKFLOW = 'notification';

/** Removes what a closed run left on its host. */
export const CLEAN_WORKFLOW = 'clean';

/** Takes the change of one closed run to its base. */
export const LANDING_WORKFLOW = 'landing';

export function landingId(runId: string): string {
  return `${LANDING_WORKFLOW}:${runId}`;
}

export function isLandingId(workflowId: string): boolean {
  return workflowId.startsWith(landingId(''));
}

/** So that the number has room in a run id. */
const MAX_STEM_CHARS = 70;

/** Of the nth run that repairs the head of another. A dot is followed by a letter or a digit in a run id. */
export function repairRunId(runId: string, n: number): string {
  return `${runId.slice(0, MAX_STEM_CHARS).replace(/\.$/, '')}-l${n}`;
}

export function runIdOfLanding(workflowId: string): string {
  return workflowId.slice(landingId('').length);
}

/** One for each provider and account whose usage limit was met. */
export const QUOTA_GATE_WORKFLOW = 'quota-gate';

export function quotaGateId(account: string): string {
  return `quota:${account}`;
}

/** Asks a long-lived workflow for a new execution, which takes the newest rules. */
export const HAND_OVER_SIGNAL = 'handOver';

/** Tells the owner of a run that it ends. */
export const RUN_CHANGED_SIGNAL = 'runChanged';

/** To a run: its owner hears of its end by no answer of the server's. */
export const OWNER_WAITS_SIGNAL = 'ownerWaits';

/** Where the local engine listens on loopback, or on the next free ports; where no config says otherwise. */
export const ENGINE_PORTS = { server: 17_233, ui: 18_233 } as const;

/** Where the page is served, unless `sluice web` says otherwise. */
export const WEB_PORT = 19_233;

/** What the door for a forge's web hook calls itself, to whoever asks there. */
export const DOORBELL_NAME = 'sluice';

export const STATUS_QUERY = 'status';

/** Policy, budget and gates of a run: what is too much for the run view. */
export const DETAILS_QUERY = 'details';

/** Search attributes, all Keyword: SQL visibility has room for ten. The worker adds them at start if it may. */
export const SEARCH_ATTRIBUTES = ['SluiceProject', 'SluiceStatus', 'SluiceWaiting', 'SluicePreset'] as const;

export type SearchAttributeName = (typeof SEARCH_ATTRIBUTES)[number];

export function branchOf(runId: string): string {
  return `sluice/${runId}`;
}

/** What somebody else pushed to the branch of a run on a forge, and a person agreed to. */
export function pushedRefOf(runId: string): string {
  return `refs/sluice/${runId}/pushed`;
}

/** Keeps the last commit of a run reachable until `sluice clean`. */
export function headRefOf(runId: string): string {
  return `refs/sluice/${runId}/head`;
}

/** In octal, as umask(1) takes it: that of the shell which started the engine, for a person's own programs. The engine's own is 077. */
export const UMASK_VARIABLE = 'SLUICE_UMASK';

/** The environment tag of everything that a turn starts. */
export const TURN_TAG = 'SLUICE_TURN';

/**
 * Type of the failure of an Update that no run was shown: the worker did not show it, or kept it out of a task in which its place is not certain. It can be
 * sent again, or as a Signal. Source: temporalio/temporal, the failure that the server makes for it.
 */
export const UNPROCESSED_UPDATE = 'UnprocessedUpdate';

/** The same where the workflow was closed while it answered the Update. Source: temporalio/api, the failure that the server makes for it. */
export const COMPLETED_UPDATE = 'AcceptedUpdateCompletedWorkflow';

/** What a Query is answered by an execution that was given up at that moment, which goes on from its history: the Query can be sent again. */
export const GIVEN_UP_MESSAGE =
  'a Query brought events before their workflow task; this task is tried again from history';
