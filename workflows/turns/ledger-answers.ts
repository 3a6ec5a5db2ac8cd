import { defineSignal, setHandler } from '@temporalio/workflow';
import { BUDGET_ANSWER_SIGNAL, type BudgetAnswer, readBudgetAnswer } from '../../protocol/actors/day-budget.js';

const budgetAnswerSignal = defineSignal<[unknown]>(BUDGET_ANSWER_SIGNAL);

/** What ledgers answer to a workflow, which has one of these and may wait for several answers at once. */
export class LedgerAnswers {
  private readonly awaited = new Map<string, BudgetAnswer[]>();

  constructor() {
    setHandler(budgetAnswerSignal, (argument) => {
      const answer = readBudgetAnswer(argument);
      if (answer !== null) this.awaited.get(answer.token)?.push(answer);
    });
  }

  /** What comes under the token until it is forgotten. */
  await(token: string): readonly BudgetAnswer[] {
    const answers: BudgetAnswer[] = [];
    this.awaited.set(token, answers);
    return answers;
  }

  forget(token: string): void {
    this.awaited.delete(token);
  }
}
