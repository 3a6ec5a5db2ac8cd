/** The rules by which an execution decides that begins now. */
export function newestOf<Rules>(rules: readonly Rules[]): Rules {
  const newest = rules.at(-1);
  if (newest === undefined) throw new Error('there are no rules');
  return newest;
}
