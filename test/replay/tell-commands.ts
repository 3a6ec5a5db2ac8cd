/** Goes into the bundle of the replay test: tells what a workflow asks of others, with everything that a replay by itself does not compare. */
import { proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';

export interface CommandSinks extends Sinks {
  readonly commands: { told(command: ToldCommand): void };
}

export interface ToldCommand {
  /** What is asked of whom: an activity's type, a signal's name with its target, a child's type and id. */
  readonly what: string;
  readonly args: readonly unknown[];
}

const { commands } = proxySinks<CommandSinks>();

/** Loaded into the bundle by its path. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        commands.told({ what: `activity ${input.activityType}`, args: input.args });
        return next(input);
      },
      signalWorkflow(input, next) {
        const { workflowId, runId } =
          input.target.type === 'external'
            ? input.target.workflowExecution
            : { workflowId: input.target.childWorkflowId };
        commands.told({ what: `signal ${input.signalName} to ${workflowId} ${runId ?? ''}`, args: input.args });
        return next(input);
      },
      startChildWorkflowExecution(input, next) {
        commands.told({ what: `child ${input.workflowType} ${input.options.workflowId}`, args: input.options.args });
        return next(input);
      },
    },
  ],
});
