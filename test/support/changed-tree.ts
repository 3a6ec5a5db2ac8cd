/** A copy of the product's sources in a temp folder, changed by a test and built there; everything that it does not change is the product as it is. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['protocol', 'config', 'wire', 'workflows', 'activities', 'worker', 'client', 'tools', 'package.json'];
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json'];

export interface ChangedTree {
  /** The path of a file of the tree. */
  at(name: string): string;
  write(name: string, text: string): void;
  /** Errors: the tree does not have `before`. */
  insert(name: string, text: string, before: string): void;
  /** Errors: what the compiler says. */
  build(): Promise<void>;
  remove(): void;
}

export function copyTree(): ChangedTree {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-changed-tree-'));
  const at = (name: string) => join(folder, name);
  for (const name of [...COPIED, ...SETTINGS]) cpSync(join(ROOT, name), at(name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
  const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
  return {
    at,
    write: (name, text) => writeFileSync(at(name), text),
    insert(name, text, before) {
      const old = readFileSync(at(name), 'utf8');
      if (!old.includes(before)) throw new Error(`${name} has no ${JSON.stringify(before)}`);
      writeFileSync(
        at(name),
        old.replace(before, () => text + before),
      );
    },
    async build() {
      await run('node_modules/.bin/tsc', '-p', 'tsconfig.build.json').catch((error: { readonly stdout: string }) => {
        throw new Error(`the tree does not compile:\n${error.stdout}`);
      });
      await run('dist/worker/bundle.js');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
