/** The program behind `--agent command --`, looked at before anything starts. The host looks again: its PATH is the one that counts. */
import { resolve, sep } from 'node:path';
import { type ResolvedProgram, resolveProgram } from '../../../config/system/resolve-program.js';
import type { RefusedError } from '../../../protocol/text/refusal.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { type Program, refusal } from './run-arguments.js';

/** A relative path is read from where the person stands, as a shell does. Errors: RefusedError for what cannot be run. */
export function checkProgram({ io }: Context, program: Program | null, root: string): Program | null {
  if (program === null) return null;
  const [named, ...args] = program;
  const name = named.includes(sep) ? resolve(io.cwd, named) : named;
  const found = resolveProgram(name, { path: io.env['PATH'] ?? '', forbidden: [root] });
  if (found.kind !== 'found') throw refusalOf(found, named);
  return [name, ...args];
}

function refusalOf(found: Exclude<ResolvedProgram, { kind: 'found' }>, named: string): RefusedError {
  const what = `the program of --agent command is ${foreign(named)}`;
  const rule = 'it must be a program on PATH or the path of one, outside the repository';
  switch (found.kind) {
    case 'missing':
    case 'relative':
      return refusal(
        `${what}, and there is none of that name`,
        rule,
        `command -v ${foreign(named)}    shows what a shell would start`,
      );
    case 'not_executable':
      return refusal(`${what}, and ${foreign(found.path)} is not executable`, rule, `chmod +x ${foreign(found.path)}`);
    case 'forbidden':
      return refusal(
        `${what}, and ${foreign(found.path)} lies in ${foreign(found.root)}`,
        `${rule}: an agent could rewrite it for the next turn`,
        `cp ${foreign(found.path)} ~/.local/bin/    and name that copy`,
      );
  }
}
