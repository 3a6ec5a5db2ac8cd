/** What `npm pack` makes, unpacked elsewhere beside the packages that it depends on, with no source and without the source maps of its bundles. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { type CliOptions, type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';

const LIMIT_MS = 300_000;

let world: CliWorld;
let installed: string;

const at = (name: string) => join(installed, name);
const sluice = (args: readonly string[], options?: CliOptions) =>
  world.program([process.execPath, '--enable-source-maps', at('dist/programs/cli.js'), ...args], options).done;

beforeAll(() => {
  world = openCliWorld();
  const place = join(world.folder, 'another place');
  mkdirSync(place);
  const printed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', place], {
    encoding: 'utf8',
  });
  const packed = printed.trim().split('\n').at(-1) ?? '';
  execFileSync('tar', ['-xzf', join(place, packed), '-C', place]);
  installed = join(place, 'package');
  linkPackages();
  for (const name of readdirSync(at('dist/programs/chunks')))
    if (name.endsWith('.map')) rmSync(at(`dist/programs/chunks/${name}`));
}, LIMIT_MS);
afterAll(async () => {
  await sluice(['down', '--now']);
  await world.close();
}, LIMIT_MS);

/** Those that come with it; what only the repository needs is not beside it. */
function linkPackages(): void {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  }; // As npm writes it.
  for (const [path, { dev }] of Object.entries(packages)) {
    if (dev === true || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || !existsSync(path)) continue;
    mkdirSync(dirname(at(path)), { recursive: true });
    symlinkSync(resolve(path), at(path));
  }
}

describe('the package', () => {
  it('holds what is run, and no source, test or cache', () => {
    expect(readdirSync(installed).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'node_modules',
      'package.json',
      'tools',
    ]);
    expect(readdirSync(at('dist/programs'))).not.toContain('cache');
  });

  it('keeps the licences of the packages that its bundles hold', () => {
    const notices = readFileSync(at('dist/programs/THIRD-PARTY-NOTICES.txt'), 'utf8');

    for (const name of ['@temporalio/worker 1.24.0 (MIT)', '@grpc/grpc-js', 'commander', 'zod'])
      expect(notices).toContain(`\n${name}`);
    expect(notices).toContain('Permission is hereby granted, free of charge');
    expect(readFileSync(at('dist/page/THIRD-PARTY-NOTICES.txt'), 'utf8')).toMatch(/^preact \S+ \(MIT\)$/m);
  });

  it(
    'tells its demo with the packages that it works on, whose licences it keeps',
    async () => {
      const { code, stdout, stderr } = await sluice(['demo', '--json']);

      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(jsonLines(stdout).find(({ kind }) => kind === 'plain_check')).toMatchObject({
        agrees: true,
        base: { exitCode: 1 },
        branch: { exitCode: 0, failed: 0 },
      });
      const notices = readFileSync(at('dist/demo/tape/THIRD-PARTY-NOTICES.txt'), 'utf8');
      for (const name of ['tape 5.10.2 (MIT)', 'glob 7']) expect(notices).toContain(`\n${name}`);
      expect(existsSync(at('dist/demo/minimist/LICENSE'))).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    'takes a run to its end with an engine, a worker and a guard of its own',
    async () => {
      const repository = world.repository('packaged');
      const agent = world.script('agent', GOOD_AGENT);

      const run = await sluice(['run', 'add a line', '--json', '--agent', 'command', '--', agent], {
        cwd: repository.path,
      });

      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('"outcome":"merge_ready"') });
      expect(world.living().filter((pid) => programOf(pid).includes(at('dist/programs')))).not.toEqual([]);
      expect(world.living().filter((pid) => programOf(pid).includes(resolve('dist')))).toEqual([]);
    },
    LIMIT_MS,
  );
});

function programOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
}
