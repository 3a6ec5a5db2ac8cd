/**
 * The bench's agent: a fixed `/bin/sh` script that reads its prompt, changes one file when it may write, and decides in favour.
 * It keeps a ledger of its own, one START line a start. Files beside the ledger make it wait, ignore TERM, note the time of its start,
 * or ask for changes so many times; a plain run has none of them.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SCRIPT = `#!/bin/sh
# $1 = folder of the ledger
[ ! -e "$1/clock" ] || echo "$(date +%s%N) \${PWD##*/} $SLUICE_STAGE" >> "$1/clock"
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
case $SLUICE_STAGE in executing | fixing) echo changed >> changed.txt ;; esac
echo "The bench agent did its part of the stage $SLUICE_STAGE."
[ -z "$decision" ] || echo "$decision"
`;

/** The one validation command; green on what the agent leaves. */
export const VALIDATION_COMMAND = 'grep -q changed changed.txt';

/** How many turns a plain run has. */
export const TURNS = 5;

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
  /** When a stage's agent was at work, as its own clock said; null before. Unit: ms since 1970, with fractions. */
  startedAt(runId: string, stage: string): number | null;
  /** The next so many reviews of the run ask for changes. */
  refuse(runId: string, reviews: number): void;
  /** The script run by hand in an ordinary folder, as a turn would. Milliseconds. */
  byHand(stage: string, prompt: string): Promise<number>;
}

/** `folder` exists and is the agent's alone. */
export function makeAgent(folder: string): BenchAgent {
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
      'agents:',
      '  bench:',
      '    adapter: command',
      '    command: [/bin/sh]',
      `    args: ${JSON.stringify([script, folder])}`,
      'validation:',
      `  commands: [${JSON.stringify(VALIDATION_COMMAND)}]`,
      '',
    ].join('\n'),
    starts: () => countStarts(join(folder, 'ledger')),
    hold: () => writeFileSync(holdPath, ''),
    holdPath,
    stubborn: (yes) => (yes ? writeFileSync(join(folder, 'stubborn'), '') : rmSync(join(folder, 'stubborn'), { force: true })),
    watchClock: (yes) => (yes ? writeFileSync(clockPath, '') : rmSync(clockPath, { force: true })),
    startedAt: (runId, stage) => timeIn(clockPath, `${runId} ${stage}`),
    refuse: (runId, reviews) => writeFileSync(join(folder, `refuse-${runId}`), `${reviews}\n`),
    byHand: (stage, prompt) => timedProcess(['/bin/sh', script, hand], { cwd: hand, input: prompt, env: { SLUICE_STAGE: stage } }),
  };
}

interface ByHand {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** From the start of a process to its end. Errors: an exit code but 0. */
export async function timedProcess(argv: readonly [string, ...string[]], { cwd, input = '', env = {} }: ByHand): Promise<number> {
  const [program, ...args] = argv;
  const began = performance.now();
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const took = performance.now() - began;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code ?? 'a signal'}`);
  return took;
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
    .find((one) => one.endsWith(` ${place}`));
  if (line === undefined) return null;
  const ms = Number(line.split(' ')[0]) / 1e6;
  if (Number.isNaN(ms)) throw new Error(`date gave no nanoseconds: ${line}`);
  return ms;
}
