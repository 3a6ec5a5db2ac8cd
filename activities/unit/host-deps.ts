/** What every host activity needs of its host. Built once by the worker; tests build their own. */
import type { HomePaths } from '../../config/home/home.js';
import type { QueueRef, QueueWord } from '../../protocol/actors/merge-queue.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import type { ScriptedEntry } from '../agent/adapters/scripted.js';
import type { Processes } from '../process/contract.js';
import type { Durability } from '../process/marks.js';
import type { SandboxPrograms } from '../sandbox/sandbox-spec.js';
import type { Attempts } from './attempts.js';

export interface HostDeps {
  readonly hostId: string;
  readonly home: HomePaths;
  readonly processes: Processes;
  readonly attempts: Attempts;
  readonly durability: Durability;
  readonly failpoint: Failpoint;
  /** The worker's own environment, of which a run captures an allowlist when it opens. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a workflow execution is still open on the server; null: the newest of that workflow id. */
  readonly isOpen: (workflowId: string, executionRunId: string | null) => Promise<boolean>;
  /** What the merge queue of a base says, by the server's word: a ref may be of a chain of before. */
  readonly readQueue: (queue: QueueRef) => Promise<QueueWord>;
  /** Whether the namespace has our search attributes. */
  readonly searchAttributes: boolean;
  /** How to start the scripted agent where the compiled one is not beside its adapter. */
  readonly scriptedEntry?: ScriptedEntry;
  /** The programs of a sandbox where the compiled ones are not beside their callers. */
  readonly sandboxPrograms?: SandboxPrograms;
}
