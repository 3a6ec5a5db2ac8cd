/** A project on a real host whose tasks are made by the steps of their plans, by a scripted agent, and what their runs leave. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedTurn } from '../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import type { StepRecord } from '../../activities/steps/step-records.js';
import { JUDGED, say } from './admitted-project.js';
import type { BacklogOf } from './backlog-client.js';
import { openProject } from './backlog-project.js';
import type { TestHost } from './test-host.js';
import type { TestRepository } from './test-repository.js';

export const planOf = (verbs: readonly string[], words = '') => ({
  plan: verbs.map((verb, at) => ({
    verb,
    target_file: `${at + 1}.txt`,
    symbols: [`symbol${at + 1}`],
    depends_on: [],
    acceptance: `${at + 1}.txt is there`,
    description: `make part ${at + 1}${words}`,
  })),
  files_affected: [],
  symbols_affected: [],
});

/** Makes a file of its own name, and the line that the checks ask for. */
export const makes = (n: number, more: ScriptedTurn = {}): ScriptedTurn => ({
  run: `echo changed > a.txt; echo ${n} >> ${n}.txt`,
  text: `Part ${n} is made.`,
  ...more,
});

export const fails = (again: ScriptedTurn, more: ScriptedTurn = {}): ScriptedTurn => ({
  run: 'echo half > half.txt',
  text: 'Half of it.',
  exit: 3,
  again,
  ...more,
});

export interface SteppedProject {
  readonly plan: readonly string[];
  readonly steps: readonly ScriptedTurn[];
  /** More lines of section `execute`. */
  readonly execute?: string;
  readonly classify?: readonly ScriptedTurn[];
  /** Who looks at the work of each step. */
  readonly judge?: ScriptedTurn;
  /** Behind the description of each step. */
  readonly words?: string;
}

type Repository = Pick<TestRepository, 'path' | 'ledgerPath'>;

export function openStepped(
  host: TestHost,
  project: string,
  { plan, steps, execute = '  stepCheck: none\n', classify = [say(JUDGED)], words, judge }: SteppedProject,
) {
  return openProject(host, project, {
    config: `admission:\n  order: [[classify, plan]]\n  autoExecuteSmall: true\nexecute:\n  until: steps\n${execute}stageList: [planning, executing, validating]\n`,
    fixture: {
      ledger: 'ledger.txt',
      stages: judge === undefined ? {} : { verifying: judge },
      steps,
      asks: { classify, plan: say(planOf(plan, words)) },
    },
  });
}

export function stepsTaken({ ledgerPath }: Repository) {
  return readLedger(ledgerPath)
    .filter(({ event, stage }) => event === 'START' && stage === 'executing')
    .map(({ step }) => step);
}

export async function parked(backlog: BacklogOf, task = 'make all parts') {
  await backlog.create([task]);
  return backlog.reaches('1', 'parked');
}

export function runDirOf({ path }: Repository, runId: string | undefined): string {
  return join(path, `.sluice/runs/${runId}`);
}

export function eventsOf(repository: Repository, runId: string | undefined) {
  return readFileSync(join(runDirOf(repository, runId), 'events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export function recordsOf(repository: Repository, runId: string | undefined): readonly StepRecord[] {
  return JSON.parse(readFileSync(join(runDirOf(repository, runId), 'steps.json'), 'utf8')).steps;
}

export function promptsOf(repository: Repository, runId: string | undefined): readonly string[] {
  return execFileSync('find', [runDirOf(repository, runId), '-name', 'prompt.md'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .sort()
    .map((file) => readFileSync(file, 'utf8'));
}

/** By its hash, wherever it is kept. */
export function artifactOf({ home }: Pick<TestHost, 'home'>, runDir: string, hash: string | null | undefined): string {
  const found = execFileSync('find', ['-L', home, runDir, '-name', `*${hash?.slice(2)}*`], { encoding: 'utf8' });
  return readFileSync(found.split('\n')[0] ?? '', 'utf8');
}
