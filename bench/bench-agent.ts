/**
 * The bench's agent: a fixed `/bin/sh` script that reads its prompt, changes one file when it may write, and decides in favour.
 * It keeps a ledger of its own, one START line a start. Files beside the ledger make it wait, ignore TERM, note the time of its start,
 * ask for changes so many times, fail once, answer what it is asked about a task, or print so many MB; a plain run has none of them.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskName } from '../protocol/run/admission-policy.js';
import type { TurnStage } from '../protocol/run/stages.js';
import { timedProcess } from './timed-process.js';

const SCRIPT = `#!/bin/sh
# $1 = folder of the ledger
[ ! -e "$1/clock" ] || echo "$(date +%s%N) $PWD $SLUICE_STAGE" >> "$1/clock"
[ ! -e "$1/stubborn" ] || trap '' TERM
echo "START \${PWD##*/} $SLUICE_STAGE" >> "$1/ledger"
while [ -e "$1/hold" ]; do sleep 0.05; done
decision=
while read -r word code rest; do
  case "$word $rest" in
    'DECISION APPROVED '*) decision="DECISION $code APPROVED" ;;
    'VERIFICATION PASSED '*) decision="VERIFICATION $code PASSED" ;;
  esac
done
refusals="$1/refuse-\${PWD##*/}"
if [ "$SLUICE_STAGE" = reviewing ] && [ -e "$refusals" ]; then
  read -r left < "$refusals"
  [ "$left" = 0 ] || decision="\${decision%APPROVED}CHANGES_REQUESTED"
  [ "$left" = 0 ] || echo $((left - 1)) > "$refusals"
fi
failure="$1/fail-\${PWD##*/}"
if [ "$SLUICE_STAGE" = executing ] && [ -e "$failure" ]; then
  rm "$failure"
  echo half >> changed.txt
  exit 3
fi
case $SLUICE_STAGE in executing | fixing) echo changed >> changed.txt ;; esac
[ ! -e "$1/answer-$SLUICE_STAGE" ] || cat "$1/answer-$SLUICE_STAGE"
if [ -e "$1/print-$SLUICE_STAGE" ]; then
  read -r mb < "$1/print-$SLUICE_STAGE"
  yes 'The bench agent looked at part-7/file-3.txt, found line 12 of it in order, and left it as it is.' | head -c "\${mb}000000"
  echo
fi
echo "The bench agent did its part of the stage $SLUICE_STAGE."
[ -z "$decision" ] || echo "$decision"
`;

/** The one validation command; green on what the agent leaves. */
export const VALIDATION_COMMAND = 'grep -q changed changed.txt';

/** The turns of a run without a fix round, in their order. */
export const TURN_STAGES = [
  'planning',
  'architecting',
  'executing',
  'reviewing',
  'verifying',
] as const satisfies readonly TurnStage[];
export const TURNS = TURN_STAGES.length;

export interface BenchAgent {
  /** YAML of a config with this agent alone. */
  readonly configText: string;
  /** How often the agent was started, by `<run> <stage>`. */
  starts(): ReadonlyMap<string, number>;
  hold(): void;
  readonly holdPath: string;
  /** From now on it ignores TERM. */
  stubborn(yes: boolean): void;
  /** From now on every start notes its time; `false` forgets the times. */
  watchClock(yes: boolean): void;
  /**
   * When a stage's agent was at work, as its own clock said; null before. `folder`: the end of the path that it works in, of a run its id. Unit: ms since 1970, with
   * fractions.
   */
  startedAt(folder: string, stage: string): number | null;
  /** The next so many reviews of the run ask for changes. */
  refuse(runId: string, reviews: number): void;
  /** The next executing turn of the run leaves half a change and fails. */
  fail(runId: string): void;
  /** From now on this is what it says to an ask, also by hand. */
  answers(ask: AskName, answer: unknown): void;
  /** From now on every turn of the stage prints so much, also by hand; 0: no more than usual. */
  prints(stage: string, mb: number): void;
  /** The script run by hand in an ordinary folder, as a turn would; what it prints is dropped, or goes to a file there. Milliseconds. */
  byHand(stage: string, prompt: string, output?: 'dropped' | 'kept'): Promise<number>;
}

/** `folder` exists and is the agent's alone. `others`: lines of YAML of further agents. */
export function makeAgent(folder: string, others: readonly string[]): BenchAgent {
  const script = join(folder, 'agent.sh');
  const holdPath = join(folder, 'hold');
  const clockPath = join(folder, 'clock');
  const hand = join(folder, 'by-hand');
  mkdirSync(hand);
  writeFileSync(script, SCRIPT, { mode: 0o755 });
  return {
    configText: [
      'version: 1',
      'agent: bench',
      // Its cost is no part of the figures.
      'sandbox: off',
      'agents:',
      '  bench:',
      '    adapter: command',
      '    command: [/bin/sh]',
      `    args: ${JSON.stringify([script, folder])}`,
      ...others,
      'validation:',
      `  commands: [${JSON.stringify(VALIDATION_COMMAND)}]`,
      '',
    ].join('\n'),
    starts: () => countStarts(join(folder, 'ledger')),
    hold: () => writeFileSync(holdPath, ''),
    holdPath,
    stubborn: (yes) =>
      yes ? writeFileSync(join(folder, 'stubborn'), '') : rmSync(join(folder, 'stubborn'), { force: true }),
    watchClock: (yes) => (yes ? writeFileSync(clockPath, '') : rmSync(clockPath, { force: true })),
    startedAt: (place, stage) => timeIn(clockPath, `/${place} ${stage}`),
    refuse: (runId, reviews) => writeFileSync(join(folder, `refuse-${runId}`), `${reviews}\n`),
    fail: (runId) => writeFileSync(join(folder, `fail-${runId}`), ''),
    answers: (ask, answer) => {
      for (const place of [folder, hand]) writeFileSync(join(place, `answer-${ask}`), `${JSON.stringify(answer)}\n`);
    },
    prints: (stage, mb) => {
      for (const place of [folder, hand]) {
        const path = join(place, `print-${stage}`);
        if (mb === 0) rmSync(path, { force: true });
        else writeFileSync(path, `${mb}\n`);
      }
    },
    byHand: (stage, prompt, output = 'dropped') =>
      timedProcess(['/bin/sh', script, hand], {
        cwd: hand,
        input: prompt,
        env: { SLUICE_STAGE: stage },
        ...(output === 'kept' ? { stdout: join(folder, 'stdout-by-hand') } : {}),
      }),
  };
}

function countStarts(ledger: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(ledger)) return counts;
  for (const line of readFileSync(ledger, 'utf8').split('\n')) {
    const [start, ...place] = line.split(' ');
    if (start === 'START') counts.set(place.join(' '), (counts.get(place.join(' ')) ?? 0) + 1);
  }
  return counts;
}

/** Errors: a `date` without nanoseconds. */
function timeIn(clock: string, place: string): number | null {
  const line = readFileSync(clock, 'utf8')
    .split('\n')
    .find((one) => one.endsWith(place));
  if (line === undefined) return null;
  const ms = Number(line.split(' ')[0]) / 1e6;
  if (Number.isNaN(ms)) throw new Error(`date gave no nanoseconds: ${line}`);
  return ms;
}
