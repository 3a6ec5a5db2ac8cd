/** The demo as a newcomer sees it: a real package, a worker killed in mid-turn, a plain check, and nothing left that lives. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { jsonLines, openCliWorld } from '../support/cli-world.js';
import { openedForEach } from '../support/opened.js';

const world = openedForEach(openCliWorld);

describe('sluice demo', () => {
  it('fixes both bugs through the death of its worker, a fix round and a gate, and plain git and node agree', async () => {
    const { code, stdout } = await world.sluice(['demo', '--json']);

    const lines = jsonLines(stdout);
    const check = lines.find(({ kind }) => kind === 'plain_check');
    const folder = String(check?.['folder']);
    const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => String(text));
    expect(lines.find(({ kind }) => kind === 'ended')).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
    expect(check).toMatchObject({ agrees: true, base: { exitCode: 1 }, branch: { exitCode: 0, failed: 0 } });
    expect(code).toBe(0);
    expect(notes.some((text) => text.includes('The worker was killed') && text.includes('started once'))).toBe(true);
    expect(startsOfExecuting(folder)).toBe(1);
    expect(statusesIn(lines)).toEqual(expect.arrayContaining(['fixing', 'waiting_for_approval']));
    expect(notes.some((text) => text.includes('gate-1 waits for a person before verifying'))).toBe(true);
    expect(notes.some((text) => text.includes('no process is left'))).toBe(true);
    expect(world.living()).toEqual([]);
    // It has a home of its own.
    expect(folder.startsWith(`${world.folder}/tmp/`)).toBe(true);
    expect(existsSync(world.home)).toBe(false);
    const [, cwd, home] = /cd (\S+) && export SLUICE_HOME=(\S+)/.exec(notes.join('\n')) ?? [];
    const status = await world.sluice(['status', '--json'], { cwd: cwd ?? '', env: { SLUICE_HOME: home ?? '' } });
    expect(jsonLines(status.stdout)).toMatchObject([{ status: 'merge_ready' }]);
  }, 300_000);

  it('withholds one fix and ends blocked, in plain lines where there is no terminal, the agent labelled scripted', async () => {
    const { code, stdout } = await world.sluice(['demo', '--withhold-fix']);

    expect(code).toBe(3);
    expect(stdout).toContain('planning started (agent scripted)');
    expect(stdout).toContain('blocked: review_loops_exhausted');
    expect(stdout).toMatch(/on the base: +\d+ of \d+ checks fail\n +on the branch: +\d+ of \d+ checks fail/);
    expect(stdout).toContain('it was started once');
    expect(stdout).not.toContain('\u001b');
    expect(world.living()).toEqual([]);
  }, 300_000);

  it('with --land has two branches that conflict merged by a repair and taken by one fast-forward, each commit on main green by plain git and node', async () => {
    const { code, stdout } = await world.sluice(['demo', '--land', '--json']);

    const lines = jsonLines(stdout);
    const check = lines.find(({ kind }) => kind === 'plain_check_landed');
    const landings = lines.filter(({ kind }) => kind === 'landing');
    const checkouts = lines.filter(({ kind }) => kind === 'checkout');
    const green = { exitCode: 0, failed: 0 };
    const repair = landings.map((landing) => landing['repair']).find((one) => one !== null);
    expect(check).toMatchObject({ agrees: true, landed: [green, green, green], missing: [], status: '' });
    expect(code).toBe(0);
    expect(repair).toMatchObject({ why: expect.stringContaining('conflict in index.js') });
    expect(checkouts).toMatchObject([{ updated: true }, { updated: true }]);
    expect(world.living()).toEqual([]);
  }, 300_000);

  it('with --backlog has four tasks ready behind one another through the death of a worker and a stop, taken by one command, each commit on main green, and what was edited as it was', async () => {
    const { code, stdout } = await world.sluice(['demo', '--backlog', '--json']);

    const lines = jsonLines(stdout);
    const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => String(text));
    const green = { exitCode: 0, failed: 0 };
    expect(lines.find(({ kind }) => kind === 'plain_check_landed')).toMatchObject({
      agrees: true,
      landed: [green, green, green, green],
      missing: [],
      status: ' M README.md\n?? notes.txt',
    });
    expect(code).toBe(0);
    expect(lines.filter(({ kind }) => kind === 'checkout')).toMatchObject([{ updated: true }]);
    expect(notes.filter((text) => /^ {2}minimist-[1-4] {2}merged$/.test(text))).toHaveLength(4);
    expect(notes.some((text) => text.includes('whose worker was killed was started once'))).toBe(true);
    // Stopped in mid-turn, it went on with a run of its own.
    const landed = lines.flatMap(({ kind, runId }) => (kind === 'landing' ? [String(runId)] : []));
    expect([...new Set(landed)].toSorted()).toEqual(['minimist-1', 'minimist-2.2', 'minimist-3', 'minimist-4']);
    expect(notes).toContain('What was edited by hand is as it was, to the byte.');
    expect(world.living()).toEqual([]);
  }, 300_000);

  it('with --skep has one task approved by its plan, a near copy refused with 3, one asked about in a file and one of three steps ready through the death of a worker and a red step, each commit on main once and green', async () => {
    const { code, stdout } = await world.sluice(['demo', '--skep', '--json']);

    const lines = jsonLines(stdout);
    const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => String(text));
    const check = lines.find(({ kind }) => kind === 'plain_check_landed');
    const green = { exitCode: 0, failed: 0 };
    const steps = ['1 step 1', '3 step 1', '4 step 1', '4 step 2', '4 step 3'].map((name) =>
      expect.objectContaining({ ...green, step: `minimist-${name}` }),
    );
    expect(check).toMatchObject({ agrees: true, missing: [], status: '' });
    expect(check?.['steps']).toHaveLength(steps.length);
    expect(check?.['steps']).toEqual(expect.arrayContaining(steps));
    expect(code).toBe(0);
    expect(lines.find(({ isDuplicate }) => isDuplicate === true)).toMatchObject({ id: '2', taskId: '1' });
    expect(notes).toContain('That was exit code 3, and no agent was asked.');
    expect(notes.some((text) => text.includes('whose worker was killed, was started twice'))).toBe(true);
    expect(notes.filter((text) => /^ {2}minimist-[134] {2}merged$/.test(text))).toHaveLength(3);
    const shown = lines.filter(({ kind, journal }) => kind === 'item' && journal !== undefined);
    expect(shown).toMatchObject([
      { id: '4', state: 'gated', reason: 'plan' },
      { id: '3', state: 'closed', reason: 'merged', admission: { round: 1 } },
    ]);
    expect(world.living()).toEqual([]);
  }, 300_000);

  it('leaves nothing that lives when it is interrupted', async () => {
    const demo = world.start(['demo']);

    await demo.prints('executing started');
    demo.process.kill('SIGINT');
    const { code } = await demo.done;

    expect(code).toBe(130);
    expect(world.living()).toEqual([]);
  }, 300_000);
});

/** From the run's events as the demo prints them. */
function statusesIn(lines: readonly Record<string, unknown>[]): unknown[] {
  return lines.flatMap((line) => (line['type'] === 'state.changed' ? [(line['data'] as { to?: unknown }).to] : []));
}

function startsOfExecuting(folder: string): number {
  const ledger = readFileSync(join(folder, 'agent-ledger.txt'), 'utf8').split('\n');
  return ledger.filter((line) => line.includes('START') && line.includes('executing')).length;
}
