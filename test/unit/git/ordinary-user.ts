/** Programs of an ordinary user: root may write and remove anything, so that only such a one shows what a mode does. */
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tempFolder } from './repository-fixture.js';

const ORDINARY_USER = 65_534;

/** `program`: of a module, which finds the exports of repository-fixture.ts in `fixture` and modules of the product by `product(path)`. Answers the JSON that it prints. */
export function runAsOrdinaryUser(program: string): unknown {
  const folder = tempFolder();
  const user = process.getuid?.() === 0 ? { uid: ORDINARY_USER, gid: ORDINARY_USER } : {};
  chmodSync(folder, 0o777);
  const printed = execFileSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', `${PRELUDE}\n${program}`],
    { ...user, cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder } },
  );
  return JSON.parse(printed);
}

const urlOf = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

const PRELUDE = `
  import * as fixture from ${urlOf('./repository-fixture.ts')};
  const product = (path) => import(${urlOf('../../../activities/')} + path);
`;
