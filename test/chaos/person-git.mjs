/** The fast-forward by which a person takes a chain, around which the failpoint order of a home is obeyed. Arguments: the home, the real git, and what is for git. */
import { spawnSync } from 'node:child_process';
import { fileFailpoint } from './file-failpoint.mjs';

const [home, git, ...args] = process.argv.slice(2);
const failpoint = fileFailpoint(home, 'person');
failpoint('take.before-merge');
const { status } = spawnSync(git, args, { stdio: 'inherit' });
failpoint('take.after-merge');
process.exitCode = status ?? 1;
