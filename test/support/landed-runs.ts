/** Landings as Temporal's own tools use them, and runs whose heads can be repaired. */
import type { WorkflowHandle } from '@temporalio/client';
import type { LandingView } from '../../protocol/actors/landing.js';
import { LANDING_WORKFLOW, landingId, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import type { TestHost } from './test-host.js';
import { until } from './until.js';

/** Fixes what it is told to: a conflict by both sides in their order, red checks by removing a file, and a text of a person by a file that holds it. */
const AGENT = `prompt=$(cat)
says() { printf '%s' "$prompt" | grep -q -e "$1"; }
if says 'between markers'; then
  if says 'do: .*one-sided'; then git checkout -q HEAD^2 -- a.txt 2>/dev/null || printf 'base\\nyours one-sided\\n' > a.txt
  else sed -i '/^<<<<<<< /d;/^=======$/d;/^>>>>>>> /d' a.txt; fi
elif says 'The checks are red'; then rm two
elif says 'Say hello'; then echo hello > hello.txt
else eval "$(printf '%s' "$prompt" | sed -n 's/^do: //p')"; fi
echo done
`;

export const REPAIRED = (more = '') => ({
  files: { 'agent.sh': AGENT, 'a.txt': 'base\n' },
  config: `  own: {adapter: command, command: sh, args: [agent.sh]}
stageList: [executing, validating, reviewing, fixing, verifying]
stages: { executing: { agent: own }, fixing: { agent: own } }
validation:
  commands: ["test ! -e one -o ! -e two"]
${more}`,
});

export async function land({ client }: TestHost, runId: string): Promise<WorkflowHandle> {
  const workflowId = landingId(runId);
  await client.workflow.start(LANDING_WORKFLOW, { workflowId, taskQueue: TASK_QUEUE, args: [{}] });
  return client.workflow.getHandle(workflowId);
}

export function landingOf({ client }: TestHost, runId: string): Promise<LandingView> {
  return client.workflow.getHandle(landingId(runId)).query<LandingView>(STATUS_QUERY);
}

/** It is over, or waits for a person. */
export async function settledLanding(host: TestHost, runId: string): Promise<LandingView> {
  const isSettled = ({ merge, gate }: LandingView) => merge === 'merged' || merge === 'abandoned' || gate !== null;
  await until(async () => isSettled(await landingOf(host, runId)));
  return landingOf(host, runId);
}
