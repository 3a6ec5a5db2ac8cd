/**
 * Judges the diff of a write turn (V-128): what leads out of the worktree, secret-like files, token shapes in added lines, and the
 * policy's `block` rules. Guarded paths are answered apart: they need a person, they do not end the run.
 * It sees only the diff; a write elsewhere on the disk shows up in the fingerprint of the person's checkout, or not at all.
 */
import { realpath } from 'node:fs/promises';
import { posix, sep } from 'node:path';
import picomatch from 'picomatch';
import type { AddedLine, Diff, DiffFile, DiffFinding } from '../start/contract.js';
import { TimeBudget } from '../start/within-time.js';
import { findTokens } from './find-tokens.js';
import { isSecretName } from './secret-names.js';

const SYMLINK = '120000';
const SUBMODULE = '160000';

/** What a system takes (PATH_MAX, less the byte that ends it). */
const MAX_TARGET_BYTES = 4_095;

/** Unit: UTF-16 code units of a line. What is found in a longer one is at most as long as two of its pieces have in common. */
const WHOLE_LENGTH = 20_000;
const PIECE_LENGTH = 4_000;
const OVERLAP = 2_000;

/** Where it stands in an expression for the beginning or the end of what is searched. */
const ANCHOR = /(?<![\\[])\^|(?<!\\)\$/;

export interface DiffCheckInput {
  readonly worktree: string;
  readonly diff: Diff;
  /** Globs over paths, `/regex/` over added lines. */
  readonly block: readonly string[];
  /** Globs over paths. */
  readonly guarded: readonly string[];
}

export interface DiffCheck {
  /** In the order outside_path, secret_file, block, token_shape; empty: the diff may stay. */
  readonly findings: readonly DiffFinding[];
  /** Paths that a person must look at. */
  readonly guarded: readonly string[];
}

/**
 * Rules that cannot be told in time count as hit: the diff is refused, or a person is asked.
 * Errors: a `block` regex that does not compile throws; config refuses it before a run starts.
 */
export async function checkDiff({ worktree, diff, block, guarded }: DiffCheckInput): Promise<DiffCheck> {
  const kept = diff.files.filter(({ status }) => status !== 'deleted');
  const outside = await Promise.all(
    kept.map((file) => findOutside(worktree, file, diff.addedLines.get(file.path) ?? [])),
  );
  const tokens = await Promise.all([...diff.addedLines].map(([path, lines]) => tokenFindings(path, lines)));
  const time = new TimeBudget();
  const blocked = block.flatMap((rule) => time.run(() => findBlocked(diff, rule)) ?? untold(diff, rule));
  return {
    findings: [...outside.flat(), ...kept.flatMap(findSecretFile), ...blocked, ...tokens.flat()],
    // What an expression took is not the globs' doing.
    guarded: findGuarded(diff.files, guarded),
  };
}

/** Paths that the globs guard; all of them where that cannot be told in time. */
export function findGuarded(files: readonly Named[], globs: readonly string[]): string[] {
  return new TimeBudget().run(() => matching(files, globs)) ?? files.map(({ path }) => path);
}

async function findOutside(worktree: string, file: DiffFile, lines: readonly AddedLine[]): Promise<DiffFinding[]> {
  const found = (why: string): DiffFinding[] => [{ rule: 'outside_path', path: file.path, line: null, why }];
  if (posix.isAbsolute(file.path) || file.path.split('/').includes('..'))
    return found(`${shown(file.path)} leads out of the worktree`);
  if (isInGit(file.path)) return found(`${shown(file.path)} lies in a git directory`);
  if (file.mode === SUBMODULE)
    return found(`${shown(file.path)} is a nested repository (submodule), whose files the run does not see`);
  if (file.mode !== SYMLINK) return [];
  const target = lines.map(({ text }) => text).join('\n');
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES)
    return found(`${shown(file.path)} is a symlink to a path that is too long`);
  // Of another name that reads the same the lines are among these; and what is there cannot be followed by it.
  if (`${file.path}${target}`.includes('\uFFFD'))
    return found(`${shown(file.path)} is a symlink of a name or to a path that is no UTF-8 (${shown(target)})`);
  if (turnsBack(target))
    return found(
      `${shown(file.path)} is a symlink with a .. behind another part (${shown(target)}), so that a later link in the place of that part would make it lead out`,
    );
  return (await leadsOut(worktree, file.path, target))
    ? found(`${shown(file.path)} is a symlink out of the worktree (${shown(target)})`)
    : [];
}

/** Where `a` is a symlink, or becomes one in a later turn, `a/..` is no folder that the text tells. Without such a part links that each stay inside lead nowhere else together. */
function turnsBack(target: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part, index) => part === '..' && index > 0 && parts[index - 1] !== '..');
}

/** By its text and, as far as it exists, by where it really ends: a link of the repository may lead anywhere. */
async function leadsOut(worktree: string, path: string, target: string): Promise<boolean> {
  if (target === '' || posix.isAbsolute(target)) return target !== '';
  const written = posix.normalize(posix.join(posix.dirname(path), target));
  if (written === '..' || written.startsWith('../')) return true;
  const real = await realEnd(`${worktree}/${written}`);
  return (
    isInGit(written) ||
    (real !== worktree && (!real.startsWith(worktree + sep) || isInGit(real.slice(worktree.length))))
  );
}

function isInGit(path: string): boolean {
  return path.split('/').some((part) => part.toLowerCase() === '.git');
}

/**
 * Where a path really leads: the real path of the part that exists. Below what does not exist nothing does, so each look
 * rules out half of the parts, of which a link may name two thousand.
 */
async function realEnd(path: string): Promise<string> {
  const parts = path.split('/');
  let real = '/';
  let there = 0;
  let missing = parts.length + 1;
  while (missing - there > 1) {
    const count = Math.floor((there + missing) / 2);
    const found = await realpath(parts.slice(0, count).join('/') || '/').catch(() => null);
    if (found === null) missing = count;
    else [real, there] = [found, count];
  }
  return posix.normalize([real, ...parts.slice(there)].join('/'));
}

function findSecretFile({ path }: DiffFile): DiffFinding[] {
  return isSecretName(path)
    ? [{ rule: 'secret_file', path, line: null, why: `${shown(path)} has the name of a file that holds secrets` }]
    : [];
}

async function tokenFindings(path: string, lines: readonly AddedLine[]): Promise<DiffFinding[]> {
  const found = await findTokens(path, lines);
  return found.map(({ line, shape }) => ({
    rule: 'token_shape',
    path,
    line,
    why: `line ${line} of ${shown(path)} has the shape of a secret (${shape})`,
  }));
}

function findBlocked(diff: Diff, rule: string): DiffFinding[] {
  const why = `matches the block rule ${rule}`;
  const expression = lineExpression(rule);
  if (expression === null)
    return matching(diff.files, [rule]).map((path) => ({
      rule: 'block',
      path,
      line: null,
      why: `${shown(path)} ${why}`,
    }));
  return [...diff.addedLines].flatMap(([path, lines]) =>
    lines
      .filter(({ text }) => isFoundIn(text, expression))
      .map(({ line }): DiffFinding => ({ rule: 'block', path, line, why: `line ${line} of ${shown(path)} ${why}` })),
  );
}

/**
 * Whether the expression finds something in a line. It may take the square of the length: a long line is searched in pieces. The ends of a piece are none of the
 * line, so that an expression with an anchor has the whole.
 */
export function isFoundIn(text: string, expression: RegExp): boolean {
  if (text.length <= WHOLE_LENGTH || ANCHOR.test(expression.source)) return expression.test(text);
  for (let from = 0; from < text.length; from += PIECE_LENGTH - OVERLAP)
    if (expression.test(text.slice(from, from + PIECE_LENGTH))) return true;
  return false;
}

function untold({ files }: Diff, rule: string): DiffFinding {
  const why = `whether the change matches the block rule ${rule} cannot be told within some seconds`;
  return { rule: 'block', path: files[0]?.path ?? '', line: null, why };
}

/** `/…/` or `/…/i`: an expression over added lines. Anything else is a glob. */
function lineExpression(rule: string): RegExp | null {
  const found = /^\/(.+)\/([imsu]*)$/s.exec(rule);
  return found === null ? null : new RegExp(found[1] ?? '', found[2]);
}

type Named = Pick<DiffFile, 'path'>;

function matching(files: readonly Named[], globs: readonly string[]): string[] {
  if (globs.length === 0) return [];
  const matches = matcherOf(globs);
  return files.map(({ path }) => path).filter((path) => matches(path));
}

type Matcher = (path: string) => boolean;

/** The guarded paths are those of most runs, and to make regular expressions of them takes longer than the rest of a check. */
const matchers = new Map<string, Matcher>();
const MAX_MATCHERS = 100;

/** `nonegate`: a rule that starts with `!` must not turn into its opposite. */
function matcherOf(globs: readonly string[]): Matcher {
  const key = JSON.stringify(globs);
  const known = matchers.get(key);
  if (known !== undefined) return known;
  // `i`: on a file system that ignores case `agents.md` is read as AGENTS.md. `s`: else a newline in a name would hide a path from `**`.
  const made = picomatch([...globs], { dot: true, nonegate: true, flags: 'is' });
  if (matchers.size === MAX_MATCHERS) matchers.clear();
  matchers.set(key, made);
  return made;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
