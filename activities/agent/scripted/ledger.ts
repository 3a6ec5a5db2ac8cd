/**
 * The scripted agent's own book of what it did, outside the worktree: effects are counted by it, never by the engine's logs.
 * One line an event, added in one write to a file opened for appending, so that agents at work side by side never mix their lines.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export interface LedgerEntry {
  readonly event: 'START' | 'END' | 'CHILD_START' | 'CHILD_END';
  readonly stage: string;
  readonly round: string;
  readonly ask: string;
  readonly pid: string;
  /** Of the turn tag; `-` where the agent was started by hand. */
  readonly token: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Of the plan; missing where the turn did none. */
  readonly step?: string;
}

/** Shape: `START stage=executing round=0 ask=work pid=4711 token=<token> at=<time>`, with ` step=2` behind it where it did a step. */
export function renderLedgerLine(entry: LedgerEntry): string {
  const { event, ...fields } = entry;
  return `${event} ${Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}\n`;
}

export function appendLedger(path: string, entry: LedgerEntry): void {
  appendFileSync(path, renderLedgerLine(entry));
}

/** All entries, oldest first; none where the file does not exist. Lines of another form are skipped. */
export function readLedger(path: string): LedgerEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.map(parseLine).filter((entry) => entry !== null);
}

const LINE =
  /^(START|END|CHILD_START|CHILD_END) stage=(\S+) round=(\S+) ask=(\S+) pid=(\S+) token=(\S+) at=(\S+?)(?: step=(\d+))?$/;

function parseLine(line: string): LedgerEntry | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, event, stage = '', round = '', ask = '', pid = '', token = '', at = '', step] = match;
  if (event !== 'START' && event !== 'END' && event !== 'CHILD_START' && event !== 'CHILD_END') return null;
  const entry: LedgerEntry = { event, stage, round, ask, pid, token, at };
  return step === undefined ? entry : { ...entry, step };
}
