/** Where modules are for jest: as Node finds them, but for the thread of the workflows, which is the one that ships. */
const { join } = require('node:path');

const BUILT = join(__dirname, '../dist/programs/workflow-thread.js');

module.exports = (request, options) =>
  request === './workflow-worker-thread' ? BUILT : options.defaultResolver(request, options);
