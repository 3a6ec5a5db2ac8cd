/**
 * One cell of the scenario `steps`: three tasks of a project of the cell's own are handed in one after the other. The first is asked about, and the person answers in its file; all are judged and
 * planned, the two that are none of the others are approved, run by their steps, and land by themselves. What became of it is read from git, folders and the agents' ledger.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readLedger } from '../../../../activities/agent/scripted/ledger.js';
import { askTree } from '../../../../activities/ask/ask-tree.js';
import type { ItemView } from '../../../../protocol/actors/item.js';
import { clarifyFileOf, readClarify } from '../../../../protocol/admission/clarify-file.js';
import { ASKS, type AskName } from '../../../../protocol/run/admission-policy.js';
import { livingTurns } from '../../../support/run-traces.js';
import { until } from '../../../support/until.js';
import {
  answerFirst,
  countItems,
  countUnreplayable,
  git,
  handIn,
  itemsDirOf,
  itemsOf,
  newProjectName,
  numbersOf,
  openAttended,
  type Project,
  reach,
  say,
  slotsOf,
} from '../backlog/attended-project.js';
import type { ChaosHome } from '../chaos-home.js';
import { ANSWER, CONFIG, FILES, fixtureOf, IDS, TASKS, type Traced } from './tasks.js';
import type { StepsTraces } from './verdict.js';

const GONE_MS = 5_000;

/** `begin`: called before anything is handed in. Errors: plain Error after `limitMs`. */
export async function runStepsCell(
  place: ChaosHome,
  { begin, limitMs }: { readonly begin: () => void; readonly limitMs: number },
): Promise<StepsTraces> {
  const project = newProjectName();
  const traced = { planning: join(place.folder, `${project}.planning`), trees: join(place.folder, `${project}.trees`) };
  const attended = await openAttended(place, project, { config: CONFIG, fixture: fixtureOf(traced), limitMs });
  const [first, second, third] = IDS;
  // Nobody stands on main, so that what lands may move it.
  git(attended, 'switch', '-qc', 'elsewhere');
  begin();
  await handIn(attended, [taskOf(0)]);
  await answerFirst(attended, first, (item) => answerInFile(attended, item));
  await reach(attended, first, { state: 'gated', runs: 0 });
  await handIn(attended, [taskOf(1)]);
  await reach(attended, second, { state: 'gated', runs: 0 });
  await handIn(attended, [taskOf(2)]);
  await reach(attended, third, { state: 'closed', runs: 0 });
  for (const id of [first, second]) await say(attended, id, { name: 'approve', argument: approvalOf, state: 'closed' });
  return tracesOf(attended, traced);
}

function taskOf(at: number): Record<string, unknown> {
  return { task: TASKS[at], base: 'main' };
}

function approvalOf({ admission }: ItemView): unknown {
  return { by: 'ann', as: 'person', planHash: admission?.plan?.hash };
}

/** As a person who writes it below its heading, and then says that it is there. Null: the file does not ask yet. */
function answerInFile({ repository }: Project, { id, admission }: ItemView): readonly string[] | null {
  const path = join(repository.path, clarifyFileOf(id, null));
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  const answered = text.includes(ANSWER) ? text : text.replace('## A1\n', `## A1\n${ANSWER}\n`);
  writeFileSync(path, answered);
  const read = readClarify(answered, admission?.questions ?? []);
  return 'answers' in read ? read.answers : null;
}

async function tracesOf(attended: Project, { trees }: Traced): Promise<StepsTraces> {
  const { place, repository, taken } = attended;
  const items = await itemsOf(attended, IDS);
  const slots = await slotsOf(attended);
  await until(() => livingTurns(place.home).length === 0, GONE_MS).catch(() => undefined);
  return {
    items,
    slots,
    taken,
    open: await countItems(attended),
    unreplayable: await countUnreplayable(attended, items),
    numbers: numbersOf(attended).length,
    landed: stepsOf(attended, 'main'),
    committed: stepsOf(attended, '--branches'),
    files: Object.keys(FILES).map((name) => textOn(attended, name)),
    starts: readLedger(repository.ledgerPath).filter(({ event }) => event === 'START'),
    leftTrees: numbersOf(attended).flatMap((id) => ASKS.filter((ask) => existsSync(treeOf(attended, id, ask)))).length,
    changedTrees: existsSync(trees) ? readFileSync(trees, 'utf8') : 'no planner looked',
    ...clarifiedIn(attended),
    living: livingTurns(place.home).length,
  };
}

/** Where that ask has its checkout. */
function treeOf(attended: Project, id: string, ask: AskName): string {
  return askTree(join(itemsDirOf(attended), id, 'asks', ask));
}

/** Of the commits of steps, the oldest first. */
function stepsOf(attended: Project, from: string): StepsTraces['landed'] {
  const trailers = ['Task', 'Step', 'Attempt'].map((name) => `%(trailers:key=Sluice-${name},valueonly,separator=%x2C)`);
  const log = git(attended, 'log', '--reverse', '--topo-order', `--format=${trailers.join('%x09')}%x09%s`, from);
  return log.split('\n').flatMap((line) => {
    const [task = '', step = '', attempt = '', subject = ''] = line.split('\t');
    return step === '' ? [] : [{ step: `${task.replace(/^.*-/, '')} ${step}`, attempt, subject }];
  });
}

/** Empty where main has no such file. */
function textOn(attended: Project, name: string): string {
  return git(attended, 'ls-tree', '--name-only', 'main', name) === ''
    ? ''
    : `${git(attended, 'show', `main:${name}`)}\n`;
}

/** Where the answer of the person stands: in the file of its round, and in what the agents of the first task's steps were told. */
function clarifiedIn({ repository }: Project): Pick<StepsTraces, 'isFiled' | 'isAsking' | 'movedAside' | 'prompts'> {
  const [first] = IDS;
  const path = (over: number | null) => join(repository.path, clarifyFileOf(first, over));
  const runs = join(repository.path, '.sluice/runs');
  const prompts = readdirSync(runs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('prompt.md'))
    .map((name) => readFileSync(join(runs, name), 'utf8'));
  return {
    isFiled: existsSync(path(1)) && readFileSync(path(1), 'utf8').includes(ANSWER),
    isAsking: existsSync(path(null)),
    movedAside: readdirSync(dirname(path(null))).filter((name) => name.includes('.typed-')).length,
    prompts: prompts.filter((text) => text.includes(TASKS[0])).map((text) => text.includes(ANSWER)),
  };
}
