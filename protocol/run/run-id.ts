/** Run ids name branches, folders and workflows, so they are checked in the workflow and again by the host. */

const RUN_ID = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,79}$/;

export const RUN_ID_RULE = 'letters, digits, _ and -, single dots inside; 1 to 80 characters; not ending in .lock';

export function isRunId(value: unknown): boolean {
  return typeof value === 'string' && RUN_ID.test(value) && !value.toLowerCase().endsWith('.lock');
}

/** A schedule appends a time with colons to a workflow id; the run id replaces each by a dash. */
export function runIdOfWorkflow(workflowId: string): string {
  return workflowId.replaceAll(':', '-');
}

/** Shape: `<project>-<yymmdd>-<4 letters>`. `random` gives numbers in [0, 1). */
export function makeRunId(project: string, now: Date, random: () => number): string {
  const date = now.toISOString().slice(2, 10).replaceAll('-', '');
  const letters = Array.from({ length: 4 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  const name = project
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 60);
  return `${name === '' ? 'run' : name}-${date}-${letters}`;
}
