/**
 * Starts a run, tells each status that it comes to, and prints how it ended.
 *
 *     sluice init                                     # once, in the repository
 *     eval "$(sluice up)"                             # tells this shell the address of the local engine
 *     npx tsx examples/start-a-run.ts ~/my/repository "fix the prototype pollution in setKey"
 */
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSluice, makeRunId } from 'sluice';

const [repo, task] = process.argv.slice(2);
if (repo === undefined || task === undefined) throw new Error('usage: start-a-run.ts <repository> <task>');

const sluice = await createSluice({
  address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:17233',
  namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
});
try {
  const runId = makeRunId(task, Math.random);
  const started = await sluice.startRun({ runId, input: { task, repo: resolve(repo), attended: false } });
  if (started.kind === 'taken') throw new Error(`the run id ${runId} is taken`);

  const result = sluice.result(started.workflowId);
  let status = '';
  const isOpen = () => Promise.race([result.then(() => false), wait(500, true)]);
  while (await isOpen()) {
    const view = await sluice.status(started.workflowId);
    if (view.status !== status) console.log(`${runId} ${view.status}`);
    status = view.status;
  }

  const { outcome, error, branch, baseSha, headSha } = await result;
  console.log(`${runId} ended ${outcome}${error === null ? '' : `: ${error}`}`);
  if (branch !== null) console.log(`git -C ${repo} diff ${baseSha} ${headSha}    # on ${branch}`);
  process.exitCode = outcome === 'merge_ready' ? 0 : 1;
} finally {
  await sluice.close();
}
