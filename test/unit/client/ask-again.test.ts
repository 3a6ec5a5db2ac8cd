import { describe, expect, it } from '@jest/globals';
import type { WorkflowQueryInput } from '@temporalio/client';
import { ASK_AGAIN } from '../../../client/calls/ask-again.js';
import { GIVEN_UP_MESSAGE } from '../../../protocol/names.js';

const INPUT: WorkflowQueryInput = {
  workflowExecution: { workflowId: 'w' },
  queryType: 'status',
  args: [],
  headers: {},
};

/** What is answered, and how often it was asked. */
async function asked(...failures: readonly string[]) {
  let times = 0;
  const answer = ASK_AGAIN.query?.(INPUT, async () => {
    const failure = failures[times];
    times += 1;
    if (failure !== undefined) throw new Error(failure);
    return 'the view';
  });
  const said: unknown = await answer?.catch((error: unknown) => (error instanceof Error ? error.message : error));
  return { said, times };
}

describe('a Query', () => {
  it('is sent again to a run that was given up at that moment', async () => {
    expect(await asked(GIVEN_UP_MESSAGE, `Query failed: ${GIVEN_UP_MESSAGE}`)).toEqual({ said: 'the view', times: 3 });
  });

  it('is not sent again for any other failure, nor without end', async () => {
    expect(await asked('there is no such Query')).toEqual({ said: 'there is no such Query', times: 1 });
    expect(await asked(...Array.from({ length: 9 }, () => GIVEN_UP_MESSAGE))).toEqual({
      said: GIVEN_UP_MESSAGE,
      times: 5,
    });
  });
});
