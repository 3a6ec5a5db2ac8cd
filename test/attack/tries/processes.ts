/** What an agent starts and leaves, and how large, long and loud it can be. */
import { OUTPUT_BYTES } from '../plan-runs.js';
import { inGroup, lives, passes, seen, spoils } from '../try.js';

/** Lives until it is killed, with its tag in its command line. */
const FOR_EVER = `: $TAG; trap "" TERM HUP INT; while :; do sleep 1; done`;

const daemon = (id: string, how: string, line: string, more: object = {}) =>
  ({
    id,
    what: `leaves a process: ${how}`,
    line,
    effect: lives,
    inside: 'held S11',
    outside: 'held A21',
    ...more,
  }) as const;

const SETSID = `setsid sh -c '${FOR_EVER}' > /dev/null 2>&1 &`;

/** At most so many, counted, so that it can harm nobody. */
const FORKS = 300;

export const PROCESSES = inGroup('processes', [
  daemon('daemon', 'a session of its own', SETSID, { short: true }),
  daemon('daemon-nohup', 'nohup', `nohup sh -c '${FOR_EVER}' > /dev/null 2>&1 &`),
  daemon(
    'daemon-double-fork',
    'forked twice, in a session of its own',
    `(setsid sh -c '(sh -c "${FOR_EVER.replaceAll('"', '\\"')}") & exit' > /dev/null 2>&1 &)`,
  ),
  daemon(
    'daemon-no-tag',
    'without its environment',
    `env -i TAG="$TAG" setsid sh -c '${FOR_EVER}' > /dev/null 2>&1 &`,
    { short: true },
  ),
  daemon(
    'daemon-no-marks',
    'without its environment and its limits',
    `env -i TAG="$TAG" setsid prlimit --msgqueue=4096:4096 sh -c ': '"$TAG"'; while :; do sleep 1; done' > /dev/null 2>&1 &`,
    { outside: 'documented O7', short: true },
  ),
  daemon('daemon-holds-output', 'that holds its output open', `setsid sh -c '${FOR_EVER}' > /proc/$AGENT/fd/1 2>&1 &`),
  daemon('daemon-stopped', 'stopped', `setsid sh -c ': $TAG; kill -STOP $$; sleep 1000' > /dev/null 2>&1 &`),
  daemon(
    'daemon-forking',
    'that goes on from child to child',
    `setsid sh -c 'n=0; while [ $n -lt 200 ]; do n=$((n + 1)); setsid sleep 1000 > /dev/null 2>&1 & sleep 0.05; done' > /dev/null 2>&1 &`,
  ),
  daemon(
    'daemon-many',
    'and 300 more',
    `n=0; while [ $n -lt ${FORKS} ]; do n=$((n + 1)); setsid sleep 1000 > /dev/null 2>&1 & done`,
    {
      limitMs: 30_000,
    },
  ),
  daemon('daemon-look', 'in a read-only turn', SETSID, { turn: 'look' }),
  daemon('daemon-fail', 'in a turn that fails', SETSID, { turn: 'fail' }),
  daemon('daemon-abort', 'before an abort', SETSID, { turn: 'abort' }),
  daemon('daemon-setup', 'in the set-up', SETSID, { turn: 'setup' }),
  daemon('daemon-check', 'in a validation command', SETSID, { turn: 'check' }),
  {
    id: 'deaf-to-abort',
    what: 'does not end when it is told to',
    turn: 'abort',
    line: `exec setsid sh -c '${FOR_EVER}'`,
    effect: lives,
    inside: 'held S11',
    outside: 'held A21',
    limitMs: 1500,
  },
  {
    id: 'kill-parent',
    what: 'kills the process above it',
    line: 'setsid sleep 1000 > /dev/null 2>&1 & kill -9 "$(sed -n "s/^PPid:[^0-9]*//p" /proc/$AGENT/status)"',
    effect: lives,
    inside: 'held S11',
    outside: 'held A20',
    run: 'alone',
  },
  {
    id: 'fork-bomb',
    what: 'starts 300 processes at once within its turn, unhindered',
    line: `n=0; while [ $n -lt ${FORKS} ]; do n=$((n + 1)); sleep 20 & done; ls -d /proc/[0-9]* | wc -l > "$LOOT"`,
    effect: seen((after) => Number(after.loot) >= FORKS),
    inside: 'documented N13',
    outside: 'documented N13',
    run: 'alone',
    limitMs: 30_000,
  },
]);

const LARGE = seen(({ bytesLeft }) => bytesLeft > OUTPUT_BYTES * 3);

const TOO_MUCH = /output|too large|larger|bytes/i;

export const SIZES = inGroup('sizes', [
  {
    id: 'flood-output',
    what: 'prints four times the limit',
    line: `head -c ${OUTPUT_BYTES * 4} /dev/zero | tr "\\0" "a" > /proc/$AGENT/fd/1`,
    effect: LARGE,
    said: TOO_MUCH,
    inside: 'refused A23',
    outside: 'refused A23',
    run: 'alone',
    short: true,
  },
  {
    id: 'flood-errors',
    what: 'prints so much to standard error',
    line: `head -c ${OUTPUT_BYTES * 4} /dev/zero | tr "\\0" "a" > /proc/$AGENT/fd/2`,
    effect: LARGE,
    said: TOO_MUCH,
    inside: 'refused A23',
    outside: 'refused A23',
    run: 'alone',
  },
  {
    id: 'flood-check',
    what: 'prints so much in a validation command',
    turn: 'check',
    line: `head -c ${OUTPUT_BYTES * 4} /dev/zero | tr "\\0" "a" > /proc/$AGENT/fd/1`,
    // Once for the base commit too.
    effect: seen(({ bytesLeft }) => bytesLeft > OUTPUT_BYTES * 6),
    inside: 'held A23',
    outside: 'held A23',
    run: 'alone',
  },
  {
    id: 'flood-setup',
    what: 'prints so much in the set-up',
    turn: 'setup',
    line: `head -c ${OUTPUT_BYTES * 4} /dev/zero | tr "\\0" "a" > /proc/$AGENT/fd/1`,
    effect: LARGE,
    said: TOO_MUCH,
    inside: 'refused A23',
    outside: 'refused A23',
    run: 'alone',
  },
  {
    id: 'sparse-file',
    what: 'leaves a sparse file of 100 GB',
    line: 'truncate -s 100G "$W/big.bin"',
    effect: passes,
    said: /big\.bin|too large|2 GB/,
    inside: 'refused A25',
    outside: 'refused A25',
    run: 'alone',
  },
  {
    id: 'sparse-ignored',
    what: 'leaves one in an ignored folder',
    line: 'mkdir -p "$W/node_modules" && truncate -s 100G "$W/node_modules/big.bin"',
    effect: spoils,
    inside: 'held A25',
    outside: 'held A25',
  },
  {
    id: 'sparse-tracked',
    what: 'makes a tracked file one',
    line: 'truncate -s 100G "$W/b.txt"',
    effect: passes,
    said: /b\.txt|too large|2 GB/,
    inside: 'refused A25',
    outside: 'refused A25',
    run: 'alone',
  },
  {
    id: 'sparse-steering',
    what: 'makes .gitignore and .gitattributes sparse files of 3 GB in a read-only turn',
    turn: 'look',
    line: 'truncate -s 3G "$W/.gitignore" "$W/.gitattributes"',
    effect: passes,
    said: /git cannot work with what the turn left/,
    inside: 'refused A39',
    outside: 'refused A39',
    run: 'alone',
  },
  {
    id: 'long-line',
    what: 'changes one line of 5 MB',
    line: 'head -c 5000000 /dev/zero | tr "\\0" "a" > "$W/long.txt"',
    effect: spoils,
    inside: 'held T11',
    outside: 'held T11',
    run: 'alone',
  },
  {
    id: 'many-files',
    what: 'leaves 3000 files',
    line: 'mkdir "$W/many" && cd "$W/many" && seq 3000 | xargs touch',
    effect: spoils,
    inside: 'held R27',
    outside: 'held R27',
    run: 'alone',
  },
  {
    id: 'deep-folders',
    what: 'nests folders deeper than any path',
    line: `cd "$W" && mkdir -p node_modules && cd node_modules && n=0; while [ $n -lt 600 ]; do mkdir aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa && cd aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa || break; n=$((n + 1)); done`,
    effect: spoils,
    inside: 'held T2',
    outside: 'held T2',
    limitMs: 20_000,
  },
  {
    id: 'memory-inside',
    what: 'fills memory by files in /tmp',
    line: 'head -c 20000000 /dev/zero > /tmp/fill && stat -c %s /tmp/fill > "$LOOT"',
    effect: seen((after) => after.loot.startsWith('20000000')),
    inside: 'documented N3',
    outside: null,
  },
]);
