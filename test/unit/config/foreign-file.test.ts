/** What an agent or a repository can put in the place of a file, for each way of the one reader. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  bytesOf,
  listForeignFolder,
  readForeignFile,
  readForeignFileSync,
  textOf,
  withForeignFile,
} from '../../../config/system/foreign-file.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

const MAX_BYTES = 1024 * 1024;
const TEN_GIGABYTES = 10 * 1024 ** 3;

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  removeFolders();
});

/** Answers the path. */
const HOSTILE: Readonly<Record<string, (folder: string) => string>> = {
  'a FIFO': (folder) => {
    const path = join(folder, 'fifo');
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
    return path;
  },
  'a device': () => '/dev/zero',
  'a folder': (folder) => {
    mkdirSync(join(folder, 'folder'));
    return join(folder, 'folder');
  },
  'a sparse file of 10 GB': (folder) => {
    const path = join(folder, 'sparse');
    writeFileSync(path, '');
    truncateSync(path, TEN_GIGABYTES);
    return path;
  },
  'a link to a file': (folder) => {
    writeFileSync(join(folder, 'target'), 'secret');
    symlinkSync('target', join(folder, 'link'));
    return join(folder, 'link');
  },
  'a link to itself': (folder) => {
    symlinkSync('loop', join(folder, 'loop'));
    return join(folder, 'loop');
  },
  nothing: (folder) => join(folder, 'nothing'),
};

describe.each([
  ['readForeignFile', (path: string) => readForeignFile(path, { maxBytes: MAX_BYTES })],
  ['readForeignFileSync', async (path: string) => readForeignFileSync(path, { maxBytes: MAX_BYTES })],
])('%s', (_name, read) => {
  it.each(Object.keys(HOSTILE))('takes nothing in of %s, and does not wait for it', async (kind) => {
    const path = HOSTILE[kind]?.(tempFolder()) ?? '';

    const reading = await read(path);

    expect(bytesOf(reading)).toBeNull();
    expect(reading.kind).toBe(kind === 'nothing' ? 'absent' : kind.includes('10 GB') ? 'too_large' : 'refused');
  });

  it.each([0, 1, 255, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, MAX_BYTES])(
    'reads a file of %d bytes as it is',
    async (size) => {
      const path = join(tempFolder(), 'file');
      const content = Buffer.alloc(size, 'abcdefg');
      writeFileSync(path, content);

      expect(bytesOf(await read(path))?.equals(content)).toBe(true);
    },
  );

  it('reads a file whose size says nothing', async () => {
    expect(textOf(await read('/proc/self/status'))).toContain('Pid:');
  });

  it('does not take in more than it may of a file without a size', async () => {
    const path = '/proc/kallsyms';

    expect((await read(path)).kind).toBe('too_large');
  });
});

describe('a file that somebody holds a lease on', () => {
  it('is not waited for', async () => {
    const path = join(tempFolder(), 'file');
    writeFileSync(path, 'text');
    // F_SETLEASE, F_WRLCK: whoever opens the file without O_NONBLOCK waits up to 45 s for it (/proc/sys/fs/lease-break-time).
    const hold =
      '$SIG{IO} = "IGNORE"; open(F, "+<", $ARGV[0]); fcntl(F, 1024, 1) or exit 2; syswrite(STDOUT, "held\\n"); sleep 60';
    const holder = spawn('perl', ['-e', hold, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(holder);
    await new Promise((resolve) => holder.stdout.once('data', resolve));

    expect(await readForeignFile(path, { maxBytes: MAX_BYTES })).toMatchObject({
      kind: 'refused',
      error: { code: 'EAGAIN' },
    });
  });
});

describe('a file of any size', () => {
  it('that grows with each block is read up to the bound, in memory of one block', async () => {
    const path = join(tempFolder(), 'growing');
    writeFileSync(path, 'x'.repeat(300_000));
    let seen = 0;
    const before = process.memoryUsage().arrayBuffers;

    const whole = await withForeignFile(path, {}, (file) =>
      file.blocks(20 * MAX_BYTES, (block) => {
        seen += block.length;
        appendFileSync(path, block);
      }),
    );

    expect({ whole, seen }).toEqual({ whole: false, seen: 20 * MAX_BYTES });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MAX_BYTES);
  });

  it('is whole where it ends within the bound, and at the bound', async () => {
    const path = join(tempFolder(), 'file');
    writeFileSync(path, Buffer.alloc(MAX_BYTES));

    expect(await withForeignFile(path, {}, (file) => file.blocks(MAX_BYTES, () => undefined))).toBe(true);
    expect(await withForeignFile(path, {}, (file) => file.blocks(MAX_BYTES - 1, () => undefined))).toBe(false);
  });

  it('gives pieces of its middle and its end', async () => {
    const path = join(tempFolder(), 'sparse');
    writeFileSync(path, 'head');
    truncateSync(path, TEN_GIGABYTES);
    appendFileSync(path, 'tail');

    const pieces = await withForeignFile(path, {}, async (file) => [
      (await file.piece({ from: 0, length: 4 })).toString(),
      (await file.piece({ from: file.size - 4, length: 100 })).toString(),
    ]);

    expect(pieces).toEqual(['head', 'tail']);
  });

  it('is left within one block of an abort', async () => {
    const path = join(tempFolder(), 'sparse');
    writeFileSync(path, '');
    truncateSync(path, TEN_GIGABYTES);
    const abort = new AbortController();
    let blocks = 0;
    const stop = () => {
      blocks += 1;
      if (blocks === 3) abort.abort(new Error('aborted'));
    };

    const reading = withForeignFile(path, { signal: abort.signal }, (file) => file.blocks(TEN_GIGABYTES, stop));

    await expect(reading).rejects.toThrow('aborted');
    expect(blocks).toBe(3);
    await expect(readForeignFile(path, { maxBytes: MAX_BYTES, signal: abort.signal })).rejects.toThrow('aborted');
  });
});

describe('a folder', () => {
  it('is listed by name, up to its bound', async () => {
    const folder = tempFolder();
    for (const name of ['c', 'a', 'b']) writeFileSync(join(folder, name), '');

    expect((await listForeignFolder(folder, { maxEntries: 3 }))?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(await listForeignFolder(folder, { maxEntries: 2 })).toBeNull();
  });

  it.each(Object.keys(HOSTILE).filter((kind) => kind !== 'a folder'))(
    'is not listed in the place of %s',
    async (kind) => {
      expect(await listForeignFolder(HOSTILE[kind]?.(tempFolder()) ?? '', { maxEntries: 3 })).toBeNull();
    },
  );
});

/** More than are read before the loop turns. */
const MANY = 1_000;

describe('whoever has much read', () => {
  it('holds up nobody with many small files', async () => {
    const path = join(tempFolder(), 'file');
    writeFileSync(path, 'text');
    const other = new Promise((resolve) => setImmediate(resolve, 'another'));
    const readMany = async () => {
      for (let n = 0; n < MANY; n += 1) await readForeignFile(path, { maxBytes: MAX_BYTES });
      return 'the reader';
    };

    expect(await Promise.race([readMany(), other])).toBe('another');
  });

  it('is told of an abort while a folder of many entries is listed', async () => {
    const folder = tempFolder();
    for (let n = 0; n < MANY; n += 1) writeFileSync(join(folder, String(n)), '');
    const abort = new AbortController();
    setImmediate(() => abort.abort(new Error('aborted')));

    await expect(listForeignFolder(folder, { maxEntries: MANY, signal: abort.signal })).rejects.toThrow('aborted');
  });
});
