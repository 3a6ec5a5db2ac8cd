import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sendSignal } from '../../../config/system/send-signal.js';
import { cachedBinary } from '../../../worker/local-engine/server-binary/cache.js';
import { downloadServer } from '../../../worker/local-engine/server-binary/download.js';
import {
  type FindServerBinary,
  findServerBinary,
} from '../../../worker/local-engine/server-binary/find-server-binary.js';
import { parseVersion } from '../../../worker/local-engine/server-binary/version.js';
import { waitForLock } from '../../../worker/local-engine/state/kernel-lock.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const RIGHT = 'temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)';
const OLD = 'temporal version 1.5.1 (Server 1.29.1, UI 2.40.0)';

const BUILT = new URL('../../../dist/worker/local-engine/server-binary/', import.meta.url).href;
const GONE_MS = 20_000;

const freshFolder = tempFolders();
let folder: string;
let said: string[];
beforeEach(() => {
  folder = freshFolder();
  said = [];
});

function program(path: string, body: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function aTemporal(path: string, version = RIGHT): string {
  return program(path, `echo '${version}'`);
}

/** A machine on which nothing but the given things is found; its "go" is a script. */
function machine(extra: Partial<FindServerBinary> & { environment?: NodeJS.ProcessEnv } = {}): FindServerBinary {
  const { environment, ...rest } = extra;
  return {
    ...rest,
    environment: {
      PATH: join(folder, 'bin'),
      HOME: folder,
      XDG_CACHE_HOME: join(folder, 'cache'),
      SLUICE_TEMPORAL_DOWNLOAD: 'off',
      ...environment,
    },
    onProgress: (text) => said.push(text),
  };
}

function cachePath(): string {
  return cachedBinary({ XDG_CACHE_HOME: join(folder, 'cache') });
}

/** A `go build` that writes a good binary to -o and a line to its own ledger. */
function aGo(body = `printf '#!/bin/sh\\necho "${RIGHT}"\\n' > "$out"; /bin/chmod 755 "$out"`): string {
  return program(
    join(folder, 'fake-go'),
    `echo "$GOFLAGS $GOWORK $CGO_ENABLED" >> ${folder}/builds; while [ "$1" != -o ]; do shift; done; out=$2; ${body}`,
  );
}

describe('the order in which the server binary is found', () => {
  it('prefers what SLUICE_TEMPORAL_CLI names', async () => {
    const named = aTemporal(join(folder, 'named'));
    aTemporal(join(folder, 'bin/temporal'));

    const found = await findServerBinary(machine({ environment: { SLUICE_TEMPORAL_CLI: named } }));

    expect(found).toEqual({ path: named, source: 'environment', serverVersion: '1.31.2' });
  });

  it.each([
    ['missing', () => join(folder, 'nothing'), /no such file/],
    ['of another version', () => aTemporal(join(folder, 'old'), OLD), /server 1\.29\.1/],
    ['another program', () => program(join(folder, 'other'), 'echo hello'), /names no Temporal server/],
  ])('refuses a SLUICE_TEMPORAL_CLI that is %s instead of passing over it', async (_what, named, reason) => {
    aTemporal(join(folder, 'bin/temporal'));

    const found = findServerBinary(machine({ environment: { SLUICE_TEMPORAL_CLI: named() } }));

    await expect(found).rejects.toThrow(reason);
    await expect(found).rejects.toThrow(/Nothing was started\.\n.*unset SLUICE_TEMPORAL_CLI/);
  });

  it('takes temporal from PATH, then from the cache, and says why it passed one over', async () => {
    aTemporal(cachePath());
    aTemporal(join(folder, 'bin/temporal'));
    expect((await findServerBinary(machine())).source).toBe('path');

    aTemporal(join(folder, 'bin/temporal'), OLD);
    expect(await findServerBinary(machine())).toMatchObject({ source: 'cache', path: cachePath() });

    expect(said).toEqual([expect.stringMatching(/passed over: it carries server 1\.29\.1, not 1\.31\.x/)]);
  });

  it('takes no temporal from node_modules/.bin', async () => {
    const planted = join(folder, 'node_modules/.bin');
    aTemporal(join(planted, 'temporal'));
    aTemporal(join(folder, 'bin/temporal'));

    const found = await findServerBinary(machine({ environment: { PATH: `${planted}:${join(folder, 'bin')}` } }));

    expect(found).toMatchObject({ source: 'path', path: join(folder, 'bin/temporal') });
  });

  it('keeps a downloaded binary of the right version', async () => {
    const downloader = program(join(folder, 'download'), `printf '#!/bin/sh\\necho "${RIGHT}"\\n' > "$1/temporal-sdk"`);

    const found = await findServerBinary(
      machine({
        environment: { SLUICE_TEMPORAL_DOWNLOAD: 'on' },
        download: { command: [downloader] },
        go: 'no-go-here',
      }),
    );

    expect(found).toMatchObject({ source: 'download', path: cachePath() });
  });

  it('goes on to the build when the download hangs or brings the wrong thing', async () => {
    const hangs = program(join(folder, 'hangs'), 'exec /bin/sleep 60');
    const options = machine({
      environment: { SLUICE_TEMPORAL_DOWNLOAD: 'on' },
      download: { command: [hangs], limitMs: 50 },
      go: aGo(),
    });

    expect(await findServerBinary(options)).toMatchObject({ source: 'build', path: cachePath() });
  });
});

/** Of a shell: says in the file `pids` which processes it is, and works on. */
function sleepingWithChild(): string {
  return `/bin/sleep 600 & echo "$$ $!" > ${folder}/pids.new; /bin/mv ${folder}/pids.new ${folder}/pids; wait`;
}

/** Kills a process as soon as the program that it started with this statement works. */
async function expectEndOf(statement: string): Promise<void> {
  const starter = spawn(process.execPath, ['--input-type=module', '-e', `await ${statement};`], { stdio: 'ignore' });
  await until(() => existsSync(join(folder, 'pids')));
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split(' ').map(Number);
  expect(pids.map((pid) => sendSignal(pid, 0))).toEqual(['sent', 'sent']);

  starter.kill('SIGKILL');

  await until(() => pids.every((pid) => sendSignal(pid, 0) === 'gone'), GONE_MS);
}

describe('a download that is killed', () => {
  it('ends with whoever began it, and what it left goes at the next one', async () => {
    const hangs = program(join(folder, 'hangs'), `echo half > "$1/temporal"; ${sleepingWithChild()}`);
    const download = { folder, target: join(folder, 'server'), command: [hangs], limitMs: 600_000 };
    const left = () => readdirSync(folder).filter((name) => name.startsWith('download-'));

    await expectEndOf(`(await import('${BUILT}download.js')).downloadServer(${JSON.stringify(download)})`);

    expect(left()).toHaveLength(1);
    const nothing = program(join(folder, 'nothing'), 'exit 1');
    expect(await downloadServer({ ...download, command: [nothing] })).toBe(false);
    expect(left()).toEqual([]);
  });
});

describe('the build of the server', () => {
  it('happens once when two ask at the same time, with the module read only', async () => {
    const options = machine({
      go: aGo(`/bin/sleep 0.3; printf '#!/bin/sh\\necho "${RIGHT}"\\n' > "$out"; /bin/chmod 755 "$out"`),
    });

    const both = await Promise.all([findServerBinary(options), findServerBinary(options)]);

    expect(both.map(({ source }) => source).sort()).toEqual(['build', 'cache']);
    expect(readFileSync(join(folder, 'builds'), 'utf8')).toBe('-mod=readonly off 0\n');
  });

  it('is waited for by another who asks meanwhile, and who is told so', async () => {
    mkdirSync(dirname(dirname(cachePath())), { recursive: true });
    const lock = await waitForLock(join(dirname(dirname(cachePath())), 'server.lock'));
    const found = findServerBinary(machine());
    await until(() => said.length > 0);
    aTemporal(cachePath());
    lock.release();

    expect(said).toEqual(['another sluice gets the Temporal server, or asks whether to build it; waiting for it']);
    expect((await found).source).toBe('cache');
  });

  it('ends, compilers and all, with a process that is killed while it builds', async () => {
    const go = aGo(sleepingWithChild());
    const build = { target: join(folder, 'server'), log: join(folder, 'log'), environment: {}, go };

    await expectEndOf(`(await import('${BUILT}go-build.js')).buildServer(${JSON.stringify(build)})`);
  });

  it('names its log and leaves the cache empty when it fails', async () => {
    const found = findServerBinary(
      machine({ go: aGo('echo "half" > "$out"; echo "missing go.sum entry" >&2; exit 1') }),
    );

    await expect(found).rejects.toThrow(/go ended with 1\)[\s\S]*build\.log:\nmissing go\.sum entry/);
    expect(existsSync(cachePath())).toBe(false);
  });

  it('says what to install when there is no go', async () => {
    await expect(findServerBinary(machine({ go: join(folder, 'no-go') }))).rejects.toThrow(
      /no `go` on PATH[\s\S]*SLUICE_TEMPORAL_CLI/,
    );
  });

  it('does not start when the person declines', async () => {
    const asked: number[] = [];
    const options = machine({
      go: aGo(),
      confirmBuild: async (minutes) => {
        asked.push(minutes);
        return false;
      },
    });

    await expect(findServerBinary(options)).rejects.toThrow(/declined[\s\S]*TEMPORAL_ADDRESS/);
    expect(asked).toEqual([5]);
    expect(existsSync(join(folder, 'builds'))).toBe(false);
  });
});

describe('the version line of a binary', () => {
  it.each([
    [RIGHT, { kind: 'right', serverVersion: '1.31.2' }],
    ['temporal version 0.0.0-DEV (Server 1.31.2, UI 2.50.1)', { kind: 'right', serverVersion: '1.31.2' }],
    [OLD, { kind: 'wrong', serverVersion: '1.29.1' }],
    ['temporal version 9 (Server 1.310.0, UI 3)', { kind: 'wrong', serverVersion: '1.310.0' }],
  ])('reads %s', (text, version) => {
    expect(parseVersion(text)).toEqual(version);
  });
});
