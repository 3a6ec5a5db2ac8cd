/**
 * One cell of the scenario `backlog`: three tasks of a project of the cell's own, each judged, asked about, judged again with the answer, and planned; one at a time, the second after the first is done; then the last is run again in its worktree, in which a person
 * left a file. A person beside it brings a dead engine up, and says what they said once more where no answer came. What became of it is read from git, folders and the agents' ledger.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readLedger } from '../../../../activities/agent/scripted/ledger.js';
import { repoKeyOf } from '../../../../activities/git/refs/find-repository.js';
import { ensureHome } from '../../../../config/home/home.js';
import { readOrMakeHostId } from '../../../../config/home/host-id.js';
import { ITEM_WORKFLOW, type ItemStateName, type ItemView } from '../../../../protocol/actors/item.js';
import { isItemId } from '../../../../protocol/actors/item-id.js';
import { type BacklogOf, openBacklog } from '../../../support/backlog-client.js';
import { livingTurns } from '../../../support/run-traces.js';
import { PLAIN_FIXTURE, type TestRepository } from '../../../support/test-repository.js';
import { until } from '../../../support/until.js';
import type { ChaosHome } from '../chaos-home.js';
import { type Attended, insistOn } from '../insist.js';
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
  ...{ classification: 'small', confidence: 1, reason: 'one line', reject_reason: null },
  ...{ needs_clarification: asks.length > 0, clarifying_questions: asks },
});

const STEP = { verb: 'modify', acceptance: 'it is changed', depends_on: [], description: 'change it' };

const FIXTURE = {
  ...PLAIN_FIXTURE,
  asks: {
    classify: [{ text: JSON.stringify(judged([QUESTION])) }, { text: JSON.stringify(judged([])) }],
    plan: { text: JSON.stringify({ plan: [STEP] }) },
  },
};

interface Project extends Attended {
  readonly project: string;
  readonly repository: TestRepository;
}

/** `begin`: called before anything is handed in. Errors: plain Error after `limitMs`. */
export async function runBacklogCell(
  place: ChaosHome,
  { begin, limitMs }: { readonly begin: () => void; readonly limitMs: number },
): Promise<BacklogTraces> {
  const project = `p${randomUUID().slice(0, 8)}`;
  const config = `stageList: [executing]\nvalidation:\n  commands: []\nproject: { name: ${project} }\nbacklog: { maxConcurrent: 1 }\nadmission: { order: [classify, plan], autoExecuteSmall: true }\n`;
  const repository = await place.repository({ config, fixture: FIXTURE });
  const client = await place.up();
  const attended: Project = { place, client, project, repository, endAt: performance.now() + limitMs };
  begin();
  const key = randomUUID();
  await insist(attended, async (backlog) => (await backlog.create(TASKS, key)).verdicts !== null);
  for (const id of IDS) await answer(attended, id);
  await reach(attended, '1', 'parked');
  await say(attended, '1', 'done', 'closed');
  await reach(attended, '2', 'parked');
  await reach(attended, TAKEN, 'parked');
  const before = headOf(attended, TAKEN);
  const worktree = await worktreeOf(attended);
  if (worktree !== null) writeFileSync(join(worktree, LEFT_FILE), 'half\n');
  await say(attended, TAKEN, 'run', 'parked', 2);
  const items = await itemsOf(attended);
  const slots = await slotsOf(attended);
  await until(() => livingTurns(place.home).length === 0, GONE_MS).catch(() => undefined);
  return {
    ...{ items, slots },
    open: await countItems(attended),
    numbers: numbersOf(attended),
    commits: IDS.map((id) => (id === TAKEN && !isIn(attended, before) ? -1 : countCommits(attended, id))),
    branches: git(attended, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/sluice/').split('\n').length,
    starts: readLedger(repository.ledgerPath).filter(({ event }) => event === 'START').length,
    kept: worktree === null ? 0 : asideOf(worktree),
    living: livingTurns(place.home).length,
    answered: items.filter(({ admission }) => admission?.plan !== null && admission?.round === 1).length,
  };
}

const branchOf = (id: string) => `sluice/task-${id}-${TASKS[Number(id) - 1]?.task ?? ''}`;

function git({ repository }: Project, ...args: readonly string[]): string {
  return repository.git(...args).trim();
}

function headOf(attended: Project, id: string): string {
  return git(attended, 'rev-parse', branchOf(id));
}

function countCommits(attended: Project, id: string): number {
  return Number(git(attended, 'rev-list', '--count', `main..${branchOf(id)}`));
}

function isIn(attended: Project, commit: string): boolean {
  return git(attended, 'rev-list', branchOf(TAKEN)).split('\n').includes(commit);
}

function backlogOf({ client, project, repository, place }: Project): Promise<BacklogOf> {
  return openBacklog(client, { project, repo: repository.path, host: readOrMakeHostId(place.home) });
}

/** The client is another one after each death of the engine. */
function insist(attended: Project, step: (backlog: BacklogOf) => Promise<boolean>): Promise<void> {
  return insistOn(
    attended,
    async () => step(await backlogOf(attended)),
    async () => JSON.stringify([await (await backlogOf(attended)).status(), await itemsOf(attended)]),
  );
}

async function reach(attended: Project, id: string, state: ItemStateName, runs = 1): Promise<void> {
  await insist(attended, async (backlog) => {
    const item = await backlog.item(id);
    return item.state === state && item.runs >= runs;
  });
}

/** Said again until it is so: a word that was taken is no other word the second time. */
async function say(attended: Project, id: string, name: string, state: ItemStateName, runs = 1): Promise<void> {
  await insist(attended, async (backlog) => {
    const item = await backlog.item(id);
    if (item.state === state && item.runs >= runs) return true;
    const isSaid = item.journal.some(({ driver }) => driver === name);
    if (!isSaid) await backlog.tell(id, name);
    return false;
  });
}

/** Given again until it counts: a round that is over takes no other answer. */
async function answer(attended: Project, id: string): Promise<void> {
  await insist(attended, async (backlog) => {
    const { state, admission } = await backlog.item(id);
    if (state === 'clarifying') await backlog.tell(id, 'answer', { by: 'ann', round: 1, answers: [ANSWER] });
    return state !== 'admitting' && state !== 'clarifying' && admission?.round === 1;
  });
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

async function itemsOf(attended: Project): Promise<readonly ItemView[]> {
  const items: ItemView[] = [];
  for (const id of IDS)
    await insistOn(
      attended,
      async () => {
        items.push(await (await backlogOf(attended)).item(id));
        return true;
      },
      async () => id,
    );
  return items;
}

async function slotsOf(attended: Project): Promise<number> {
  let slots = Number.NaN;
  await insist(attended, async (backlog) => {
    slots = (await backlog.status()).slots;
    return slots === 0;
  });
  return slots;
}

async function countItems({ client, project }: Project): Promise<number> {
  let count = 0;
  const query = `WorkflowType = "${ITEM_WORKFLOW}" AND WorkflowId STARTS_WITH "item:${project}/"`;
  for await (const { workflowId } of client.workflow.list({ query })) count += workflowId === '' ? 0 : 1;
  return count;
}

/** That the host gave to tasks of this project. */
function numbersOf({ place, repository }: Project): number {
  const repoKey = repoKeyOf(readOrMakeHostId(place.home), join(repository.path, '.git'));
  return readdirSync(ensureHome(place.home).itemsDir(repoKey)).filter(isItemId).length;
}
