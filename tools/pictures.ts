/**
 * Makes the pictures of the README from a real run: `npm run pictures`. The demo runs on a pseudo-terminal (script(1) of util-linux), a headless terminal
 * reads what it prints, and the screen at the gate and the one at the end are written as SVG, whose text is text.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';

const COLUMNS = 118;
const ROWS = 40;
const FOLDER = 'docs/pictures';
/** Shown once everything that the gate shows was read. */
const GATE_KEYS = '[d]';

/** Of the screen, in the order of ANSI: black, red, green, yellow, blue, magenta, cyan, white, then the same bright. */
const PALETTE = ['#3b4252', '#bf616a', '#a3be8c', '#ebcb8b', '#81a1c1', '#b48ead', '#88c0d0', '#e5e9f0'];
const TEXT = '#d8dee9';
const DIM = '#7b879d';
const GROUND = '#2e3440';
const CELL = { width: 8.4, height: 18, margin: 14 };

const home = mkdtempSync(join(tmpdir(), 'sluice-pictures-'));
try {
  mkdirSync(FOLDER, { recursive: true });
  await takePictures();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function takePictures(): Promise<void> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true, scrollback: 500 });
  const demo = `stty cols ${COLUMNS} rows ${ROWS}; '${process.execPath}' dist/programs/cli.js demo`;
  const child = spawn('script', ['-qec', demo, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm-256color', SLUICE_HOME: join(home, 'home'), TMPDIR: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let isGateTaken = false;
  for await (const chunk of child.stdout) {
    await new Promise<void>((resolve) => terminal.write(chunk as Buffer, resolve));
    if (isGateTaken || !screenOf(terminal).some((line) => textOf(line).includes(GATE_KEYS))) continue;
    isGateTaken = true;
    const screen = screenOf(terminal);
    keep('gate', screen.slice(screen.findIndex((line) => textOf(line).startsWith('Fix '))));
    child.stdin.write('a');
    // What is asked behind it: a note, which may stay empty; later whether to land.
    child.stdin.write('\r');
  }
  if (!isGateTaken) throw new Error('the demo came to no gate');
  const all = linesOf(terminal, 0, terminal.buffer.active.length);
  const from = all.findLastIndex((line) => textOf(line).startsWith('✓ planning'));
  const to = all.findIndex((line, index) => index > from && textOf(line).startsWith('The worker was killed'));
  if (from < 0 || to < 0) throw new Error('the demo told no end');
  keep('end', all.slice(from, to));
}

interface Piece {
  readonly text: string;
  readonly color: string;
  readonly isBold: boolean;
}

type Line = readonly Piece[];

function screenOf(terminal: Terminal): readonly Line[] {
  const { baseY } = terminal.buffer.active;
  return linesOf(terminal, baseY, baseY + ROWS);
}

function linesOf({ buffer: { active } }: Terminal, from: number, to: number): readonly Line[] {
  return Array.from({ length: to - from }, (_, index) => {
    const line = active.getLine(from + index);
    const cells = Array.from({ length: COLUMNS }, (_cell, column) => line?.getCell(column)).filter(
      (cell) => cell !== undefined,
    );
    return joined(cells.map(pieceOf));
  });
}

function pieceOf(cell: IBufferCell): Piece {
  const named = cell.isFgPalette() ? PALETTE[cell.getFgColor() % 8] : undefined;
  const text = cell.getWidth() === 0 ? '' : cell.getChars() || ' ';
  return { text, color: cell.isDim() ? DIM : (named ?? TEXT), isBold: cell.isBold() !== 0 };
}

function joined(pieces: readonly Piece[]): Line {
  const line: Piece[] = [];
  for (const piece of pieces) {
    const last = line.at(-1);
    if (last?.color === piece.color && last.isBold === piece.isBold)
      line[line.length - 1] = { ...last, text: last.text + piece.text };
    else line.push(piece);
  }
  return line;
}

function textOf(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Without empty lines around it, and with a folder's random name as one that says what it is. */
function keep(name: string, lines: readonly Line[]): void {
  const isFull = (line: Line) => textOf(line) !== '';
  const shown = lines.slice(lines.findIndex(isFull), lines.findLastIndex(isFull) + 1);
  writeFileSync(
    join(FOLDER, `${name}.svg`),
    svgOf(shown).replaceAll(new RegExp(`${home}/sluice-demo-\\w+`, 'g'), '/tmp/demo'),
  );
}

function svgOf(lines: readonly Line[]): string {
  const width = COLUMNS * CELL.width + 2 * CELL.margin;
  const height = lines.length * CELL.height + 2 * CELL.margin;
  const rows = lines.map((line, index) => {
    const y = CELL.margin + (index + 0.75) * CELL.height;
    const spans = line.map(
      ({ text, color, isBold }) =>
        `<tspan fill="${color}"${isBold ? ' font-weight="bold"' : ''}>${escaped(text)}</tspan>`,
    );
    return `<text x="${CELL.margin}" y="${y}" xml:space="preserve">${spans.join('')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" font-family="ui-monospace, monospace" font-size="14">`,
    `<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>`,
    ...rows,
    '</svg>\n',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
