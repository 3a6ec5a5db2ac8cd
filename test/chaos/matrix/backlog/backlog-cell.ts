/**
 * One cell of the scenario `backlog`: three tasks of a project of the cell's own, each judged, asked about, judged again with the answer, and planned; one at a time, the second after the first is done; then the last is run again in its worktree, in which a person
 * left a file. A person beside it brings a dead engine up, and says what they said once more where no answer came. What became of it is read from git, folders and the agents' ledger.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readLedger } from '../../../../activities/agent/scripted/ledger.js';
import { livingTurns } from '../../../support/run-traces.js';
import { PLAIN_FIXTURE } from '../../../support/test-repository.js';
import { until } from '../../../support/until.js';
import type { ChaosHome } from '../chaos-home.js';
import {
  answerFirst,
  countItems,
  countUnreplayable,
  git,
  handIn,
  itemsOf,
  newProjectName,
  numbersOf,
  openAttended,
  type Project,
  reach,
  say,
  slotsOf,
} from './attended-project.js';
import type { BacklogTraces } from './verdict.js';

const GONE_MS = 5_000;
const TASKS = [{ task: 'one' }, { task: 'two', dependsOn: ['#1'] }, { task: 'three' }] as const;
const IDS = ['1', '2', '3'] as const;
/** Run again. */
const TAKEN = '3';
const LEFT_FILE = 'half.txt';

const QUESTION = 'tabs or spaces?';
const ANSWER = 'tabs';

const judged = (asks: readonly string[]) => ({
  classification: 'small',
  confidence: 1,
  reason: 'one line',
  reject_reason: null,
  needs_clarification: asks.length > 0,
  clarifying_questions: asks,
});

const STEP = { verb: 'modify', acceptance: 'it is changed', depends_on: [], description: 'change it' };

const FIXTURE = {
  ...PLAIN_FIXTURE,
  asks: {
    classify: [{ text: JSON.stringify(judged([QUESTION])) }, { text: JSON.stringify(judged([])) }],
    plan: { text: JSON.stringify({ plan: [STEP] }) },
  },
};

/** `begin`: called before anything is handed in. Errors: plain Error after `limitMs`. */
export async function runBacklogCell(
  place: ChaosHome,
  { begin, limitMs }: { readonly begin: () => void; readonly limitMs: number },
): Promise<BacklogTraces> {
  const config =
    'stageList: [executing]\nvalidation:\n  commands: []\nbacklog: { maxConcurrent: 1 }\nadmission: { order: [classify, plan], autoExecuteSmall: true }\n';
  const attended = await openAttended(place, newProjectName(), { config, fixture: FIXTURE, limitMs });
  const { repository } = attended;
  begin();
  await handIn(attended, TASKS);
  for (const id of IDS) await answerFirst(attended, id, () => [ANSWER]);
  await reach(attended, '1', { state: 'parked' });
  await say(attended, '1', { name: 'done', state: 'closed' });
  await reach(attended, '2', { state: 'parked' });
  await reach(attended, TAKEN, { state: 'parked' });
  const before = headOf(attended, TAKEN);
  const worktree = await worktreeOf(attended);
  if (worktree !== null) writeFileSync(join(worktree, LEFT_FILE), 'half\n');
  await say(attended, TAKEN, { name: 'run', state: 'parked', runs: 2 });
  const items = await itemsOf(attended, IDS);
  const slots = await slotsOf(attended);
  await until(() => livingTurns(place.home).length === 0, GONE_MS).catch(() => undefined);
  return {
    items,
    slots,
    open: await countItems(attended),
    unreplayable: await countUnreplayable(attended, items),
    numbers: numbersOf(attended).length,
    commits: IDS.map((id) => (id === TAKEN && !isIn(attended, before) ? -1 : countCommits(attended, id))),
    branches: git(attended, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/sluice/').split('\n').length,
    starts: readLedger(repository.ledgerPath).filter(({ event }) => event === 'START').length,
    kept: worktree === null ? 0 : asideOf(worktree),
    living: livingTurns(place.home).length,
    answered: items.filter(({ admission }) => admission?.plan !== null && admission?.round === 1).length,
  };
}

const branchOf = (id: string) => `sluice/task-${id}-${TASKS[Number(id) - 1]?.task ?? ''}`;

function headOf(attended: Project, id: string): string {
  return git(attended, 'rev-parse', branchOf(id));
}

function countCommits(attended: Project, id: string): number {
  return Number(git(attended, 'rev-list', '--count', `main..${branchOf(id)}`));
}

function isIn(attended: Project, commit: string): boolean {
  return git(attended, 'rev-list', branchOf(TAKEN)).split('\n').includes(commit);
}

async function worktreeOf(attended: Project): Promise<string | null> {
  const lines = git(attended, 'worktree', 'list', '--porcelain').split('\n');
  const at = lines.indexOf(`branch refs/heads/${branchOf(TAKEN)}`);
  return (
    lines
      .slice(0, at)
      .findLast((line) => line.startsWith('worktree '))
      ?.slice('worktree '.length) ?? null
  );
}

/** Copies of what the person left. */
function asideOf(worktree: string): number {
  const folder = dirname(worktree);
  const names = readdirSync(folder).filter((name) => name.startsWith(`.${basename(worktree)}.found-`));
  const places = [...names.map((name) => join(folder, name)), worktree];
  return places.filter((path) => existsSync(join(path, LEFT_FILE))).length;
}
