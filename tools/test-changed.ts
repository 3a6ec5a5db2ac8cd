/**
 * `npm run test:changed`: the tests nearest to the files that differ from HEAD, in about a minute; `-- <commit>`: from that commit. Unit tests are found by
 * what they import. Server tests run the built programs and import nothing of them: there the lists of mutants say which test notices a change of which file.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { testNamePattern } from '../test/mutants/judge.js';
import { MUTANTS } from '../test/mutants/mutants.js';
import { RESULTS, readReport, slowestFiles } from './jest-report.js';
import { type Candidate, chooseNearest, isServerTest, isUnitTest, nearnessOf } from './nearest-tests.js';

/** Of all files together; two run at a time. */
const UNIT_SECONDS = 50;
const SERVER_SECONDS = 40;

/** Of a file that `npm test` has not timed here. */
const UNTIMED_SECONDS = { unit: 5, server: 25 } as const;

const JEST = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'] as const;

const [base = 'HEAD'] = process.argv.slice(2);
const changed = changedFiles();
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);
const killers = MUTANTS.filter(({ file }) => changed.includes(file)).map(({ test }) => test);
const timed = timesOf();

const unit = candidatesOf(tests.filter(isUnitTest), new Set(relatedUnitTests()));
const server = candidatesOf(tests.filter(isServerTest), new Set());
const chosen = {
  unit: chooseNearest(unit, UNIT_SECONDS),
  server: chooseNearest(
    server.filter(({ nearness }) => nearness !== 'names'),
    SERVER_SECONDS,
  ),
};

if (changed.length === 0) console.log(`nothing differs from ${base}`);
else process.exitCode = runChosen();

function runChosen(): number {
  const left = unit.length - chosen.unit.length;
  console.log(
    `${changed.length} files differ from ${base}: ${chosen.unit.length} unit test files${left === 0 ? '' : ` (${left} more reach them from afar)`}, ${chosen.server.length} server test files`,
  );
  const whole = chosen.server.filter(({ nearness }) => nearness === 'changed').map(({ file }) => file);
  const partly = chosen.server.filter(({ nearness }) => nearness === 'kills').map(({ file }) => file);
  const titles = killers.filter(({ file }) => partly.includes(file)).map(({ title }) => title);
  return Math.max(
    runJest('unit', fileList(chosen.unit.map(({ file }) => file))),
    runJest('server', fileList(whole)),
    runJest('server', partly.length === 0 ? [] : ['-t', testNamePattern([...new Set(titles)]), ...fileList(partly)]),
  );
}

/** Those that are gone are named by tests all the same. */
function changedFiles(): readonly string[] {
  const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  const names = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  return names.filter((name) => name !== '');
}

function candidatesOf(files: readonly string[], reaching: ReadonlySet<string>): readonly Candidate[] {
  return files.flatMap((file) => {
    const nearness = nearnessOf({ file, text: readFileSync(file, 'utf8') }, { changed, killers, reaching });
    if (nearness === null) return [];
    const seconds = timed.get(file) ?? UNTIMED_SECONDS[isUnitTest(file) ? 'unit' : 'server'];
    return [{ file, nearness, seconds }];
  });
}

function relatedUnitTests(): readonly string[] {
  const code = changed.filter((name) => /\.m?[jt]s$/.test(name) && existsSync(name));
  if (code.length === 0) return [];
  const options = ['--selectProjects', 'unit', '--listTests', '--findRelatedTests', ...code];
  const { stdout } = spawnSync(process.execPath, [...JEST, ...options], { encoding: 'utf8', maxBuffer: 2 ** 24 });
  return stdout.split('\n').map((path) => relative(process.cwd(), path));
}

function timesOf(): ReadonlyMap<string, number> {
  const report = readReport(RESULTS);
  if (report === null) return new Map();
  const files = slowestFiles(report, report.testResults.length);
  return new Map(files.map(({ name, seconds }) => [relative(process.cwd(), name), seconds]));
}

function fileList(files: readonly string[]): readonly string[] {
  return files.length === 0 ? [] : ['--runTestsByPath', ...files];
}

/** Answers its exit code; 0 where nothing was chosen. */
function runJest(project: 'unit' | 'server', options: readonly string[]): number {
  if (options.length === 0) return 0;
  const args = [...JEST, '--selectProjects', project, ...options];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
