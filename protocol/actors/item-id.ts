/** What a task is called within its project. Pure. */

/** At most 7 digits: the run of a batch ends in 8 hex digits. */
const ITEM_ID = /^[1-9]\d{0,6}$/;

export function isItemId(id: string): boolean {
  return ITEM_ID.test(id);
}
