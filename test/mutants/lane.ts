/**
 * A private copy of the tree in which one mutant at a time is applied, tried and taken back. The checkout is only read; node_modules is
 * linked. What the tests of one lane start carries the lane's temp folder and is ended with it.
 */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { transformSync } from '@swc/core';
import { type ChildEnd, run } from './child.js';
import { type JestEnd, type JestReport, NotBuiltError, testNamePattern } from './judge.js';
import { type Mutant, mutated } from './mutant.js';
import { endProcessesOf } from './stray-processes.js';

/** Made anew or not needed in a copy. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git', '.cache']);

/** What the bundle of the workflows is made of. */
const BUNDLED = /^(?:workflows|protocol|wire)\//;
const BUNDLE = 'dist/workflow-bundle.js';
const BUNDLE_PROGRAMS = ['--import', 'tsx', 'tools/build-programs.mjs'];
/** A unit test that names it starts what is built there. */
const PROGRAMS = 'dist/programs';

/** Of what needs no limit of its own. */
const LONGEST_MS = 660_000;

export class Lane {
  /** Short: unix sockets lie below it. */
  readonly temp: string;
  readonly tree: string;

  constructor(
    folder: string,
    private readonly stop: AbortSignal,
  ) {
    this.tree = join(folder, 'tree');
    this.temp = join(folder, 't');
    mkdirSync(this.temp, { recursive: true });
  }

  /** Copies the checkout and builds it, or copies a lane that is built. */
  async build(checkout: string): Promise<void> {
    const isWanted = (path: string) => !LEFT_OUT.has(relative(checkout, path).split(sep)[0] ?? '');
    cpSync(checkout, this.tree, { recursive: true, filter: isWanted });
    symlinkSync(join(checkout, 'node_modules'), join(this.tree, 'node_modules'));
    await this.mustRun(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
    await this.mustRun(['dist/worker/bundle.js']);
    await this.mustRun(BUNDLE_PROGRAMS);
    await this.mustRun(['tools/build-page.mjs']);
    await this.mustRun(['tools/build-demo.mjs']);
  }

  copyOf(built: Lane): void {
    cpSync(built.tree, this.tree, { recursive: true, verbatimSymlinks: true });
  }

  /** Applies the mutant to the source and to what is built of it, does the work, and puts everything back. Errors: NotBuiltError, with everything put back. */
  async with<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const dist = `dist/${mutant.file.replace(/\.ts$/, '.js')}`;
    const isUnit = mutant.test.file.startsWith('test/unit/');
    const needsBundle = BUNDLED.test(mutant.file) && !isUnit;
    // Nothing is built of tools.
    const isBuilt = existsSync(join(this.tree, dist));
    const touched = [mutant.file, ...(isBuilt ? [dist] : []), ...(needsBundle ? [BUNDLE] : [])].map((file) =>
      join(this.tree, file),
    );
    const needsPrograms =
      isBuilt && (!isUnit || readFileSync(join(this.tree, mutant.test.file), 'utf8').includes(PROGRAMS));
    const [programs, kept] = [join(this.tree, PROGRAMS), join(this.tree, `${PROGRAMS}.kept`)];
    if (needsPrograms) cpSync(programs, kept, { recursive: true });
    const before = touched.map((path) => readFileSync(path));
    const source = mutated(readFileSync(join(this.tree, mutant.file), 'utf8'), mutant);
    try {
      writeFileSync(join(this.tree, mutant.file), source);
      if (isBuilt) writeFileSync(join(this.tree, dist), transpiled(source, mutant.file));
      if (needsBundle) await this.mustRun(['dist/worker/bundle.js']);
      if (needsPrograms) await this.mustRun(BUNDLE_PROGRAMS);
      return await work();
    } finally {
      if (needsPrograms) replaceFolder(programs, kept);
      for (const [index, path] of touched.entries()) writeFileSync(path, before[index] ?? '');
    }
  }

  async jest(file: string, titles: readonly string[], limitMs = LONGEST_MS): Promise<JestEnd> {
    const report = join(this.temp, 'jest.json');
    const project = file.startsWith('test/unit/') ? 'unit' : 'server';
    const options = [
      '--runInBand',
      '--forceExit',
      // A sabotaged test that waits for ever is red sooner.
      '--testTimeout=30000',
      '--json',
      `--outputFile=${report}`,
      `--cacheDirectory=${join(this.tree, '.cache/jest')}`,
    ];
    const jest = [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      project,
      ...options,
    ];
    rmSync(report, { force: true });
    try {
      const args = [...jest, '-t', testNamePattern(titles), '--runTestsByPath', file];
      const { isOutOfTime } = await this.run(args, limitMs);
      if (isOutOfTime) return 'out of time';
      // Jest wrote it; only the fields of JestReport are read.
      return JSON.parse(readFileSync(report, 'utf8')) as JestReport;
    } catch {
      return 'no report';
    } finally {
      endProcessesOf(this.temp);
      removeFolder(this.temp);
      mkdirSync(this.temp, { recursive: true });
    }
  }

  /** Answers the output of node; empty where all went well. */
  async node(args: readonly string[]): Promise<string> {
    const { code, output } = await this.run(args, LONGEST_MS);
    return code === 0 ? '' : output || `ended with ${code}`;
  }

  private async mustRun(args: readonly string[]): Promise<void> {
    const output = await this.node(args);
    if (output !== '') throw new NotBuiltError(`node ${args.join(' ')} failed in the copy of the tree:\n${output}`);
  }

  private run(args: readonly string[], limitMs: number): Promise<ChildEnd> {
    return run(process.execPath, args, {
      cwd: this.tree,
      env: { ...process.env, TMPDIR: this.temp },
      limitMs,
      stop: this.stop,
    });
  }
}

/** A process that a test left may still write its compile cache there: it takes that with it. */
function replaceFolder(folder: string, by: string): void {
  const old = `${folder}.${randomUUID()}`;
  renameSync(folder, old);
  renameSync(by, folder);
  removeFolder(old);
}

/** What a sabotaged test left may not be removable (a read-only folder, as an ordinary user); every test makes folders of its own. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    console.error(`${folder} could not be removed: ${String(error)}`);
  }
}

function transpiled(source: string, file: string): string {
  const parser = { syntax: 'typescript' } as const;
  return transformSync(source, {
    filename: file,
    swcrc: false,
    jsc: { target: 'es2022', parser },
    module: { type: 'es6' },
  }).code;
}
