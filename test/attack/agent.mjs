/**
 * The hostile agent: carries out the tries of its run that belong to what it was started for, each by `sh` and within a time of its own, and notes in
 * `loot/ledger.jsonl` which it began. It lies in the worktree, knows everything that an attacker could have found out, and its own word counts for nothing.
 * Plain JavaScript: inside a sandbox there is node and nothing of this repository.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 10_000;

/** A ledger that a try took away is kept by nobody. */
const KEPT_LIMIT_MS = 5_000;

const { facts, tries } = JSON.parse(readFileSync(new URL('./tries.json', import.meta.url), 'utf8'));
const worktree = process.cwd();
const folder = join(worktree, 'loot');
const stage = process.env.SLUICE_STAGE ?? process.argv[2] ?? '';
/** Set-up and checks have no prompt, and say by their argument what they are. */
const prompt = process.env.SLUICE_STAGE === undefined ? '' : readFileSync(0, 'utf8');
const code = /DECISION ([^\s:]+):/.exec(prompt)?.[1] ?? '';

mkdirSync(folder, { recursive: true });
const mine = tries.filter(({ stages }) => stages.includes(stage));
for (const one of mine) {
  note({ id: one.id, is: 'begun' });
  note({ id: one.id, is: 'done', ...(await carryOut(one)) });
}
if (stage === 'executing') appendFileSync(join(worktree, 'a.txt'), 'changed\n');
console.log(answerOf());
await untilKept();
if (mine.some(({ end }) => end === 'hang')) setInterval(() => undefined, 60_000);
else process.exitCode = mine.some(({ end }) => end === 'fail') ? 1 : 0;

function carryOut({ id, line, limitMs = LIMIT_MS }) {
  return new Promise((resolve) => {
    const errors = openSync(join(folder, `${id}.err`), 'a');
    const child = spawn('sh', ['-c', line], {
      cwd: worktree,
      env: { ...process.env, ...facts, ...own(), TRY: id, TAG: `${facts.TAG}.${id}.`, LOOT: join(folder, id) },
      stdio: ['ignore', errors, errors],
      detached: true,
    });
    closeSync(errors);
    const timer = setTimeout(() => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It ended a moment ago.
      }
      resolve({ code: 'time' });
    }, limitMs);
    child.once('error', (error) => resolve({ code: error.message }));
    child.once('exit', (exit, signal) => {
      clearTimeout(timer);
      resolve({ code: exit ?? signal });
    });
  });
}

/** What only the agent itself knows. */
function own() {
  return {
    W: worktree,
    STATE: worktree.replace('/worktrees/', '/state/'),
    AGENT: String(process.pid),
    NODE: process.execPath,
  };
}

function note(line) {
  try {
    appendFileSync(join(folder, 'ledger.jsonl'), `${JSON.stringify({ stage, ...line })}\n`);
  } catch {
    // A try took the folder away.
  }
}

/** A worktree that was spoilt is made anew, and a checkout of checks goes with its run: whoever keeps the ledger answers its last line. */
async function untilKept() {
  const mark = randomUUID();
  note({ is: 'over', mark });
  const end = performance.now() + KEPT_LIMIT_MS;
  while (!readKept().includes(mark) && performance.now() < end) await sleep(50);
}

function readKept() {
  try {
    return readFileSync(join(folder, 'kept'), 'utf8');
  } catch {
    return '';
  }
}

function answerOf() {
  const given = mine.find(({ answer }) => answer !== undefined);
  if (given !== undefined) return given.answer.replaceAll('{{code}}', code);
  if (stage === 'reviewing') return `Looks right.\nDECISION ${code}: APPROVED`;
  if (stage === 'verifying')
    return `It does the task.\nVERIFICATION ${/VERIFICATION ([^\s:]+):/.exec(prompt)?.[1] ?? ''}: PASSED`;
  return 'Did what I could.';
}
