/** What the baseline measures: an activity without work of its own. */
export const emptyActivities = {
  async nothing(): Promise<void> {},
};
