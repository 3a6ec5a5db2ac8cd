/**
 * Does one scripted turn, in the order of the fields of `ScriptedTurn`. Everything is really done: files, commits, signals, children.
 * It answers only if the turn ends by itself, with the exit code.
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDecided, TURN_STAGES } from '../../../protocol/run/stages.js';
import type { TurnName } from '../../../protocol/run/turn-name.js';
import type { ScriptedTurn } from './fixture.js';
import { appendLedger, type LedgerEntry, renderLedgerLine } from './ledger.js';

export interface ScriptedScene {
  readonly stage: TurnName;
  readonly round: number;
  readonly ask: 'work' | 'decision';
  /** Of the plan; null: the turn does none. */
  readonly step: number | null;
  /** Null: the prompt has no decision line. */
  readonly code: string | null;
  readonly token: string;
  /** Null: no ledger is kept. */
  readonly ledger: string | null;
  /** What `waitFor` is relative to. */
  readonly fixtureFolder: string;
}

export async function performTurn(turn: ScriptedTurn, scene: ScriptedScene): Promise<number> {
  // Before START: whoever sees that line may send the signal at once.
  if (turn.ignoreTerm === true) process.on('SIGTERM', () => {});
  note('START', scene);
  if (turn.stderr !== undefined) process.stderr.write(turn.stderr);
  if (turn.forkSetsid !== undefined) forkSetsid(turn.forkSetsid, scene);
  if (turn.waitFor !== undefined) await waitForFile(resolve(scene.fixtureFolder, turn.waitFor));
  if (turn.delayMs !== undefined) await sleep(turn.delayMs);
  change(turn);
  if (turn.flood !== undefined) await flood(turn.flood);
  await print(answerOf(turn, scene));
  // Last of all, since an outcome line counts only as the last one.
  if (turn.costUsd !== undefined) process.stderr.write(`sluice-cost: ${turn.costUsd.toFixed(6)}\n`);
  if (turn.outcome !== undefined) process.stderr.write(`sluice-outcome: ${turn.outcome}\n`);
  if (turn.killSelf !== undefined) await dieOf(turn.killSelf);
  if (turn.hang === true) await forever();
  note('END', scene);
  return turn.exit ?? (turn.outcome === undefined ? 0 : 1);
}

function note(event: LedgerEntry['event'], scene: ScriptedScene): void {
  if (scene.ledger !== null) appendLedger(scene.ledger, entryOf(event, scene, process.pid));
}

function entryOf(
  event: LedgerEntry['event'],
  { stage, round, ask, step, token }: ScriptedScene,
  pid: number,
): LedgerEntry {
  const entry = { event, stage, round: String(round), ask, pid: String(pid), token, at: new Date().toISOString() };
  return step === null ? entry : { ...entry, step: String(step) };
}

function change(turn: ScriptedTurn): void {
  if (turn.patch !== undefined) git(['apply', '--whitespace=nowarn', '-'], turn.patch);
  for (const [path, content] of Object.entries(turn.files ?? {})) {
    if (content === null) rmSync(path, { force: true });
    else write(path, content);
  }
  for (const [path, text] of Object.entries(turn.append ?? {})) {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, text);
  }
  if (turn.writeOutside !== undefined) write(turn.writeOutside, 'written outside the worktree\n');
  if (turn.run !== undefined) runShell(turn.run);
  if (turn.commit !== undefined) {
    git(['add', '--all']);
    git([
      '-c',
      'user.name=scripted',
      '-c',
      'user.email=scripted@localhost',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      turn.commit,
    ]);
  }
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function runShell(line: string): void {
  const { status, error } = spawnSync('/bin/sh', ['-c', line], { stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${line} ended with ${status}`);
}

function git(args: readonly string[], input = ''): void {
  const { status, stderr, error } = spawnSync('git', args, { input, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr.trim()}`);
}

/** A child that leaves the group and the session; its END line shows that nothing ended it. */
function forkSetsid(ms: number, scene: ScriptedScene): void {
  const end = renderLedgerLine({ ...entryOf('CHILD_END', scene, 0), pid: 'PID', at: 'AT' });
  const script = `const [ms, ledger, line] = process.argv.slice(1);
    setTimeout(() => {
      if (ledger !== '') require('node:fs').appendFileSync(ledger, line.replace('PID', process.pid).replace('AT', new Date().toISOString()));
    }, Number(ms));`;
  const child = spawn(process.execPath, ['-e', script, String(ms), scene.ledger ?? '', end], {
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  if (scene.ledger !== null && child.pid !== undefined)
    appendLedger(scene.ledger, entryOf('CHILD_START', scene, child.pid));
}

async function waitForFile(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(10);
}

async function flood(bytes: number): Promise<void> {
  const block = 'flood flood flood flood flood flood flood flood flood flood fl\n'.repeat(1024);
  for (let left = bytes; left > 0; left -= block.length) await print(block.slice(0, Math.min(left, block.length)));
}

/** Only written text counts: a signal to oneself would lose what is still buffered. */
function print(text: string): Promise<void> {
  return new Promise((done, failed) => {
    process.stdout.write(text, (error) => (error === null || error === undefined ? done() : failed(error)));
  });
}

/** The decision is the last line, as the prompt asks. */
function answerOf(turn: ScriptedTurn, scene: ScriptedScene): string {
  const { ask, code } = scene;
  const text = (turn.text ?? '').replaceAll('{{code}}', code ?? '');
  const lines = [...(ask === 'work' ? workLines(turn, code ?? '') : []), ...decisionLines(turn, scene)];
  if (lines.length === 0) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('\n')}\n`;
}

function workLines({ findings, responses, humanApproval, question }: ScriptedTurn, code: string): string[] {
  const details = Object.entries(humanApproval ?? {}).map(([name, value]) => `${name.toUpperCase()}: ${value}`);
  return [
    ...(findings === undefined ? [] : ['```findings', JSON.stringify(findings, null, 2), '```']),
    ...(responses === undefined ? [] : ['```responses', JSON.stringify(responses, null, 2), '```']),
    ...(humanApproval === undefined ? [] : [`HUMAN_APPROVAL ${code}: REQUIRED`, ...details]),
    ...(question === undefined ? [] : [`QUESTION ${code}: ${question}`]),
  ];
}

function decisionLines(turn: ScriptedTurn, { stage, ask, code }: ScriptedScene): string[] {
  const value = ask === 'decision' ? (turn.decisionAsk ?? turn.decision) : turn.decision;
  const keyword = isDecided(
    'verification',
    TURN_STAGES.filter((one) => one === stage),
  )
    ? 'VERIFICATION'
    : 'DECISION';
  return value === undefined ? [] : [`${keyword} ${code ?? ''}: ${value}`];
}

async function dieOf(signal: NodeJS.Signals): Promise<void> {
  process.kill(process.pid, signal);
  await forever();
}

/** A pending promise alone does not keep a process alive. */
async function forever(): Promise<never> {
  for (;;) await sleep(1_000_000);
}
