/** A merge queue whose base is a forge's: what the forge cannot be asked, a host that is away, and what it merged to another tree than the checked one. */
import { describe, expect, it } from '@jest/globals';
import type { SeenBase } from '../../../protocol/actors/merge-queue.js';
import { EMPTY_QUEUE, type QueueErrand, type QueueState } from '../../../workflows/merge-queue/queue-state.js';
import { afterEvent, QUEUE_RULES } from '../../../workflows/merge-queue/queue-table.js';
import { holdOf } from '../../../workflows/merge-queue/queue-watch.js';
import { anEntry } from '../../support/queue-world.js';

const MINUTE_MS = 60_000;
const BASE = { at: '0', contains: 0, use: null };

class Queue {
  state: QueueState = EMPTY_QUEUE;
  now = 0;
  errands: QueueErrand[] = [];

  constructor(...hosts: readonly string[]) {
    for (const [n, host] of hosts.entries())
      this.tell({ kind: 'enqueue', entry: anEntry(n, { host, repoKey: `on-${host}`, pull: n + 1 }) });
  }

  tell(event: Parameters<typeof afterEvent>[1]): void {
    const step = afterEvent(this.state, event, this.now);
    this.state = JSON.parse(JSON.stringify(step.state)) as QueueState;
    this.errands.push(...step.errands);
  }

  get doing(): string {
    const last = this.errands.filter(({ kind }) => kind !== 'tell' && kind !== 'watch').at(-1);
    return last !== undefined && this.state.isAtWork && 'entry' in last ? `${last.kind} ${last.entry.id}` : 'rest';
  }

  get told(): readonly unknown[] {
    return this.errands.flatMap((errand) => (errand.kind === 'tell' ? [errand.change] : []));
  }

  /** Its time has come. */
  wake(): void {
    this.now = QUEUE_RULES.at(-1)?.wakesAt(this.state) ?? this.now;
    this.tell({ kind: 'tick' });
  }
}

describe('a merge queue on a forge', () => {
  it.each([
    ['in two minutes where the forge does not say when', null, 2 * MINUTE_MS],
    ['at the time that the forge says', new Date(5 * MINUTE_MS).toISOString(), 5 * MINUTE_MS],
  ])('is held while the forge cannot be asked, uses no attempt, and is tried again %s', (_, until, at) => {
    const queue = new Queue('h');
    const base: SeenBase = { held: { reason: 'forge', why: 'the forge does not answer' }, until };
    queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved' } });

    expect([queue.doing, holdOf(queue.state)?.reason, queue.state.entries[0]?.used]).toEqual(['rest', 'forge', 0]);
    expect(queue.told).toMatchObject([{ state: 'waiting', why: 'the forge does not answer' }]);
    queue.wake();
    expect([queue.now, queue.doing]).toEqual([at, 'look e0']);
    queue.tell({ kind: 'looked', base, by: 'e0', asked: [], watched: [] });
    expect(queue.doing).toBe('rest');
    queue.wake();
    queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });
    expect([queue.doing, holdOf(queue.state)]).toEqual(['land e0', null]);
  });

  const limited: SeenBase = {
    held: { reason: 'forge', why: 'its limit is used up' },
    until: new Date(5 * MINUTE_MS).toISOString(),
  };

  it('lands the others of a host where the forge does not take one head of it, which is tried ever more seldom, or once somebody rings', () => {
    const queue = new Queue('h', 'h', 'h');
    const held: SeenBase = { held: { reason: 'forge', why: 'the token may not do this' }, until: null };
    const tries: number[] = [];
    const goOn = (until: () => boolean) => {
      for (let steps = 0; steps < 100 && !until(); steps += 1) {
        const { doing } = queue;
        if (doing === 'land e0') tries.push(queue.now / MINUTE_MS);
        if (doing === 'rest') queue.wake();
        else if (doing.startsWith('look'))
          queue.tell({ kind: 'looked', base: BASE, by: doing.slice(-2), asked: [], watched: [] });
        else if (doing === 'land e0') queue.tell({ kind: 'landed', id: 'e0', base: held, landed: { kind: 'moved' } });
        else queue.tell({ kind: 'landed', id: doing.slice(-2), base: BASE, landed: { kind: 'merged', commit: 'c' } });
      }
    };
    goOn(() => queue.state.entries.length === 1);
    expect([queue.now, tries]).toEqual([2 * MINUTE_MS, [0]]);

    goOn(() => tries.length === 7);
    expect(tries).toEqual([0, 2, 6, 14, 30, 60, 90]);
    queue.now += MINUTE_MS;
    queue.tell({ kind: 'look', by: 'ada' });
    goOn(() => tries.length === 8);
    expect(tries.at(-1)).toBe(91);
  });

  it('lands the oldest first though the base could not be seen when it was its turn', () => {
    const queue = new Queue('h', 'h');
    const base: SeenBase = { held: { reason: 'forge', why: 'the forge does not answer' }, until: null };
    queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved', isUnseen: true } });
    queue.wake();
    queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });

    expect(queue.doing).toBe('land e0');
  });

  it('asks a forge for nothing before its limit is over, however often somebody rings', () => {
    const queue = new Queue('h');
    queue.tell({ kind: 'landed', id: 'e0', base: limited, landed: { kind: 'moved' } });
    const asked = queue.errands.length;
    for (; queue.now < 5 * MINUTE_MS; queue.now += 1_000) queue.tell({ kind: 'look', by: null });
    expect(queue.errands).toHaveLength(asked);
    expect(QUEUE_RULES.at(-1)?.judge(queue.state, { kind: 'look', by: null })).toMatchObject({
      message: expect.stringContaining('limit'),
    });
    queue.tell({ kind: 'look', by: null });
    expect(queue.doing).toBe('look e0');
    queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });
    expect(queue.doing).toBe('land e0');
  });

  it('asks it for nothing before its time either where somebody else is to take a head there', () => {
    const queue = new Queue();
    queue.tell({ kind: 'enqueue', entry: anEntry(0, { host: 'h', repoKey: 'on-h', watch: true }) });
    expect(queue.doing).toBe('look e0');
    queue.tell({ kind: 'looked', base: limited, by: 'e0', asked: ['e0'], watched: [] });
    expect(queue.doing).toBe('rest');
    queue.wake();
    expect([queue.now, queue.doing]).toEqual([5 * MINUTE_MS, 'look e0']);
  });

  it('goes on with the heads of other hosts where one is away, and tries that again in time', () => {
    const queue = new Queue('gone', 'here');
    expect(queue.doing).toBe('land e0');
    queue.tell({ kind: 'away', id: 'e0', failure: null, isUnsure: false });
    expect(queue.doing).toBe('land e1');
    expect(queue.told).toMatchObject([{ id: 'e0', state: 'waiting', why: expect.stringContaining('gone is away') }]);
    queue.tell({ kind: 'landed', id: 'e1', base: BASE, landed: { kind: 'merged', commit: 'm' } });
    queue.wake();
    expect([queue.now, queue.doing, queue.state.entries[0]?.used]).toEqual([MINUTE_MS, 'land e0', 0]);
  });

  it('looks at its base by another host where one is away, so that a hold ends', () => {
    const queue = new Queue('gone', 'here');
    queue.tell({ kind: 'landed', id: 'e0', base: limited, landed: { kind: 'moved' } });
    queue.wake();
    expect(queue.doing).toBe('look e0');
    queue.tell({ kind: 'away', id: 'e0', failure: null, isUnsure: false });
    expect(queue.doing).toBe('rest');
    queue.now += MINUTE_MS - 1;
    queue.tell({ kind: 'look', by: 'ada' });
    expect(queue.doing).toBe('look e1');
    queue.tell({ kind: 'looked', base: BASE, by: 'e1', asked: [], watched: [] });
    expect([queue.doing, holdOf(queue.state)]).toEqual(['land e1', null]);
  });

  it('asks a host that stays away ever more seldom, half an hour apart at last, and in its turn once it has answered', () => {
    const queue = new Queue('gone');
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      queue.now += MINUTE_MS;
      queue.tell({ kind: 'away', id: 'e0', failure: null, isUnsure: false });
      const since = queue.now;
      queue.wake();
      waits.push((queue.now - since) / MINUTE_MS);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
    queue.tell({ kind: 'enqueue', entry: anEntry(1, { host: 'gone', repoKey: 'on-gone', pull: 2 }) });
    queue.tell({ kind: 'landed', id: 'e0', base: BASE, landed: { kind: 'merged', commit: 'm' } });
    expect(queue.doing).toBe('land e1');
    queue.tell({ kind: 'away', id: 'e1', failure: null, isUnsure: false });
    const since = queue.now;
    queue.wake();
    expect((queue.now - since) / MINUTE_MS).toBe(1);
  });

  it.each([
    ['is watched for', true],
    ['was withdrawn behind an attempt that was lost', false],
  ])('looks for a head that %s no oftener than its host, which stays away, is asked', (_what, watch) => {
    const queue = new Queue();
    queue.tell({ kind: 'enqueue', entry: anEntry(0, { host: 'gone', repoKey: 'on-gone', pull: 1, watch }) });
    const away = () => queue.tell({ kind: 'away', id: 'e0', failure: 'lost', isUnsure: !watch });
    away();
    queue.tell({ kind: 'watched', base: 'unwatched' });
    if (!watch) queue.tell({ kind: 'withdraw', id: 'e0' });
    const waits: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const since = queue.now;
      queue.wake();
      expect(queue.doing).toBe('look e0');
      waits.push((queue.now - since) / MINUTE_MS);
      away();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('asks a host that cannot see its base ever more seldom, until it has seen it', () => {
    const queue = new Queue('h');
    const base: SeenBase = { held: { reason: 'forge', why: 'its token has expired' }, until: null };
    const waits: number[] = [];
    queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved' } });
    for (let n = 0; n < 6; n += 1) {
      const since = queue.now;
      queue.wake();
      expect(queue.doing).toBe('look e0');
      waits.push((queue.now - since) / MINUTE_MS);
      queue.tell({ kind: 'looked', base: n === 2 ? limited : base, by: 'e0', asked: [], watched: [] });
    }
    expect(waits).toEqual([2, 4, 8, 1 / 60, 16, 30]);
    queue.wake();
    queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });
    queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved' } });
    const since = queue.now;
    queue.wake();
    expect((queue.now - since) / MINUTE_MS).toBe(2);
  });

  it('is looked at soon by a host that comes while all others are away', () => {
    const queue = new Queue('h');
    const base: SeenBase = { held: { reason: 'forge', why: 'its token has expired' }, until: null };
    queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved' } });
    for (let n = 0; n < 6; n += 1) {
      queue.wake();
      queue.tell({ kind: 'looked', base, by: 'e0', asked: [], watched: [] });
    }
    const since = queue.now;
    queue.tell({ kind: 'enqueue', entry: anEntry(1, { host: 'other', repoKey: 'on-other', pull: 2 }) });
    queue.wake();
    expect([queue.now - since, queue.doing]).toEqual([MINUTE_MS, 'look e1']);
  });

  it('goes on with the heads of other hosts where one takes the work and cannot do it, and says why', () => {
    const queue = new Queue('full', 'here');
    queue.tell({ kind: 'away', id: 'e0', failure: 'ENOSPC: no space left on device', isUnsure: true });

    expect(queue.doing).toBe('land e1');
    expect(queue.told).toMatchObject([
      { id: 'e0', state: 'waiting', why: 'its host full could not do it: ENOSPC: no space left on device' },
    ]);
  });

  it.each([0, 5])(
    'is not held for others by one host that cannot see its base, whose head has priority %i',
    (priority) => {
      const queue = new Queue();
      for (const [n, host] of ['bad', 'good'].entries())
        queue.tell({
          kind: 'enqueue',
          entry: anEntry(n, { host, repoKey: `on-${host}`, pull: n + 1, priority: host === 'bad' ? priority : 0 }),
        });
      const unseen: SeenBase = { held: { reason: 'forge', why: 'its token has expired' }, until: null };
      expect(queue.doing).toBe('land e0');
      queue.tell({ kind: 'landed', id: 'e0', base: unseen, landed: { kind: 'moved' } });
      queue.wake();
      expect([queue.now, queue.doing]).toEqual([MINUTE_MS, 'look e1']);
      queue.tell({ kind: 'looked', base: BASE, by: 'e1', asked: [], watched: [] });
      expect(queue.doing).toBe('land e1');
      queue.tell({ kind: 'landed', id: 'e1', base: BASE, landed: { kind: 'merged', commit: 'm' } });
      // The one that is left has its turn again.
      for (let n = 0; n < 2; n += 1) {
        queue.wake();
        expect(queue.doing).toBe(n === 0 ? 'land e0' : 'look e0');
        const event = n === 0 ? { kind: 'landed' as const, id: 'e0', landed: { kind: 'moved' as const } } : null;
        queue.tell(
          event === null
            ? { kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] }
            : { ...event, base: unseen },
        );
      }
      expect(queue.doing).toBe('land e0');
    },
  );

  it('is looked at by each of its hosts in turn while none of them can see it', () => {
    const queue = new Queue('bad', 'worse', 'good');
    const base: SeenBase = { held: { reason: 'forge', why: 'the forge does not answer' }, until: null };
    queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved' } });
    const looks: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      queue.wake();
      looks.push(queue.doing);
      queue.tell({ kind: 'looked', base, by: queue.doing.slice('look '.length), asked: [], watched: [] });
    }
    expect(looks).toEqual(['look e1', 'look e2', 'look e0', 'look e1', 'look e2', 'look e0']);
  });

  describe('whose host was lost while it landed a head', () => {
    const lost = (withdrawn: 'meanwhile' | 'afterwards') => {
      const queue = new Queue('gone', 'here');
      const withdraw = () => queue.tell({ kind: 'withdraw', id: 'e0' });
      if (withdrawn === 'meanwhile') withdraw();
      queue.tell({ kind: 'away', id: 'e0', failure: 'activity Heartbeat timeout', isUnsure: true });
      if (withdrawn === 'afterwards') withdraw();
      queue.tell({ kind: 'landed', id: 'e1', base: BASE, landed: { kind: 'merged', commit: 'm' } });
      expect(queue.told).not.toContainEqual(expect.objectContaining({ id: 'e0', state: 'withdrawn' }));
      for (let steps = 0; queue.doing !== 'look e0'; steps += 1) {
        expect([queue.doing, steps < 5]).toEqual(['rest', true]);
        queue.wake();
      }
      expect(queue.errands.at(-1)).toMatchObject({ kind: 'look', watched: [{ id: 'e0', pull: 1 }] });
      return queue;
    };

    it.each(['meanwhile', 'afterwards'] as const)(
      'says that it is merged though it was withdrawn %s, where it is there',
      (when) => {
        const queue = lost(when);
        const landed = { kind: 'merged', commit: 'there' } as const;
        queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: ['e0'], watched: [{ id: 'e0', landed }] });
        expect(queue.told.at(-1)).toMatchObject({ id: 'e0', state: 'merged', commit: 'there' });
      },
    );

    it.each(['meanwhile', 'afterwards'] as const)(
      'says that it is withdrawn, as it was %s, once it was looked for',
      (when) => {
        const queue = lost(when);
        queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: ['e0'], watched: [] });
        expect(queue.told.at(-1)).toMatchObject({ id: 'e0', state: 'withdrawn' });
        expect(queue.state.entries).toEqual([]);
      },
    );

    it('is not told as withdrawn where that host is back and cannot see the base, before it was looked for', () => {
      const queue = new Queue('gone');
      queue.tell({ kind: 'away', id: 'e0', failure: 'activity Heartbeat timeout', isUnsure: true });
      queue.wake();
      expect(queue.doing).toBe('land e0');
      const base: SeenBase = { held: { reason: 'forge', why: 'its token has expired' }, until: null };
      queue.tell({ kind: 'landed', id: 'e0', base, landed: { kind: 'moved' } });
      queue.tell({ kind: 'withdraw', id: 'e0' });
      expect(queue.told).not.toContainEqual(expect.objectContaining({ state: 'withdrawn' }));
      queue.wake();
      expect(queue.doing).toBe('look e0');
      queue.tell({ kind: 'looked', base, by: 'e0', asked: [], watched: [] });
      queue.wake();
      queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });
      expect(queue.doing).toBe('look e0');
      const landed = { kind: 'merged', commit: 'there' } as const;
      queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: ['e0'], watched: [{ id: 'e0', landed }] });
      expect(queue.told.at(-1)).toMatchObject({ id: 'e0', state: 'merged', commit: 'there' });
    });

    it.each(['is away', 'cannot see its base'])(
      'says after a day that a head that was withdrawn may be on the base, where that host %s as long',
      (how) => {
        const queue = new Queue('gone');
        const lose = () => queue.tell({ kind: 'away', id: 'e0', failure: 'lost', isUnsure: true });
        const base: SeenBase = { held: { reason: 'forge', why: 'its token has expired' }, until: null };
        lose();
        queue.now += MINUTE_MS / 2;
        const since = queue.now;
        queue.tell({ kind: 'withdraw', id: 'e0' });
        for (let looks = 0; queue.state.entries.length > 0; looks += 1) {
          expect(looks).toBeLessThan(60);
          queue.wake();
          if (queue.doing === 'rest') continue;
          if (how === 'is away') lose();
          else queue.tell({ kind: 'looked', base, by: 'e0', asked: [], watched: [] });
        }
        expect(queue.now - since).toBe(24 * 60 * MINUTE_MS);
        const why = expect.stringMatching(/^it may be on the base: its host gone/);
        expect(queue.told.at(-1)).toMatchObject({ id: 'e0', state: 'withdrawn', why });
      },
    );

    it('lets a head go at once that was only asked of a host that is away', () => {
      const queue = new Queue('gone', 'here');
      queue.tell({ kind: 'away', id: 'e0', failure: null, isUnsure: false });
      queue.tell({ kind: 'withdraw', id: 'e0' });
      expect(queue.told.at(-1)).toMatchObject({ id: 'e0', state: 'withdrawn' });
    });
  });

  it('has each host look for its own heads, and waits for those of one that is away', () => {
    const queue = new Queue();
    for (const [n, host] of ['gone', 'here', 'gone', 'there'].entries())
      queue.tell({ kind: 'enqueue', entry: anEntry(n, { host, repoKey: `on-${host}`, watch: true }) });
    const look = () => {
      const last = queue.errands.filter(({ kind }) => kind === 'look').at(-1);
      return last?.kind === 'look' ? [last.entry.host, last.watched.map(({ id }) => id)] : null;
    };
    expect([queue.doing, look()]).toEqual(['look e0', ['gone', ['e0']]]);
    queue.tell({ kind: 'away', id: 'e0', failure: null, isUnsure: false });
    // Those of its host wait with it.
    for (const id of ['e1', 'e3']) {
      expect([queue.doing, look()]).toEqual([`look ${id}`, [id === 'e1' ? 'here' : 'there', [id]]]);
      queue.tell({ kind: 'looked', base: BASE, by: id, asked: [id], watched: [] });
    }
    expect(queue.doing).toBe('rest');
    queue.wake();
    expect([queue.now, queue.doing, look()]).toEqual([MINUTE_MS, 'look e0', ['gone', ['e0', 'e2']]]);
    expect(queue.told).toMatchObject([{ id: 'e0', why: expect.stringContaining('gone is away') }]);
    queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: ['e0', 'e2'], watched: [] });
    expect([queue.doing, queue.told.at(-1)]).toMatchObject(['rest', { id: 'e0', why: null }]);
  });

  it('gives a head back whose pull request may not be merged, and lands the next', () => {
    const queue = new Queue('h', 'h');
    const landed = { kind: 'exhausted', reason: 'not_ready', why: 'a review is missing' } as const;
    queue.tell({ kind: 'landed', id: 'e0', base: BASE, landed });

    expect(queue.told).toMatchObject([{ id: 'e0', state: 'exhausted', reason: 'not_ready' }]);
    expect(queue.doing).toBe('land e1');
  });

  describe('that merged another tree than the checked one', () => {
    const there = () => {
      const queue = new Queue('h');
      queue.tell({ kind: 'landed', id: 'e0', base: BASE, landed: { kind: 'merged', commit: 'm', uncheckedOn: '0' } });
      return queue;
    };
    const checked = { kind: 'checked', id: 'e0', on: '0', tree: 't', checks: 'c', at: '', isBaseRed: false } as const;

    it.each([
      ['green', false, null],
      ['red', false, 'red'],
      ['red', true, null],
      ['unchecked', false, 'unchecked'],
    ] as const)(
      'checks it before it says that it is merged: %s, on a base that is red: %s',
      (outcome, isBaseRed, reason) => {
        const queue = there();
        expect([queue.doing, queue.told]).toEqual(['check e0', []]);
        expect(queue.errands.at(-1)).toMatchObject({ commit: 'm', on: '0' });
        queue.tell({ ...checked, outcome, isBaseRed, why: outcome === 'green' ? null : 'no' });

        expect(queue.told).toMatchObject([{ id: 'e0', state: 'merged', commit: 'm', reason }]);
        expect(queue.state.entries).toEqual([]);
      },
    );

    it('is merged though it was withdrawn meanwhile, or could not be checked', () => {
      for (const end of [
        { kind: 'withdraw', id: 'e0' },
        { kind: 'failed', id: 'e0', why: 'its run is gone' },
      ] as const) {
        const queue = there();
        queue.tell(end);
        if (end.kind === 'withdraw') queue.tell({ ...checked, outcome: 'green', why: null });
        expect(queue.told).toMatchObject([{ id: 'e0', state: 'merged', commit: 'm' }]);
      }
    });

    it.each([
      ['its host went away', { kind: 'away', id: 'e0', failure: null, isUnsure: false }],
      ['nobody trusts the config', { ...checked, outcome: 'held', reason: 'config_not_trusted', why: 'nobody did' }],
    ] as const)('is not told as withdrawn where %s before its check', (_why, event) => {
      const queue = there();
      queue.tell(event);
      queue.tell({ kind: 'withdraw', id: 'e0' });
      expect(queue.told).not.toContainEqual(expect.objectContaining({ state: 'withdrawn' }));
      queue.now += 5 * MINUTE_MS;
      queue.tell({ kind: 'look', by: 'ada' });
      queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });
      expect(queue.doing).toBe('land e0');
      queue.tell({ kind: 'landed', id: 'e0', base: BASE, landed: { kind: 'merged', commit: 'm' } });
      expect(queue.told.at(-1)).toMatchObject({ id: 'e0', state: 'merged', commit: 'm' });
    });

    it('is looked for again once somebody trusted the config by which it is checked', () => {
      const queue = there();
      queue.tell({ ...checked, outcome: 'held', reason: 'config_not_trusted', why: 'nobody trusted it' });
      expect(queue.doing).toBe('rest');
      queue.tell({ kind: 'look', by: 'ada' });
      queue.tell({ kind: 'looked', base: BASE, by: 'e0', asked: [], watched: [] });
      expect(queue.doing).toBe('land e0');
    });
  });
});
