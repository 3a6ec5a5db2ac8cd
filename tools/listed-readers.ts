/** Who reads by Node's own means, with which of them and why. Everybody else goes by config/system/foreign-file.ts; tools/check-reads.ts holds this list to be exact. */

/** What lies below the sluice home and that the engine alone writes; its size is the engine's own doing. */
const OURS = "lists or opens the engine's own files below the sluice home";

const WRITES = 'opens files to write them';

const SYSTEM = 'reads /proc and the like, which the kernel writes';

const DEMO = "the demo's own repository and processes";

export interface ListedReader {
  /** Names of node:fs, with spaces. `*`: all of them, by a name of the file's own. */
  readonly reads: string;
  readonly why: string;
}

export const LISTED_READERS: Readonly<Record<string, ListedReader>> = {
  'config/system/foreign-file.ts': { reads: 'openSync opendirSync read readSync', why: 'the reader itself' },
  'config/system/run-bundle.ts': {
    reads: 'readFileSync',
    why: 'reads our own bundles and their caches, beside itself',
  },
  'config/system/replace-file.ts': { reads: 'openSync', why: WRITES },
  'config/system/create-file.ts': { reads: 'copyFileSync', why: 'copies what it has just written itself' },
  'client/calls/call-lines.ts': {
    reads: 'readFileSync',
    why: 'reads the starter of our own worker, a few lines of its build',
  },

  'activities/git/start/past-pipes.ts': {
    reads: 'open',
    why: 'opens a FIFO, and reads nothing of it, so that git meets a writer',
  },
  'activities/git/run/worktree-setup-files.ts': {
    reads: 'copyFile',
    why: 'copies by the system what a trusted config names',
  },
  'activities/checks/command-excerpt.ts': {
    reads: 'openSync readSync',
    why: 'reads two pieces of an output of any size, each of some kilobytes',
  },
  'activities/journal/events-file.ts': {
    reads: 'open',
    why: 'opens the journal to append; it is read through `ForeignFile`',
  },
  'activities/journal/live-file.ts': {
    reads: 'openSync readSync',
    why: 'opens the live text of a turn to write it, and compares no more of it than it would write',
  },
  'activities/journal/write-file.ts': { reads: 'open openSync', why: WRITES },
  'activities/process/marks.ts': { reads: 'openSync', why: WRITES },
  'activities/agent/trial/try-agent.ts': { reads: 'openSync', why: WRITES },
  'activities/process/guard/cut-output.ts': { reads: 'openSync', why: WRITES },
  'activities/process/guard/parent-shell.ts': {
    reads: 'openSync',
    why: 'opens the streams of a command and reads none',
  },

  'activities/process/guard-sockets.ts': { reads: 'readdirSync', why: OURS },
  'activities/process/guard/guard-lock.ts': { reads: 'openSync', why: OURS },
  'activities/process/guard/command-list.ts': { reads: 'readdirSync', why: OURS },
  'activities/process/guard/commands.ts': { reads: 'readdirSync', why: OURS },
  'activities/admission/number-item.ts': { reads: 'readdir', why: OURS },
  'activities/admission/dedup/index/task-index.ts': { reads: 'readdirSync', why: OURS },
  'activities/ask/ask-tree.ts': { reads: 'readdirSync', why: OURS },
  'activities/ask/kept-trees.ts': { reads: 'readdirSync', why: OURS },
  'activities/closing/clean-run.ts': { reads: 'readdirSync', why: OURS },
  'activities/closing/clean-queues.ts': { reads: 'readdirSync', why: OURS },
  'activities/landing/find-head.ts': { reads: 'readdir', why: OURS },
  'activities/turn/left-changes.ts': { reads: 'readdirSync', why: OURS },
  'activities/turn/move-branch-back.ts': { reads: 'readdir', why: OURS },
  'activities/unit/place-record.ts': { reads: 'readdirSync', why: OURS },
  'activities/checks/validate.ts': { reads: 'readdir', why: OURS },
  'activities/sandbox/main.ts': { reads: 'openSync readFileSync', why: OURS },
  'worker/list-by-repository.ts': { reads: 'readdir', why: OURS },
  'worker/local-engine/children/port-listener.ts': { reads: 'readFileSync readdirSync', why: SYSTEM },
  'worker/local-engine/state/engine-address.ts': { reads: 'readFileSync', why: OURS },
  'worker/local-engine/state/engine-state.ts': { reads: 'readFileSync', why: OURS },
  'worker/local-engine/state/kernel-lock.ts': { reads: 'openSync', why: OURS },
  'worker/local-engine/children/log-file.ts': { reads: 'copyFileSync openSync readSync', why: OURS },
  'worker/local-engine/server-binary/download.ts': { reads: 'readdirSync', why: OURS },
  'worker/local-engine/server-binary/go-build.ts': { reads: 'openSync', why: OURS },
  'client/cli/server/up.ts': { reads: 'readFileSync', why: OURS },

  'activities/sandbox/home-place.ts': {
    reads: 'readdirSync',
    why: "lists a folder of the person's HOME that no sandbox can write",
  },
  'config/system/system-trouble.ts': { reads: 'readFileSync', why: SYSTEM },
  'config/system/foreign-descriptors.ts': { reads: 'readFileSync readdirSync', why: SYSTEM },
  'activities/process/guard/limit-mark.ts': { reads: 'readFileSync', why: SYSTEM },
  'activities/process/guard/process-table.ts': { reads: 'openSync readFileSync readSync readdirSync', why: SYSTEM },
  'worker/local-engine/state/process-identity.ts': { reads: 'readFileSync', why: SYSTEM },

  'activities/agent/scripted/ledger.ts': {
    reads: 'readFileSync',
    why: 'part of the scripted agent, not of the engine',
  },
  'activities/agent/scripted/main.ts': { reads: 'readFileSync', why: 'part of the scripted agent, not of the engine' },
  'activities/agent/scripted/perform.ts': { reads: '*', why: 'part of the scripted agent, not of the engine' },
  'client/cli/start/prepare-batch.ts': {
    reads: 'readFile',
    why: 'reads the file that the person names at that moment, which may be a pipe',
  },
  'client/cli/commands/demo-backlog.ts': { reads: 'readFile', why: DEMO },
  'client/cli/demo/kill-worker.ts': { reads: 'readFile', why: DEMO },
  'client/cli/demo/make-demo.ts': { reads: 'cp', why: DEMO },
  'client/cli/demo/run-skep.ts': { reads: 'readFile', why: DEMO },
  'client/cli/demo/no-process-left.ts': { reads: 'readFile readdir', why: DEMO },
};
