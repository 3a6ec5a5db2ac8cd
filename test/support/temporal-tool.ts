/** Temporal's own command line, as an operator uses it: the binary of the shared server, its environment, its exit code and its words. */
import { execFile } from 'node:child_process';

export interface ToolAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TemporalTool {
  /** `temporal workflow …`. */
  workflow(...args: readonly string[]): Promise<ToolAnswer>;
  /** The same with `--output json`. Errors: plain Error with what it printed where it fails. */
  json(...args: readonly string[]): Promise<unknown>;
}

export function temporalTool(
  env: Readonly<Record<string, string>>,
  program = process.env['SLUICE_TEMPORAL_CLI'] ?? 'temporal',
): TemporalTool {
  const workflow = (...args: readonly string[]) =>
    new Promise<ToolAnswer>((resolve) => {
      const options = { env: { ...env }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 60_000 } as const;
      execFile(program, ['workflow', ...args], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
  return {
    workflow,
    async json(...args) {
      const { code, stdout, stderr } = await workflow(...args, '--output', 'json');
      if (code !== 0) throw new Error(`temporal workflow ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
      return JSON.parse(stdout) as unknown;
    },
  };
}

interface Shown {
  readonly events?: readonly {
    readonly activityTaskScheduledEventAttributes?: {
      readonly activityType?: { readonly name?: string };
      readonly workflowTaskCompletedEventId?: string;
    };
  }[];
}

/** The event to reset to: the workflow task that scheduled the nth turn of the run, from 1. */
export async function turnEventId(tool: TemporalTool, workflowId: string, nth: number): Promise<string> {
  const { events } = (await tool.json('show', '--workflow-id', workflowId)) as Shown; // The history as JSON, whose other fields are not read.
  const turns = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: turn }) =>
    turn?.activityType?.name === 'runTurn' ? [turn] : [],
  );
  const id = turns[nth - 1]?.workflowTaskCompletedEventId;
  if (id === undefined) throw new Error(`${workflowId} has no turn ${nth}`);
  return id;
}
