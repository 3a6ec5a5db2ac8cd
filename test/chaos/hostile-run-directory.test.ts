/** An agent that does to the run directory, and to the repository, whatever it can: the run ends as it would have, and says what was found. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { TurnStage } from '../../protocol/run/stages.js';
import { heldIn, reached } from '../support/held-stage.js';
import { openedForEach } from '../support/opened.js';
import { tracesOf } from '../support/run-traces.js';
import { openTestHost } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, type RepositoryOptions } from '../support/test-repository.js';

const LIMIT_MS = 300_000;

const host = openedForEach(openTestHost);

/** Shell lines that an agent of the stage runs; `$run` is the run directory, `$git` the repository's. */
function mischief(lines: Partial<Record<Exclude<TurnStage, 'fixing'>, string>>): RepositoryOptions {
  const places =
    'git=$(git rev-parse --path-format=absolute --git-common-dir); run=$(echo "$git"/../.sluice/runs/run-????????)';
  const stages = Object.entries(lines).map(([stage, line]) => {
    const turn = PLAIN_FIXTURE.stages[stage as keyof typeof lines];
    return [stage, { ...turn, run: `${places}; ${line}` }] as const;
  });
  return { fixture: fixtureWith(Object.fromEntries(stages)) };
}

describe('an agent that puts entries of its own where the run directory is written', () => {
  it(
    'stops nothing: each is moved aside and journalled, and the files are whole at the end',
    async () => {
      const repository = await host.repository(
        mischief({
          planning:
            'rm "$run/state.json" "$run/events.jsonl"; mkdir -p "$run/state.json/x"; mkfifo "$run/events.jsonl"',
          architecting: 'mv "$run" "$run.hidden"; ln -s "$run.hidden" "$run"',
          executing: 'ln -s "$HOME" "$run/rounds"; mkfifo "$run/validation.json"',
          reviewing: 'echo "{}" > "$run/validation.json"; mkfifo "$run/metrics.json"',
        }),
      );
      await host.startWorker();
      const run = await host.startRun(repository);

      const traces = await tracesOf({ run, repository, home: host.home });

      expect(traces).toMatchObject({ outcome: 'merge_ready', error: null, commits: 1, living: [] });
      expect(traces.journal).toEqual(expect.arrayContaining(['run.created', 'run.completed']));
      expect(traces.agents.filter((line) => line.endsWith('START'))).toHaveLength(5);
      const found = run.events().filter(({ message }) => message.includes('where the engine writes'));
      for (const { type, data } of found)
        expect({ type, gate: data['gate'] }).toEqual({ type: 'repository.changed', gate: false });
      expect(found.map(({ message }) => message.split(',')[0])).toEqual([
        `a FIFO stood at ${run.runId}/events.jsonl`,
        `a folder stood at ${run.runId}/state.json`,
        `a symlink stood at ${run.runId}`,
        `a symlink stood at ${run.runId}/rounds`,
        `a FIFO stood at ${run.runId}/validation.json`,
      ]);
      expect(JSON.parse(run.read('state.json'))).toMatchObject({ status: 'merge_ready' });
      expect(run.read('report.md')).toContain('No checks ran.');
      expect(JSON.parse(run.read('metrics.json'))).toMatchObject({ turns: 5 });
      expect(readdirSync(dirname(run.runDir)).sort()).toEqual([
        '.gitignore',
        run.runId,
        `${run.runId}.found-1`,
        `${run.runId}.hidden`,
      ]);
      expect(existsSync(join(host.folder, 'person', '0'))).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'in the place of what it says: nothing is written through a link, and what is not ours stays',
    async () => {
      const plant = (turn: string, line: string, live = 'live.md') =>
        [
          `turn="$run/turns/${turn}"; mkdir -p "$turn"; ${line}`,
          'echo spoken >> /proc/$PPID/fd/1',
          `n=0; while [ -L "$turn/${live}" ] || [ ! -s "$turn/${live}" ] && [ $n -lt 1200 ]; do n=$((n + 1)); sleep 0.05; done`,
        ].join('; ');
      const repository = await host.repository(
        mischief({
          planning: plant('2-planning', 'printf mine > "$HOME/victim"; ln -s "$HOME/victim" "$turn/live.md"'),
          architecting: plant('3-architecting', 'mkfifo "$turn/live.md"'),
          executing: plant('4-executing', 'ln "$HOME/victim" "$turn/live.md"', 'live.2.md'),
          reviewing: plant('6-reviewing', 'printf foreign > "$turn/live.md"', 'live.2.md'),
        }),
      );
      await host.startWorker();
      const run = await host.startRun(repository);

      expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });

      expect(readFileSync(join(host.env['HOME'] ?? '', 'victim'), 'utf8')).toBe('mine');
      expect(run.read('turns/2-planning/live.md')).toBe('spoken\nPlan: add a line to a.txt.');
      expect(run.read('turns/3-architecting/live.md')).toBe('spoken\nArchitecture: one file.');
      expect(run.read('turns/4-executing/live.2.md')).toBe('spoken\nAdded a line.');
      expect(run.read('turns/6-reviewing/live.md')).toBe('foreign');
      expect(run.read('turns/6-reviewing/live.2.md')).toMatch(/^spoken\nLooks right\.\n/);
      const found = run.events().filter(({ message }) => message.includes('where the engine writes'));
      expect(found.map(({ message }) => message.split(',')[0])).toEqual([
        `a symlink stood at ${run.runId}/turns/2-planning/live.md`,
        `a FIFO stood at ${run.runId}/turns/3-architecting/live.md`,
      ]);
    },
    LIMIT_MS,
  );

  it(
    'cannot keep a run from being aborted; a runs directory that leads elsewhere is not followed',
    async () => {
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');
      const runsDir = dirname(run.runDir);
      const elsewhere = join(host.folder, 'elsewhere');
      mkdirSync(elsewhere);
      renameSync(runsDir, `${runsDir}.old`);
      symlinkSync(elsewhere, runsDir);

      await run.handle.cancel();

      expect(await run.result()).toMatchObject({ outcome: 'aborted' });
      expect(readdirSync(elsewhere)).toEqual([]);
      expect(lstatSync(runsDir).isSymbolicLink()).toBe(true);
    },
    LIMIT_MS,
  );
});

describe('an agent that damages the repository', () => {
  it(
    'with 1 500 hooks: the run ends blocked, and names some of them',
    async () => {
      const repository = await host.repository(
        mischief({ planning: 'cd "$git/hooks" && seq 10001 11500 | xargs touch' }),
      );
      await host.startWorker();
      const run = await host.startRun(repository, { attended: false });

      expect(await run.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });

      const told = run.events().filter(({ type }) => type === 'repository.changed');
      expect(told[0]?.message).toContain('hooks/10001 changed during the turn');
      expect(told.at(-1)?.message).toBe('… and 1480 more');
    },
    LIMIT_MS,
  );

  it(
    'by deleting a git object that the report needs: the run ends as it would have, and the report says what it cannot show',
    async () => {
      const repository = await host.repository(
        mischief({
          verifying:
            't=$(git rev-parse main^{tree}); rm -f "$git/objects/$(echo $t | cut -c1-2)/$(echo $t | cut -c3-)"',
        }),
      );
      await host.startWorker();
      const run = await host.startRun(repository);

      expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });

      expect(() =>
        execFileSync('git', ['diff', 'main', `sluice/${run.runId}`], { cwd: repository.path, stdio: 'ignore' }),
      ).toThrow();
      expect(readFileSync(join(run.runDir, 'report.md'), 'utf8')).toContain(
        'The list cannot be shown: git cannot compare',
      );
    },
    LIMIT_MS,
  );
});
