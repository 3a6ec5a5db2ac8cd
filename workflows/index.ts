/** Bundle root: what the control worker serves. */
export { batch } from './batch.js';
export { clean } from './clean.js';
export { notification } from './notification.js';
export { run } from './run.js';
