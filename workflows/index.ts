/** Bundle root: what the control worker serves. */
export { run } from './run.js';
