/**
 * Starts processes for the bench and times them, each from its start to its end: a fork takes as long as the process is large, and the bench has hundreds of MB.
 * The other end is `timed-process.ts`; it ends with the bench.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

process.on('disconnect', () => process.exit(0));
process.on('message', ({ id, ...asked }) => {
  run(asked).then(
    (ended) => process.send({ id, ...ended }),
    (error) => process.send({ id, failure: String(error) }),
  );
});

async function run({ argv: [program, ...args], cwd, env, input, stdout }) {
  const output = stdout === undefined ? 'ignore' : openSync(stdout, 'w');
  try {
    const began = performance.now();
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', output, 'inherit'] });
    child.stdin?.on('error', () => undefined).end(input);
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    return { ms: performance.now() - began, code };
  } finally {
    if (output !== 'ignore') closeSync(output);
  }
}
