/** `npm run forge:check -- <owner/name>`: see `checkForge`. */
import { removeFolders } from '../unit/git/repository-fixture.js';
import { checkForge } from './check-forge.js';

process.exitCode = await checkForge(process.argv.slice(2), {
  environment: process.env,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
  onStop: (stop) => void process.once('SIGINT', stop).once('SIGTERM', stop),
});
removeFolders();
