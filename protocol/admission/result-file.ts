/** The file that tells what became of a task, from what the engine itself recorded; a model may add its notes alone. Pure. Source: S-80, S-100 to S-102, docs/requirements/skep.md "Formats". */
import { escapeLine, writeBlock, writeTable } from './markdown-text.js';
import { type ShownStep, showSteps } from './show-steps.js';

/** Entries of each list but the commits, which are told in full. */
export const MAX_LISTED = 500;

export interface ChangedSymbol {
  readonly name: string;
  /** One line of code each; null: it is not there on that side. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface TaskResult {
  readonly id: string;
  readonly title: string;
  readonly outcome: string;
  readonly merge: string;
  readonly branch: string | null;
  readonly base: string | null;
  readonly head: string | null;
  /** Unit: ms. */
  readonly durationMs: number;
  /** Null: an agent told none; `cacheRead`: or not apart from the rest, and `input` has both. */
  readonly tokens: {
    readonly input: number | null;
    readonly cacheRead: number | null;
    readonly output: number | null;
  };
  /** Unit: micro-dollars. Null: nobody knows. */
  readonly costMicroUsd: number | null;
  readonly steps: readonly ShownStep[];
  /** In the order of the branch, full ids. */
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
  /** `change`: added, modified, deleted or renamed. */
  readonly files: readonly { readonly path: string; readonly change: string }[];
  /** Null: nobody compared them. */
  readonly symbols: readonly ChangedSymbol[] | null;
  /** `exitCode` null: it did not end by itself. */
  readonly validation: readonly { readonly command: string; readonly exitCode: number | null }[];
  /** Of a model or a person, and marked as theirs; empty: none. */
  readonly notes: string;
}

/** What the file is called in the artifacts of its run (S-100). */
export function resultFileName(id: string): string {
  return `task-${id}-result.md`;
}

export function isResultFileName(name: string): boolean {
  return /^task-.{1,100}-result\.md$/.test(name);
}

export function renderResult(result: TaskResult): string {
  const { id, title, steps, commits, files, symbols, validation, notes } = result;
  const sections: readonly (readonly [string, string])[] = [
    ['Steps', writeLines(showSteps(steps))],
    ['Commits', writeLines(commits.map(({ sha, subject }) => `${sha} ${subject}`))],
    ['Files', writeLines(cutList(files).map(tellFile), files.length)],
    ['Symbols', symbols === null ? 'Not compared.' : writeLines(cutList(symbols).map(tellSymbol), symbols.length)],
    ['Validation', writeValidation(validation)],
    ['Notes', writeLines(notes.trim() === '' ? [] : notes.trim().split('\n'))],
  ];
  const parts = [
    `# Task #${id}: ${escapeLine(title)}`,
    writeFigures(result),
    ...sections.flatMap(([name, text]) => [`## ${name}`, text === '' ? 'None.' : text]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function writeFigures({ outcome, merge, branch, base, head, ...spent }: TaskResult): string {
  return writeTable(
    ['Field', 'Value'],
    [
      ['Outcome', outcome],
      ['Merge', merge],
      ['Branch', branch ?? 'none'],
      ['Base', base ?? 'none'],
      ['Head', head ?? 'none'],
      ['Duration', writeDuration(spent.durationMs)],
      ['Tokens', writeTokens(spent.tokens)],
      ['Cost', spent.costMicroUsd === null ? 'unknown' : `${(spent.costMicroUsd / 1_000_000).toFixed(4)} USD`],
    ],
  );
}

/** The figure counts what was read from a cache as a tenth; the raw counts stand beside it. */
function writeTokens({ input, cacheRead, output }: TaskResult['tokens']): string {
  if (input === null || cacheRead === null) return `${input ?? 'unknown'} in, ${output ?? 'unknown'} out`;
  const figure = Math.round(input + cacheRead / 10);
  return `${figure} in (${input} input, ${cacheRead} from cache), ${output ?? 'unknown'} out`;
}

function writeDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function tellFile({ path, change }: TaskResult['files'][number]): string {
  return `${change}: ${path}`;
}

function tellSymbol({ name, before, after }: ChangedSymbol): string {
  if (before === null) return `added: ${name}: ${after ?? ''}`;
  return after === null ? `removed: ${name}: ${before}` : `changed: ${name}: ${before} → ${after}`;
}

function writeValidation(commands: TaskResult['validation']): string {
  if (commands.length === 0) return '';
  return writeTable(
    ['Command', 'Exit code'],
    cutList(commands).map(({ command, exitCode }) => [command, exitCode === null ? 'none' : `${exitCode}`]),
  );
}

function cutList<T>(entries: readonly T[]): readonly T[] {
  return entries.slice(0, MAX_LISTED);
}

/** `total`: how many there would be. */
function writeLines(lines: readonly string[], total = lines.length): string {
  if (lines.length === 0) return '';
  return writeBlock(total > lines.length ? [...lines, `… and ${total - lines.length} more`] : lines);
}
