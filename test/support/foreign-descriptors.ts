/**
 * What a starting shell can have open without meaning anything by it: files, folders, pipes and sockets, forty of them, at numbers from 10 to 200.
 * `stdio` is for `spawn`; a program finds what it got by the links of /proc, which `idsOf` reads. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Above those that node itself marks at its start, and some below. */
export const FOREIGN_NUMBERS: readonly number[] = Array.from(
  { length: 40 },
  (_none, index) => 10 + Math.floor((index * 190) / 39),
);

export interface ForeignDescriptors {
  /** Part of the name of each file, folder and pipe. */
  readonly word: string;
  readonly stdio: readonly (number | 'pipe' | 'ignore')[];
  close(): void;
}

/** Every fourth is a socket, which node makes for the program alone. */
export function openForeign(folder: string): ForeignDescriptors {
  const word = `foreign-${randomUUID()}`;
  mkdirSync(folder, { recursive: true });
  const opened = FOREIGN_NUMBERS.map((_number, index) => openOne(join(folder, `${word}-${index}`), index % 4));
  const stdio = Array.from({ length: 201 }, (_none, number) => {
    const at = FOREIGN_NUMBERS.indexOf(number);
    return at < 0 ? ('ignore' as const) : (opened[at] ?? ('pipe' as const));
  });
  return {
    word,
    stdio: ['ignore', 'pipe', 'pipe', ...stdio.slice(3)],
    close: () => {
      for (const descriptor of opened) if (descriptor !== null) closeSync(descriptor);
    },
  };
}

/** What the links of a process lead to, by number. Empty where it is gone or may not be looked at. */
export function linksOf(pid: number | string): ReadonlyMap<number, string> {
  const folder = `/proc/${pid}/fd`;
  return new Map(
    readdirSync(folder).flatMap((name): readonly [number, string][] => {
      try {
        return [[Number(name), readlinkSync(join(folder, name))]];
      } catch {
        return [];
      }
    }),
  );
}

function openOne(path: string, kind: number): number | null {
  switch (kind) {
    case 0:
      writeFileSync(path, 'of the person\n');
      return openSync(path, 'r+');
    case 1:
      mkdirSync(path);
      return openSync(path, 'r');
    case 2:
      execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
      return openSync(path, constants.O_RDWR);
    default:
      return null;
  }
}
