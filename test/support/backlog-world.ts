/**
 * A backlog, its items and their runs without a server: the real tables, and a post that delivers what they say to each other in any order between two of them, late and twice. A host that
 * numbers; runs that open and end when they are told to.
 */

import type { AdmitInput, AdmitResult, ClosedTask, NewTask } from '../../protocol/actors/backlog.js';
import {
  DONE_REASONS,
  type ItemFound,
  type ItemInput,
  type ItemResult,
  itemWorkflowId,
} from '../../protocol/actors/item.js';
import { mayOverlap } from '../../protocol/actors/task-links.js';
import type { BacklogTerms } from '../../protocol/run/backlog-policy.js';
import { DEFAULT_BACKLOG } from '../../protocol/run/backlog-policy.js';
import type { RunOutcome } from '../../protocol/run/outcomes.js';
import { RUN_WAITS, type RunWait, type RunWord } from '../../protocol/run/run-word.js';
import type { Tick } from '../../workflows/actor/actor.js';
import {
  type BacklogErrand,
  type BacklogEvent,
  type BacklogState,
  emptyBacklog,
} from '../../workflows/backlog/backlog-state.js';
import { BACKLOG_RULES } from '../../workflows/backlog/backlog-table.js';
import { packBacklog, unpackBacklog } from '../../workflows/backlog/pack-rows.js';
import { headOf } from '../../workflows/item/after-run.js';
import type { ItemErrand, ItemEvent, ItemState } from '../../workflows/item/item-state.js';
import { ITEM_RULES, newItem } from '../../workflows/item/item-table.js';
import { newestOf } from './newest-rules.js';

const BACKLOG = newestOf(BACKLOG_RULES);
const ITEM = newestOf(ITEM_RULES);

const PROJECT = 'shop';

type Letter =
  | { readonly to: 'backlog'; readonly event: BacklogEvent }
  | { readonly to: string; readonly event: ItemEvent; readonly unreachable: string | null };

interface Run {
  readonly owner: string;
  state: 'starting' | 'open' | 'closed';
  outcome: RunOutcome;
  /** It waited for somebody once: it goes on when that is over, whoever is at work by then. */
  hasWaited: boolean;
  wait: RunWait | null;
  /** Runs whose changes it begins behind. */
  readonly behind: readonly string[];
}

/** As the server keeps it. */
function carried<Value>(value: Value): Value {
  // What it was.
  return JSON.parse(JSON.stringify(value)) as Value;
}

export class BacklogWorld {
  now = 1_000_000;
  backlog: BacklogState;
  readonly items = new Map<string, ItemState>();
  readonly runs = new Map<string, Run>();
  /** One queue for each sender and receiver: between two of them nothing is overtaken. */
  readonly post = new Map<string, Letter[]>();
  /** The most runs that were open at once when one was started. */
  most = 0;
  /** The host dies after it has numbered so many tasks, and is asked again. */
  diesAfter = 0;
  /** Hosts that take nothing in. */
  readonly away = new Set<string>();
  /** Hosts that were asked to. */
  readonly asked: string[] = [];
  /** How many slots were granted. */
  grants = 0;
  /** How often the server was asked for a dependency. */
  looks = 0;
  /** What is said to a run that is not there yet is lost. */
  losesWords = false;
  /** Runs ask for their landing. */
  lands = false;
  /** That is there. */
  hasLanding = true;
  /** Items are started once somebody says so. */
  holdsStarts = false;
  private readonly held: BacklogErrand[] = [];
  /** Sentences. */
  readonly wrongs: string[] = [];
  private numbers = new Map<string, ItemInput>();

  constructor(readonly terms: Partial<BacklogTerms> = {}) {
    this.backlog = emptyBacklog(PROJECT, DEFAULT_BACKLOG);
    this.tellBacklog({ kind: 'begin' });
    this.settle();
  }

  /** Somebody ends the backlog; the next word begins it anew, and what is under way to it arrives there. */
  terminateBacklog(): void {
    this.backlog = emptyBacklog(PROJECT, DEFAULT_BACKLOG);
    this.tellBacklog({ kind: 'begin' });
  }

  /** The backlog and every item go on in another execution, by what is carried there. */
  handOver(): void {
    this.backlog = unpackBacklog(carried(packBacklog(this.backlog)));
    for (const [id, item] of this.items) this.items.set(id, carried(item));
  }

  create(
    key: string,
    tasks: readonly (Partial<Pick<NewTask, 'priority' | 'gate' | 'kind' | 'dependsOn' | 'files'>> & {
      readonly task: string;
    })[],
    { by = 'ann', host = 'h1' }: { readonly by?: string; readonly host?: string } = {},
  ): void {
    this.tellBacklog({
      kind: 'create',
      key,
      repo: '/shop',
      host,
      by,
      bytes: 1,
      tasks: tasks.map(({ task, ...said }) => ({
        run: { task },
        priority: 0,
        gate: null,
        kind: 'change' as const,
        dependsOn: [],
        files: [],
        ...said,
      })),
    });
  }

  /** The host numbers a task, and nobody ever hears of it. */
  numberUnheard(key: string, task: string): void {
    const said = { priority: 0, gate: null, kind: 'change' as const, dependsOn: [], files: [] };
    const tasks = [{ key: `${key}#1`, run: { task }, ...said }];
    this.admit({ project: PROJECT, repo: '/shop', repoKey: null, by: 'ann', known: 0, tasks });
  }

  releaseStarts(): void {
    this.holdsStarts = false;
    for (const errand of this.held.splice(0)) this.performForBacklog(errand);
  }

  /** One that is closed. */
  runAgain(id: string, runs: number): void {
    this.tellBacklog({
      kind: 'create',
      key: `again ${id} ${this.now}`,
      repo: '/shop',
      host: 'h1',
      by: 'bob',
      bytes: 1,
      tasks: [{ again: id, runs, note: 'once more' }],
    });
  }

  tellBacklog(event: BacklogEvent | Tick): void {
    this.now += 1;
    const { state, errands } = BACKLOG.after(this.backlog, event, this.now);
    this.backlog = state;
    for (const errand of errands) this.performForBacklog(errand);
  }

  tellItem(id: string, event: ItemEvent | Tick): void {
    const before = this.items.get(id);
    if (before === undefined || before.state === 'closed') return;
    this.now += 1;
    const { state, errands } = ITEM.after(before, event, this.now);
    this.items.set(id, state);
    for (const errand of errands) this.performForItem(id, errand);
  }

  judgeItem(id: string, event: ItemEvent) {
    const state = this.items.get(id);
    if (state === undefined) throw new Error(`there is no item ${id}`);
    return ITEM.judge(state, event);
  }

  /** Delivers the first letter of one of the queues. False: nothing is under way. */
  deliver(at = 0, isTwice = false): boolean {
    const queues = [...this.post.values()].filter((queue) => queue.length > 0);
    const queue = queues[at % Math.max(1, queues.length)];
    const letter = isTwice ? queue?.[0] : queue?.shift();
    if (letter === undefined) return false;
    if (letter.to === 'backlog') this.tellBacklog(letter.event as BacklogEvent);
    else this.handToItem(letter as Extract<Letter, { unreachable: string | null }>);
    return true;
  }

  /** Everything that is under way arrives. */
  settle(): void {
    for (let steps = 0; this.deliver(); steps += 1) if (steps > 10_000) throw new Error('the post never rests');
  }

  /** To the next time that somebody waits for, if it comes by then. */
  wait(ms: number): void {
    this.now += ms;
    const at = BACKLOG.wakesAt(this.backlog);
    if (at !== null && at <= this.now) this.tellBacklog({ kind: 'tick' });
    for (const [id, item] of this.items) {
      const wakes = item.state === 'closed' ? null : ITEM.wakesAt(item);
      if (wakes !== null && wakes <= this.now) this.tellItem(id, { kind: 'tick' });
    }
  }

  open(runId: string): void {
    const run = this.runs.get(runId);
    if (run?.state !== 'starting') return;
    run.state = 'open';
    this.send(`run ${runId}`, {
      to: run.owner,
      event: { kind: 'runChanged', runId, state: 'working' },
      unreachable: null,
    });
  }

  /** It waits for somebody, is judged, or works on. */
  say(runId: string, word: Exclude<RunWord, 'closed'>): void {
    const run = this.runs.get(runId);
    if (run?.state !== 'open') return;
    run.wait = RUN_WAITS.find((wait) => wait === word) ?? null;
    run.hasWaited = true;
    this.send(`run ${runId}`, { to: run.owner, event: { kind: 'runChanged', runId, state: word }, unreachable: null });
  }

  end(runId: string, outcome?: RunOutcome): void {
    const run = this.runs.get(runId);
    if (run === undefined || run.state === 'closed') return;
    run.state = 'closed';
    if (outcome !== undefined && run.outcome !== 'aborted') run.outcome = outcome;
    this.send(`run ${runId}`, {
      to: run.owner,
      event: { kind: 'runChanged', runId, state: 'closed' },
      unreachable: null,
    });
    const fate = { kind: 'ended' as const, result: this.resultOf(runId) };
    this.send(`run ${runId}`, { to: run.owner, event: { kind: 'fate', runId, fate }, unreachable: null });
  }

  /** Put back to an earlier state: what it said since was said all the same. */
  resetItem(id: string, to: ItemState): void {
    this.items.set(id, to);
  }

  openRuns(): readonly string[] {
    return [...this.runs].filter(([, { state }]) => state !== 'closed').map(([runId]) => runId);
  }

  private handToItem({ to, event, unreachable }: Extract<Letter, { unreachable: string | null }>): void {
    const item = this.items.get(to);
    if (item === undefined || item.state === 'closed') {
      if (unreachable !== null) this.tellBacklog({ kind: 'unreachable', id: unreachable });
    } else if (event.kind !== 'stop' || ITEM.judge(item, event).kind === 'accepted') this.tellItem(to, event);
  }

  private send(from: string, letter: Letter): void {
    const key = `${from} > ${letter.to}`;
    this.post.set(key, [...(this.post.get(key) ?? []), letter]);
  }

  private performForBacklog(errand: BacklogErrand): void {
    switch (errand.kind) {
      case 'admit':
        this.asked.push(errand.host);
        if (this.away.has(errand.host))
          return this.send('host', { to: 'backlog', event: { kind: 'away', host: errand.host } });
        this.admit({ ...errand.input, tasks: errand.input.tasks.slice(0, this.diesAfter) });
        return this.send('host', { to: 'backlog', event: { kind: 'admitted', result: this.admit(errand.input) } });
      case 'start':
        if (this.holdsStarts) return void this.held.push(errand);
        for (const item of errand.items) this.start(item);
        return this.send('control', {
          to: 'backlog',
          event: { kind: 'started', isDone: true, ids: errand.items.map(({ id }) => id) },
        });
      case 'findOpen': {
        const open = [...this.items].filter(([, { state }]) => state !== 'closed').map(([id]) => id);
        return this.send('control', { to: 'backlog', event: { kind: 'open', ids: open } });
      }
      case 'grant':
        this.grants += 1;
        return this.send('backlog', {
          to: errand.id,
          event: { kind: 'slotGranted', ...errand.grant },
          unreachable: errand.id,
        });
      case 'ask':
        return this.send('backlog', {
          to: errand.id,
          event: { kind: 'report', known: errand.known },
          unreachable: errand.id,
        });
      case 'stopItem':
        return this.send('backlog', {
          to: errand.id,
          event: { kind: 'stop', by: errand.by, note: null },
          unreachable: errand.id,
        });
      case 'failDependency':
        return this.send('backlog', {
          to: errand.id,
          event: { kind: 'dependencyFailed', id: errand.dependency, reason: errand.reason },
          unreachable: errand.id,
        });
      case 'lookAtItem': {
        this.looks += 1;
        const item = this.items.get(errand.id);
        const found: ItemFound =
          item === undefined
            ? { kind: 'none' }
            : item.state === 'closed'
              ? { kind: 'closed', reason: item.reason }
              : { kind: 'open' };
        return this.send('control', { to: 'backlog', event: { kind: 'found', id: errand.id, found } });
      }
      case 'lookAtRun': {
        const isOpen = (this.runs.get(errand.runId)?.state ?? 'closed') !== 'closed';
        return this.send('control', { to: 'backlog', event: { kind: 'looked', id: errand.id, isOpen } });
      }
    }
  }

  private performForItem(id: string, errand: ItemErrand): void {
    const { runId = '' } = 'runId' in errand ? errand : {};
    switch (errand.kind) {
      case 'startRun': {
        const event = { kind: 'taken' as const, runId };
        if (this.runs.has(runId)) return this.send('server', { to: id, event, unreachable: null });
        this.watch(id);
        const begun = { behind: errand.behind, hasWaited: false, wait: null };
        this.runs.set(runId, { owner: id, state: 'starting', outcome: 'merge_ready', ...begun });
        this.most = Math.max(this.most, this.openRuns().filter((run) => this.runs.get(run)?.hasWaited !== true).length);
        return;
      }
      case 'tellRun': {
        const run = this.losesWords ? undefined : this.runs.get(errand.workflowId);
        if (run === undefined) return;
        if (errand.name === 'pause') this.say(errand.workflowId, 'paused');
        else if (errand.name === 'resume') this.say(errand.workflowId, 'working');
        else if (run !== undefined && run.state !== 'closed') {
          run.outcome = 'aborted';
          this.end(errand.workflowId);
        }
        return;
      }
      // Nothing is asked about the tasks of this world.
      case 'ask':
      case 'callOff':
      case 'compareAgain':
      case 'writeQuestions':
        return;
      case 'lookAtRun':
        return this.send('control', {
          to: id,
          event: { kind: 'looked', runId, word: errand.word, run: this.look(runId) },
          unreachable: null,
        });
      case 'lookAtLanding':
        if (this.hasLanding) return;
        return this.send('control', { to: id, event: { kind: 'landingGone', runId }, unreachable: null });
      case 'report':
        return this.send(`item ${id}`, { to: 'backlog', event: { kind: 'itemChanged', row: errand.row } });
    }
  }

  /** What may not be when the run of an item is started. */
  private watch(id: string): void {
    const item = this.items.get(id);
    const isMet = (need: string) => {
      const other = this.items.get(need);
      const isReady = this.terms.from !== 'base' && other !== undefined && headOf(other) === 'ready';
      return isReady || DONE_REASONS.includes(other?.reason ?? null);
    };
    const unmet = item?.needs.filter((need) => !isMet(need)) ?? [];
    for (const need of unmet) this.wrongs.push(`${id} runs before ${need} is done`);
    if (this.terms.conflicts !== 'block') return;
    for (const run of this.openRuns()) {
      const owner = this.runs.get(run)?.owner ?? '';
      const others = this.items.get(owner)?.files ?? [];
      if (others.some((one) => item?.files.some((mine) => mayOverlap(one, mine))))
        this.wrongs.push(`${id} runs beside ${owner}, which touches the same files`);
    }
  }

  private look(runId: string): Extract<ItemEvent, { kind: 'looked' }>['run'] {
    const run = this.runs.get(runId);
    if (run === undefined) return { kind: 'none', host: null };
    const owner = itemWorkflowId({ project: PROJECT, id: run.owner });
    if (run.state !== 'closed') {
      const branch = run.state === 'open' ? `sluice/${runId}` : null;
      return { kind: 'open', owner, branch, wait: run.wait };
    }
    return { kind: 'answer', owner, source: null, ...this.resultOf(runId) };
  }

  private resultOf(runId: string): ItemResult {
    const outcome = this.runs.get(runId)?.outcome ?? 'failed';
    return {
      runId,
      outcome,
      blockedReason: null,
      error: null,
      headSha: null,
      verdict: null,
      branch: `sluice/${runId}`,
      isLanding: outcome === 'merge_ready' && this.lands,
      hasChange: true,
      document: null,
    };
  }

  private start(input: ItemInput): void {
    const known = this.items.get(input.id);
    if (known !== undefined && (input.again === null || known.state !== 'closed')) return;
    this.items.set(input.id, newItem(input));
    this.tellItem(input.id, { kind: 'begin' });
  }

  private readmit(
    { again, runs, note }: ClosedTask,
    { key, by }: { readonly key: string; readonly by: string | null },
  ): AdmitResult['tasks'][number] {
    const item = [...this.numbers.values()].find(({ id }) => id === again);
    if (item === undefined) return { kind: 'refused', why: `there is no task ${again}` };
    const at = new Date(this.now).toISOString();
    return { kind: 'admitted', isKnown: true, item: { ...item, again: { key, runs, by, note, at } } };
  }

  private admit({ tasks, known, repo, by }: AdmitInput): AdmitResult {
    const terms = { ...DEFAULT_BACKLOG, ...this.terms };
    const at = { host: 'h1', repo, repoKey: 'k' };
    let last = Math.max(known, this.numbers.size);
    const admitted = tasks.map((task): AdmitResult['tasks'][number] => {
      if ('again' in task) return this.readmit(task, { key: task.key, by });
      const { key, run, priority, gate, kind, dependsOn, files } = task;
      const before = this.numbers.get(key);
      if (before !== undefined) return { kind: 'admitted', isKnown: true, item: before };
      last += 1;
      const createdAt = new Date(this.now + last).toISOString();
      const list = key.slice(0, key.lastIndexOf('#'));
      const idOf = (one: string) => (one.startsWith('#') ? (this.numbers.get(`${list}${one}`)?.id ?? one) : one);
      const links = { dependsOn: dependsOn.map(idOf), files };
      const said = { key, title: run.task, hash: 'h', attended: false, priority, ...links, createdAt, by };
      const item: ItemInput = {
        ...at,
        project: PROJECT,
        id: String(last),
        ...said,
        gate: gate ?? (terms.gate === 'start' ? 'start' : null),
        parkedDays: terms.parkedDays,
        slotUntil: terms.slotUntil,
        kind,
        admission: null,
        again: null,
      };
      this.numbers.set(key, item);
      return { kind: 'admitted', isKnown: false, item };
    });
    return { ...at, terms, tasks: admitted };
  }
}
